/**
 * The bytes of a file contradict its format. The message continues "The file looks like a …, but". Extends
 * `RangeError`, which `Buffer` throws for reads beyond its end, so that callers can treat both alike.
 */
export class DamagedFileError extends RangeError {
  override readonly name: string = 'DamagedFileError'
}

/** The file ends too early, as after an interrupted transfer. */
export class TruncatedFileError extends DamagedFileError {
  override readonly name = 'TruncatedFileError'
}

/** The file may be intact, but has more or larger parts than the reader accepts. */
export class FileLimitError extends RangeError {
  override readonly name = 'FileLimitError'
}

/** The file may be intact, but uses a feature that the reader does not have. */
export class UnsupportedFileError extends RangeError {
  override readonly name = 'UnsupportedFileError'
}
