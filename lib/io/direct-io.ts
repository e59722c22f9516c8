import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/**
 * Files up to this size pass through the page cache, where the next reader finds them. Larger files bypass it, as does
 * the rest of a file whose size is unknown. Bypassing the cache takes only a third of the work, leaves nothing to
 * flush, and does not displace frequently read data from memory.
 */
export const maxCachedFileBytes = 128 << 20

/** The strictest alignment that O_DIRECT requires, in memory and in the file. */
export const directIoAlignment = 4096

/** Allocates page-aligned memory: V8 allocates whole pages for a resizable buffer. */
export const allocateAligned = (bytes: number): ArrayBuffer =>
  new ArrayBuffer(bytes, { maxByteLength: bytes })

/** Opens a file with O_DIRECT; returns undefined on file systems that do not support it, such as tmpfs. */
export const openDirect = (path: string, access: 'read' | 'write'): Promise<FileHandle | undefined> =>
  open(path, constants.O_DIRECT | (access === 'read' ? constants.O_RDONLY : constants.O_WRONLY)).catch(
    ignoreUnsupported,
  )

/** Returns undefined for an error that says that O_DIRECT is not supported. @throws any other error. */
export function ignoreUnsupported(error: unknown): undefined {
  const isInvalid =
    error instanceof Error && 'code' in error && /^(?:EINVAL|ENOTSUP)$/.test(String(error.code))
  if (!isInvalid) throw error
}
