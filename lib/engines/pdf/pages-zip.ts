import { createWriteStream, openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Writable } from 'node:stream'
import { BlobReader, configure, TextReader, ZipWriter } from '@zip.js/zip.js'
import type { PageFile } from './page-files.ts'

// Pages are megabytes: with the usual 64 KiB a quarter of the time goes into pieces.
configure({ chunkSize: 1024 * 1024 })

/** One ZIP of the pages and a `manifest.json` that says which file is which page and how it was made. */
export async function zipPages(
  outDir: string,
  pages: readonly PageFile[],
  parameters: Readonly<Record<string, unknown>>,
): Promise<string> {
  const path = join(outDir, 'pages.zip')
  const zip = new ZipWriter(Writable.toWeb(createWriteStream(path)), { level: 0, useWebWorkers: false })
  const listed = []
  for (const { page, path: file } of pages) {
    await zip.add(basename(file), new BlobReader(await openAsBlob(file)))
    listed.push({ page, file: basename(file), size: (await stat(file)).size })
  }
  await zip.add(
    'manifest.json',
    new TextReader(`${JSON.stringify({ parameters, pages: listed }, null, 2)}\n`),
  )
  await zip.close()
  return path
}
