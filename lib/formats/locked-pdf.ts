import { AppError } from '../errors.ts'

/** What is said of a PDF that does not open, wherever it comes to light. */

export const passwordMissing = () =>
  new AppError('PDF_ENCRYPTED', 'The PDF needs a password to open: send it as `password`.', {
    field: 'password',
  })

export const passwordWrong = (cause?: Error) =>
  new AppError('PDF_ENCRYPTED', 'The password does not open this PDF.', { field: 'password' }, { cause })

/** For conversions that take no password, so that nobody sends one in vain. */
export const decryptFirst = (cause: AppError) =>
  new AppError(
    'PDF_ENCRYPTED',
    'The PDF needs a password to open, and this conversion does not read one: send the file with toolOperation=decrypt-pdf and its password first.',
    { field: 'file', hint: 'toolOperation=decrypt-pdf' },
    { cause },
  )
