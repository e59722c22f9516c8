import { createWriteStream, openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Writable } from 'node:stream'
import { BlobReader, configure, TextReader, TextWriter, ZipWriter } from '@zip.js/zip.js'
import * as z from 'zod'
import type { PageFile } from './page-files.ts'

// Pages are megabytes: with the usual 64 KiB a quarter of the time goes into pieces.
configure({ chunkSize: 1024 * 1024 })

const manifestName = 'manifest.json'

const Manifest = z.object({
  /** How the pages were made. */
  parameters: z.record(z.string(), z.unknown()),
  /** Which file is which page. */
  pages: z.array(z.object({ page: z.int(), file: z.string(), size: z.int() })),
})
type Manifest = z.infer<typeof Manifest>

/** One ZIP of the pages and a `manifest.json` that says which file is which page and how it was made. */
export function zipPages(
  outDir: string,
  pages: readonly PageFile[],
  parameters: Readonly<Record<string, unknown>>,
): Promise<string> {
  return writeZip(outDir, async (zip) => {
    const listed: Manifest['pages'] = []
    for (const { page, path } of pages) {
      await zip.add(basename(path), new BlobReader(await openAsBlob(path)))
      listed.push({ page, file: basename(path), size: (await stat(path)).size })
    }
    return { parameters, pages: listed }
  })
}

/** One ZIP of the pages of several, as if they had been packed together. */
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

async function writeZip(
  outDir: string,
  fill: (zip: ZipWriter<unknown>) => Promise<Manifest>,
): Promise<string> {
  const path = join(outDir, 'pages.zip')
  const zip = new ZipWriter(Writable.toWeb(createWriteStream(path)), { level: 0, useWebWorkers: false })
  const manifest = await fill(zip)
  await zip.add(manifestName, new TextReader(`${JSON.stringify(manifest, null, 2)}\n`))
  await zip.close()
  return path
}

/** The files as they stand there, and what is said of them. */
async function copyPages(path: string, zip: ZipWriter<unknown>): Promise<Manifest> {
  let manifest = ''
  await zip.appendZip(new BlobReader(await openAsBlob(path)), {
    filter: async (entry) => {
      if (entry.filename !== manifestName || entry.directory) return true
      manifest = await entry.getData(new TextWriter())
      return false
    },
  })
  return Manifest.parse(JSON.parse(manifest))
}
