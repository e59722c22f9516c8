import { basename, join } from 'node:path'
import * as z from 'zod'
import { openByPath, type RandomAccess } from '../../binary/random-access.ts'
import { openZipArchive } from '../../binary/zip.ts'
import { manifestName, type PageFile, pageNamePattern, type ZippedPage } from './page-files.ts'
import { StoredZip } from './stored-zip.ts'

/** High limits, because only archives that we have written are joined. */
const maxPages = 1_000_000
const maxManifestBytes = 64 * 1024 * 1024

const Manifest = z.object({
  /** Settings with which the pages were created. */
  parameters: z.record(z.string(), z.unknown()),
  /** For each page, the file that contains it. */
  pages: z.array(z.object({ page: z.int(), file: z.string().regex(pageNamePattern), size: z.int() })),
})
type Manifest = z.infer<typeof Manifest>

/** Writes a ZIP of the pages with a `manifest.json` that maps files to pages and lists the settings. */
export function zipPages(
  outDir: string,
  pages: readonly PageFile[],
  parameters: Readonly<Record<string, unknown>>,
): Promise<string> {
  return writeZip(outDir, async (zip) => {
    const listedPages: Manifest['pages'] = []
    for (const { page, path } of pages) {
      const file = basename(path)
      listedPages.push({ page, file, size: await zip.addFile(file, path) })
    }
    return { parameters, pages: listedPages }
  })
}

/** Joins several page ZIPs into one, as if the pages had been packed together. */
export function joinZips(outDir: string, archives: readonly string[]): Promise<string> {
  return writeZip(outDir, async (zip) => {
    const manifests: Manifest[] = []
    for (const path of archives) manifests.push(await copyPages(path, zip))
    return {
      parameters: manifests[0]?.parameters ?? {},
      pages: manifests.flatMap(({ pages }) => pages),
    }
  })
}

/**
 * Lists the pages of a ZIP that `zipPages` wrote, in order; undefined for any other ZIP, even a damaged one. Only the
 * directory and the manifest are read, so that few requests are needed if the ZIP is in a bucket.
 */
export async function readPageList(file: RandomAccess): Promise<ZippedPage[] | undefined> {
  try {
    const zip = await openZipArchive(file, maxPages)
    const manifestEntry = zip.files.get(manifestName)
    if (!manifestEntry) return undefined
    const { pages } = Manifest.parse(JSON.parse((await zip.read(manifestEntry, maxManifestBytes)).toString()))
    const starts = new Map<string, number>()
    for (const [index, entry] of zip.entries.entries()) {
      const start = entry.offset + StoredZip.computeHeaderBytes(entry.name, entry.compressedSize)
      // We write files without gaps between them, and the manifest as the last one.
      if (index + 1 < zip.entries.length && start + entry.compressedSize !== zip.entries[index + 1]?.offset)
        return undefined
      if (entry.compressedSize !== entry.uncompressedSize) return undefined
      starts.set(entry.name, start)
    }
    return pages.map(({ page, file: name }) => {
      const start = starts.get(name)
      if (start === undefined) throw new RangeError(`${manifestName} names a file that is missing`)
      return { page, name, start, size: zip.files.get(name)?.compressedSize ?? 0 }
    })
  } catch (error) {
    // Errors of the ZIP reader, of JSON.parse and of zod mean that we did not write this ZIP.
    if (error instanceof RangeError || error instanceof SyntaxError || error instanceof z.ZodError)
      return undefined
    throw error
  }
}

async function writeZip(outDir: string, fill: (zip: StoredZip) => Promise<Manifest>): Promise<string> {
  const path = join(outDir, 'pages.zip')
  await StoredZip.write(path, async (zip) => {
    const manifest = await fill(zip)
    await zip.addText(manifestName, `${JSON.stringify(manifest, null, 2)}\n`)
  })
  return path
}

/** Copies the files of a page ZIP unchanged and returns its manifest. */
async function copyPages(path: string, zip: StoredZip): Promise<Manifest> {
  const pages = await openZipArchive(await openByPath(path), maxPages)
  let manifestJson = ''
  for (const entry of pages.entries) {
    if (entry.isFolder) continue
    if (entry.name === manifestName) manifestJson = (await pages.read(entry, maxManifestBytes)).toString()
    else await zip.addFile(entry.name, path, { start: await pages.locate(entry), size: entry.compressedSize })
  }
  return Manifest.parse(JSON.parse(manifestJson))
}
