import { AppError } from '../../errors.ts'
import { type FormatId, formatById } from '../../formats/index.ts'
import { EngineCrash } from '../sandbox/engine-crash.ts'
import { ProcessFailure } from '../sandbox/exec.ts'

/** Turns the words of calibre into what the client can do something about. */
export function bookError(error: unknown, format: FormatId): unknown {
  if (!(error instanceof ProcessFailure)) {
    // It is Python: what ends it from outside is its memory, and a further attempt ends the same way.
    return error instanceof EngineCrash ? corruptBook(format, error) : error
  }
  if (format === 'pdf' && /encrypted|password/i.test(error.stderr)) {
    const sentence = 'The PDF needs a password. Remove it by the tool decrypt-pdf first.'
    return new AppError('PDF_ENCRYPTED', sentence, { field: 'file' }, { cause: error })
  }
  if (/DRM/.test(error.stderr)) {
    const sentence =
      'The book is protected by its seller (DRM), so it cannot be converted. Send a copy without protection.'
    return new AppError('UNSUPPORTED_FORMAT', sentence, { field: 'file', reason: 'drm' }, { cause: error })
  }
  return corruptBook(format, error)
}

export function corruptBook(format: FormatId, cause: Error): AppError {
  const sentence = `The ${formatById(format).name} (${format}) could not be read: it is damaged, or no book of that kind.`
  return new AppError('CORRUPT_FILE', sentence, { field: 'file', format }, { cause })
}
