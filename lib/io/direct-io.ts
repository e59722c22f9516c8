import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/**
 * Files of up to this size pass through the page cache, where the next reader finds them. Larger files bypass it, and
 * so does the rest of a file whose size is unknown: that is a third of the work, leaves nothing to flush, and keeps
 * what others read often in memory.
 */
export const maxCachedFileBytes = 128 << 20

/** The strictest alignment that O_DIRECT requires, in memory and in the file. */
export const directIoAlignment = 4096

/** Allocates page-aligned memory: V8 allocates whole pages for a buffer that could grow. */
export const allocateAligned = (bytes: number): ArrayBuffer =>
  new ArrayBuffer(bytes, { maxByteLength: bytes })

/** Opens a file with O_DIRECT. Undefined on file systems without it, such as tmpfs. */
export const openDirect = (path: string, access: 'read' | 'write'): Promise<FileHandle | undefined> =>
  open(path, constants.O_DIRECT | (access === 'read' ? constants.O_RDONLY : constants.O_WRONLY)).catch(
    ignoreUnsupported,
  )

/** @throws any other error. */
export function ignoreUnsupported(error: unknown): undefined {
  const isInvalid =
    error instanceof Error && 'code' in error && /^(?:EINVAL|ENOTSUP)$/.test(String(error.code))
  if (!isInvalid) throw error
}
