import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/**
 * A file of up to so many bytes passes through the page cache when it comes or goes, where whoever reads it next finds it;
 * a larger one goes from memory to the disk and back by itself, and so does what is beyond them of a file whose size nobody
 * has told. That is a third of the work, nothing is left to flush, and what others read often stays in memory.
 */
export const maxCachedFileBytes = 128 << 20

/** What the system asks of the places of such bytes, in memory and in the file, at most. */
export const directIoAlignment = 4096

/** Memory that begins where a page does: for what could grow V8 takes whole pages. */
export const allocateAligned = (bytes: number): ArrayBuffer =>
  new ArrayBuffer(bytes, { maxByteLength: bytes })

/** Undefined on file systems that only live in memory. */
export const openDirect = (path: string, access: 'read' | 'write'): Promise<FileHandle | undefined> =>
  open(path, constants.O_DIRECT | (access === 'read' ? constants.O_RDONLY : constants.O_WRONLY)).catch(
    undefinedIfUnsupported,
  )

/** @throws any other error. */
export function undefinedIfUnsupported(error: unknown): undefined {
  const isInvalid =
    error instanceof Error && 'code' in error && /^(?:EINVAL|ENOTSUP)$/.test(String(error.code))
  if (!isInvalid) throw error
}
