import { AppError } from '../errors.ts'
import { type FormatId, formatById } from '../formats/index.ts'

/**
 * The file is whole, but has something that this engine does not know; another one may read it.
 * @param feature as `LZMA compression`.
 */
export function unsupportedFeatureError(format: FormatId, feature: string, cause?: unknown): AppError {
  const sentence = `The ${formatById(format).name} (${format}) has ${feature}, which cannot be read here. Save it without and send it again.`
  return new AppError(
    'UNSUPPORTED_FORMAT',
    sentence,
    { field: 'file', format, reason: 'feature', feature },
    { cause },
  )
}
