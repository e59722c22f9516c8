import { openAsBlob } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { BlobReader, type FileEntry, TextWriter, ZipReader } from '@zip.js/zip.js'
import * as z from 'zod'
import type { PageFile } from './page-files.ts'
import { StoredZip } from './stored-zip.ts'

const manifestName = 'manifest.json'

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
    const listed: Manifest['pages'] = []
    for (const { page, path } of pages) {
      const file = basename(path)
      listed.push({ page, file, size: await zip.addFile(file, path) })
    }
    return { parameters, pages: listed }
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
  const entries = await new ZipReader(new BlobReader(await openAsBlob(path))).getEntries()
  let manifest = ''
  for (const entry of entries) {
    if (entry.directory) continue
    if (entry.filename === manifestName) manifest = await entry.getData(new TextWriter())
    else await zip.addFile(entry.filename, path, await findDataExtent(entry, path))
  }
  return Manifest.parse(JSON.parse(manifest))
}

/** Locates an entry's data: its local header contains the lengths of the fields before it (APPNOTE 4.3.7). */
async function findDataExtent({ offset, compressedSize: size }: FileEntry, path: string) {
  await using archive = await open(path)
  const { buffer } = await archive.read(Buffer.alloc(4), 0, 4, offset + 26)
  return { start: offset + 30 + buffer.readUInt16LE(0) + buffer.readUInt16LE(2), size }
}
