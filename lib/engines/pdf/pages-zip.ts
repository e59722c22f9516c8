import { basename, join } from 'node:path'
import * as z from 'zod'
import { forEachConcurrently } from '../../async/for-each-concurrently.ts'
import { openByPath, type RandomAccess } from '../../binary/random-access.ts'
import { openZipArchive } from '../../binary/zip.ts'
import { manifestName, type PageFile } from './page-files.ts'
import { StoredZip } from './stored-zip.ts'

/** Names that engines give, which are used as file names. */
const pageNamePattern = /^\w[\w (),.-]{0,199}$/
/** The archives are our own. */
const maxPages = 1_000_000
/** Headers that are read at the same time, from a file or a bucket. */
const maxConcurrentReads = 16
const maxManifestBytes = 256 * 1024 * 1024

const Manifest = z.object({
  /** Settings that the pages were made with. */
  parameters: z.record(z.string(), z.unknown()),
  /** Which file contains which page. */
  pages: z.array(z.object({ page: z.int(), file: z.string(), size: z.int() })),
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

/** A file in a page ZIP: a range of its bytes, because nothing is compressed. */
export interface ZippedPage {
  readonly page: number
  readonly name: string
  readonly start: number
  /** Bytes. */
  readonly size: number
}

/**
 * Lists the pages of a ZIP that an engine wrote, in order; undefined for any other ZIP.
 * @throws DamagedFileError and other errors of `openZipArchive`
 */
export async function listPages(file: RandomAccess): Promise<ZippedPage[] | undefined> {
  const zip = await openZipArchive(file, maxPages)
  const manifestEntry = zip.files.get(manifestName)
  if (!manifestEntry) return undefined
  const { success, data } = Manifest.safeParse(
    JSON.parse((await zip.read(manifestEntry, maxManifestBytes)).toString()),
  )
  if (!success) return undefined
  const entries = data.pages.map(({ file }) => zip.files.get(file))
  const isStored = entries.every((entry) => entry && entry.compressedSize === entry.uncompressedSize)
  if (!isStored || !data.pages.every(({ file }) => pageNamePattern.test(file))) return undefined
  const starts = new Map<string, number>()
  await forEachConcurrently(data.pages, maxConcurrentReads, async ({ file }) => {
    const entry = zip.files.get(file)
    if (entry) starts.set(file, await zip.locate(entry))
  })
  return data.pages.map(({ page, file: name }) => ({
    page,
    name,
    start: starts.get(name) ?? 0,
    size: zip.files.get(name)?.compressedSize ?? 0,
  }))
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
  let manifest = ''
  for (const entry of pages.entries) {
    if (entry.isFolder) continue
    if (entry.name === manifestName) manifest = (await pages.read(entry, maxManifestBytes)).toString()
    else await zip.addFile(entry.name, path, { start: await pages.locate(entry), size: entry.compressedSize })
  }
  return Manifest.parse(JSON.parse(manifest))
}
