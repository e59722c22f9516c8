import { AppError } from '../errors.ts'

const MB = 1024 * 1024

/** Absolute limit: a function's disk must fit the archive, the unpacked files and the result. */
const maxUnpackedBytes = 4096 * MB
/**
 * Every archive may unpack to this size: small archives of logs or zeros may have a ratio that would indicate a zip
 * bomb in larger ones.
 */
const alwaysAllowedBytes = 64 * MB
const maxCompressionRatio = 500

export const maxEntries = 10_000
/** Maximum nesting of folders, because programs process them recursively. */
export const maxDepth = 32

/** Returns how many bytes an archive of this size may unpack to. */
export function getMaxUnpackedBytes(archiveBytes: number): number {
  return Math.min(maxUnpackedBytes, Math.max(alwaysAllowedBytes, archiveBytes * maxCompressionRatio))
}

export function createArchiveTooLargeError(limitBytes: number, cause?: unknown): AppError {
  const limitMb = Math.floor(limitBytes / MB)
  const sentence = `The archive would unpack to more than ${limitMb} MB, which is the limit for an archive of its size.`
  return new AppError('FILE_TOO_LARGE', sentence, { field: 'file', limitMb }, { cause })
}

export function createTooManyEntriesError(cause?: unknown): AppError {
  const sentence = `The archive has more than ${maxEntries} entries. Split it into smaller ones.`
  return new AppError('FILE_TOO_LARGE', sentence, { field: 'file', limit: maxEntries }, { cause })
}
