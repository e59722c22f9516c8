import { AppError } from '../../errors.ts'
import type { FormatId } from '../../formats/index.ts'
import { EngineCrash } from '../sandbox/engine-crash.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { createFeatureError } from '../unsupported-feature.ts'
import { maxPixels, timeoutS } from './limits.ts'

/** Translates errors of libvips and its helper programs into errors that the client can act on. */
export function toImageError(error: unknown, format: FormatId): unknown {
  if (!(error instanceof Error) || error instanceof AppError) return error
  // A failed or crashed program or a full disk says nothing about the file.
  if (error instanceof ProcessFailure || error instanceof EngineCrash || 'errno' in error) return error
  const { message } = error
  if (/pixel limit/i.test(message)) {
    const sentence = `The image has more pixels than the limit of ${Math.floor(maxPixels / 1e6)} megapixels.`
    return new AppError('FILE_TOO_LARGE', sentence, { maxPixels }, { cause: error })
  }
  if (/entity amplification|entity reference loop/i.test(message)) {
    const sentence = 'The drawing uses XML entities that expand to too much data. Save it without entities.'
    return new AppError('FILE_TOO_LARGE', sentence, { field: 'file' }, { cause: error })
  }
  if (/too large for|maximum .{0,99}dimension|dimensions? (is|are) too large/i.test(message)) {
    const sentence = 'The image is too large for the target format; request a smaller width or height.'
    return new AppError('CONVERSION_FAILED', sentence, undefined, { cause: error })
  }
  if (/timeout/i.test(message)) {
    const sentence = `Processing the image exceeded the time limit of ${timeoutS} seconds. Send a smaller one, or request fewer pixels.`
    return new AppError('TIMEOUT', sentence, undefined, { cause: error })
  }
  const feature = findUnsupportedFeature(message)
  return feature === undefined
    ? createCorruptImageError(format, error)
    : createFeatureError(format, feature, error)
}

/** Messages of libvips and libtiff about features of an intact image that they do not support; `$1` is the match. */
const unsupportedFeatures: readonly (readonly [RegExp, feature: string])[] = [
  [/\b([\w-]{2,16}) compression support is not configured/, '$1 compression'],
  [/bad labq format/, 'Lab colors'],
  [
    /samples_per_pixel not a whole number|samples out of range|unsupported tiff image type/,
    'an unusual depth',
  ],
  [/unknown photometric interpretation|not a PLANARCONFIG_SEPARATE/, 'unusual colors'],
]

function findUnsupportedFeature(message: string): string | undefined {
  for (const [pattern, feature] of unsupportedFeatures) {
    const match = pattern.exec(message)
    if (match) return feature.replace('$1', match[1] ?? '')
  }
  return undefined
}

export function createCorruptImageError(format: FormatId, cause?: Error): AppError {
  return new AppError('CORRUPT_FILE', `The ${format} image is damaged or incomplete.`, { format }, { cause })
}
