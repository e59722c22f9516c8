import { AppError } from '../../errors.ts'
import { type FormatId, formatById } from '../../formats/index.ts'
import { EngineCrash } from '../sandbox/engine-crash.ts'
import { ProcessFailure } from '../sandbox/exec.ts'

/** Translates calibre's errors into errors that the client can act on. */
export function toEbookError(error: unknown, format: FormatId): unknown {
  if (!(error instanceof ProcessFailure)) {
    // A Python process only crashes when it runs out of memory, so another attempt would fail in the same way.
    return error instanceof EngineCrash ? createCorruptEbookError(format, error) : error
  }
  if (format === 'pdf' && /encrypted|password/i.test(error.stderr)) {
    const message = 'The PDF needs a password. Remove the password with the tool decrypt-pdf first.'
    return new AppError('PDF_ENCRYPTED', message, { field: 'file' }, { cause: error })
  }
  if (/DRM/.test(error.stderr)) {
    const message = 'The ebook is protected with DRM, so it cannot be converted. Send a copy without DRM.'
    return new AppError('UNSUPPORTED_FORMAT', message, { field: 'file', reason: 'drm' }, { cause: error })
  }
  return createCorruptEbookError(format, error)
}

export function createCorruptEbookError(format: FormatId, cause: Error): AppError {
  const message = `The ${formatById(format).name} (${format}) could not be read: it is damaged or not an ebook of that format.`
  return new AppError('CORRUPT_FILE', message, { field: 'file', format }, { cause })
}
