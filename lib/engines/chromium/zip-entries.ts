import { openAsBlob } from 'node:fs'
import { BlobReader, type FileEntry, ZipReader } from '@zip.js/zip.js'
import {
  archiveTooLargeError,
  maxEntries,
  maxUnpackedBytesFor,
  tooManyEntriesError,
} from '../../formats/archive-limits.ts'

/** The files of a ZIP, each read on demand. */
export interface ZipEntries {
  /** Returns undefined if no file has this name. @throws AppError FILE_TOO_LARGE. */
  read(name: string): Promise<Buffer | undefined>
}

/** A browser cannot show an ebook with more data. */
const maxUnpackedBytes = 1024 ** 3

/** @throws Error when the directory of the archive is damaged; AppError FILE_TOO_LARGE. */
export async function openZipEntries(path: string, size: number): Promise<ZipEntries> {
  const reader = new ZipReader(new BlobReader(await openAsBlob(path)), { useWebWorkers: false })
  const entries = new Map<string, FileEntry>()
  for await (const entry of reader.getEntriesGenerator()) {
    if (!entry.directory) entries.set(entry.filename, entry)
    if (entries.size > maxEntries) throw tooManyEntriesError()
  }
  const limit = Math.min(maxUnpackedBytes, maxUnpackedBytesFor(size))
  let bytesLeft = limit
  return {
    async read(name) {
      const entry = entries.get(name)
      if (!entry) return undefined
      const chunks: Uint8Array[] = []
      // The size in the directory may be wrong, so count the actual bytes.
      const sink = new WritableStream<Uint8Array>({
        write(chunk) {
          bytesLeft -= chunk.length
          if (bytesLeft < 0) throw archiveTooLargeError(limit)
          chunks.push(chunk)
        },
      })
      await entry.getData(sink)
      return Buffer.concat(chunks)
    },
  }
}
