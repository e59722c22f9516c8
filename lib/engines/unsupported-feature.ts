import { AppError } from '../errors.ts'
import { type FormatId, formatById } from '../formats/index.ts'

/**
 * Returns the error for an intact file with a feature that this engine does not support. Another engine may read it.
 * @param feature for example `LZMA compression`
 */
export function createFeatureError(format: FormatId, feature: string, cause?: unknown): AppError {
  const message = `The ${formatById(format).name} (${format}) has ${feature}, which is not supported. Save the file without it and send it again.`
  return new AppError(
    'UNSUPPORTED_FORMAT',
    message,
    { field: 'file', format, reason: 'feature', feature },
    { cause },
  )
}
