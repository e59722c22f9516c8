import { AppError } from '../../errors.ts'

const MB = 1024 * 1024

/** Whatever the archive: the disk of a function holds the archive, what comes out of it and the result. */
const mostBytes = 4096 * MB
/** Small archives of logs or zeros may unpack to a multiple that would be a bomb in a larger one. */
const alwaysAllowedBytes = 64 * MB
const mostRatio = 500

export const mostEntries = 10_000
/** Folders in folders: programs recurse over them. */
export const mostDepth = 32

/** Bytes that an archive of this size may unpack to. */
export function allowedBytes(archiveBytes: number): number {
  return Math.min(mostBytes, Math.max(alwaysAllowedBytes, archiveBytes * mostRatio))
}

export function tooLarge(limitBytes: number, cause?: unknown): AppError {
  const limitMb = Math.floor(limitBytes / MB)
  const sentence = `The archive would unpack to more than ${limitMb} MB, which is the limit for an archive of its size.`
  return new AppError('FILE_TOO_LARGE', sentence, { field: 'file', limitMb }, { cause })
}

export function tooMany(cause?: unknown): AppError {
  const sentence = `The archive has more than ${mostEntries} entries. Split it into smaller ones.`
  return new AppError('FILE_TOO_LARGE', sentence, { field: 'file', limit: mostEntries }, { cause })
}
