import { openAsBlob } from 'node:fs'
import { BlobReader, type FileEntry, ZipReader } from '@zip.js/zip.js'
import { allowedBytes, mostEntries, tooLarge, tooMany } from '../seven-zip/limits.ts'

/** The files of a ZIP, each read when it is asked for. */
export interface ZipParts {
  /** Undefined where there is none of this name. @throws AppError FILE_TOO_LARGE. */
  read(name: string): Promise<Buffer | undefined>
}

/** More of one book is nothing that a browser could show. */
const mostBytes = 1024 ** 3

/** @throws Error when the directory of the archive is damaged; AppError FILE_TOO_LARGE. */
export async function openZip(path: string, size: number): Promise<ZipParts> {
  const reader = new ZipReader(new BlobReader(await openAsBlob(path)), { useWebWorkers: false })
  const entries = new Map<string, FileEntry>()
  for await (const entry of reader.getEntriesGenerator()) {
    if (!entry.directory) entries.set(entry.filename, entry)
    if (entries.size > mostEntries) throw tooMany()
  }
  const limit = Math.min(mostBytes, allowedBytes(size))
  let left = limit
  return {
    async read(name) {
      const entry = entries.get(name)
      if (!entry) return undefined
      const chunks: Uint8Array[] = []
      // What the directory says of its size need not be so.
      const sink = new WritableStream<Uint8Array>({
        write(chunk) {
          left -= chunk.length
          if (left < 0) throw tooLarge(limit)
          chunks.push(chunk)
        },
      })
      await entry.getData(sink)
      return Buffer.concat(chunks)
    },
  }
}
