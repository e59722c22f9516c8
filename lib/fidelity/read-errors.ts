/** The file needs more time, memory or data than the service spends on counting one file. */
export class CountingStoppedError extends Error {
  override readonly name = 'CountingStoppedError'
}

/**
 * Whether the bytes are not readable here, such as for offsets outside the file or damaged streams. An engine may still
 * read the file.
 */
export const isUnreadable = (error: unknown): boolean =>
  error instanceof RangeError || isCompressionError(error)

const isCompressionError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(?:Z_|ZSTD_|ERR_)/.test(String(error.code))
