import { openByPath } from '../../binary/random-access.ts'
import { openZipArchive } from '../../binary/zip.ts'
import {
  createArchiveTooLargeError,
  createTooManyEntriesError,
  getMaxUnpackedBytes,
  maxEntries,
} from '../../formats/archive-limits.ts'

/** The files of a ZIP, each read on demand. */
export interface ZipEntries {
  /** Returns undefined if no file has this name. @throws AppError FILE_TOO_LARGE. */
  read(name: string): Promise<Buffer | undefined>
}

/** Limit for the unpacked files of one ebook, more than a browser can show. */
const maxUnpackedBytes = 1024 ** 3

/** @throws Error when the directory of the archive is damaged; AppError FILE_TOO_LARGE. */
export async function openZipEntries(path: string, size: number): Promise<ZipEntries> {
  const zip = await openZipArchive(await openByPath(path), maxEntries)
  if (zip.hasMoreEntries) throw createTooManyEntriesError()
  const limitBytes = Math.min(maxUnpackedBytes, getMaxUnpackedBytes(size))
  let bytesLeft = limitBytes
  return {
    async read(name) {
      const entry = zip.files.get(name)
      if (!entry) return undefined
      bytesLeft -= entry.uncompressedSize
      if (bytesLeft < 0) throw createArchiveTooLargeError(limitBytes)
      return zip.read(entry, limitBytes)
    },
  }
}
