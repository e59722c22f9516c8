/** The file needs more time, memory or data than the service spends on counting one file. */
export class CountingStopped extends Error {
  override readonly name = 'CountingStopped'
}

/** Offsets outside the file, and streams that zlib cannot decompress: an engine may still read the file. */
export const isUnreadable = (error: unknown): boolean => error instanceof RangeError || isZlibError(error)

const isZlibError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(?:Z_|ERR_)/.test(String(error.code))
