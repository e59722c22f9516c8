import { AppError } from '../errors.ts'

/** What is said of a PDF that does not open, wherever it comes to light. */
export interface LockedPdf {
  /** Of several files it tells which. */
  readonly filename?: string | undefined
  /** The field for its password, where that is not `password`. */
  readonly field?: string | undefined
}

const describePdf = ({ filename }: LockedPdf) => (filename === undefined ? 'The PDF' : `The PDF ${filename}`)

const detailsOf = ({ filename, field = 'password' }: LockedPdf) => ({
  field,
  ...(filename !== undefined && { filename }),
})

export const pdfPasswordMissing = (pdf: LockedPdf = {}) =>
  new AppError(
    'PDF_ENCRYPTED',
    `${describePdf(pdf)} needs a password to open: send it as \`${pdf.field ?? 'password'}\`.`,
    detailsOf(pdf),
  )

export const pdfPasswordWrong = (pdf: LockedPdf = {}, cause?: unknown) =>
  new AppError(
    'PDF_ENCRYPTED',
    `${describePdf(pdf)} does not open with the password that came as \`${pdf.field ?? 'password'}\`. Send the right one.`,
    detailsOf(pdf),
    { cause },
  )

/** For conversions that take no password, so that nobody sends one in vain. */
export const pdfMustBeDecrypted = (cause: AppError) =>
  new AppError(
    'PDF_ENCRYPTED',
    'The PDF needs a password to open, and this conversion does not read one: send the file with toolOperation=decrypt-pdf and its password first.',
    { field: 'file', hint: 'toolOperation=decrypt-pdf' },
    { cause },
  )
