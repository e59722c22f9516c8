/** The file needs more time, memory or data than the service spends on counting one file. */
export class CountingStoppedError extends Error {
  override readonly name = 'CountingStoppedError'
}

/**
 * Whether an error means that this reader cannot read the file, for example because of an offset outside the file or a
 * damaged stream. An engine may still be able to read the file.
 */
export const isUnreadable = (error: unknown): boolean =>
  error instanceof RangeError || isCompressionError(error)

const isCompressionError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(?:Z_|ZSTD_|ERR_)/.test(String(error.code))
