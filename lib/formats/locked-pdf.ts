import { AppError } from '../errors.ts'
import { defined } from '../validation/defined.ts'

/** The encrypted PDF and its password field, as named in errors. */
interface LockedPdf {
  /** File name; set if there are several files. */
  readonly filename?: string | undefined
  /** The field for the password; `password` by default. */
  readonly field?: string | undefined
}

const describePdf = ({ filename }: LockedPdf) => (filename === undefined ? 'The PDF' : `The PDF ${filename}`)

const createDetails = ({ filename, field = 'password' }: LockedPdf) => ({
  field,
  ...defined({ filename }),
})

export const createPdfPasswordMissingError = (pdf: LockedPdf = {}) =>
  new AppError(
    'PDF_ENCRYPTED',
    `${describePdf(pdf)} is encrypted. Send its password in the field \`${pdf.field ?? 'password'}\`.`,
    createDetails(pdf),
  )

export const createPdfPasswordWrongError = (pdf: LockedPdf = {}, cause?: unknown) =>
  new AppError(
    'PDF_ENCRYPTED',
    `${describePdf(pdf)} cannot be opened with the password in the field \`${pdf.field ?? 'password'}\`. Send the correct password.`,
    createDetails(pdf),
    { cause },
  )

/** Creates the error for conversions that do not support passwords. */
export const createPdfMustBeDecryptedError = (cause: AppError) =>
  new AppError(
    'PDF_ENCRYPTED',
    'The PDF is encrypted, and this conversion does not support passwords. Decrypt it first with toolOperation=decrypt-pdf and its password.',
    { field: 'file', hint: 'toolOperation=decrypt-pdf' },
    { cause },
  )
