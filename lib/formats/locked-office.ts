import { AppError } from '../errors.ts'
import { type FormatId, formatById, isFormatId } from './index.ts'

// Errors for password-protected office documents of any format.

/** Formats whose programs can encrypt documents with a password. */
export const lockableFormats: readonly FormatId[] = [
  ...(['docx', 'docm', 'dotx', 'dotm', 'doc', 'dot', 'odt', 'ott'] as const),
  ...(['xlsx', 'xlsm', 'xlsb', 'xltx', 'xltm', 'xls', 'xlt', 'ods', 'ots'] as const),
  ...(['pptx', 'pptm', 'ppsx', 'potx', 'potm', 'ppt', 'pps', 'pot', 'odp', 'otp', 'odg', 'otg'] as const),
]

export const canBeLocked = (id: FormatId): boolean => lockableFormats.includes(id)

/** Returns whether a format is Office Open XML; an encrypted file does not reveal which of these formats it has. */
export const isOpenXml = (id: FormatId): boolean =>
  canBeLocked(id) && /^(?:doc|dot|xls|xlt|ppt|pps|pot)[xmb]$/.test(id)

export const createDocumentPasswordMissingError = (cause?: Error) =>
  new AppError(
    'FILE_ENCRYPTED',
    'The document is encrypted. Send its password in the field `password`.',
    { field: 'password', reason: 'password-needed' },
    { cause },
  )

export const createDocumentPasswordWrongError = (cause?: Error) =>
  new AppError(
    'FILE_ENCRYPTED',
    'The document cannot be opened with this password. Check it and send it again.',
    { field: 'password', reason: 'wrong-password' },
    { cause },
  )

/** Creates the error for a file that is protected by rights management, certificates, or an unknown method. */
export const createDocumentProtectionUnknownError = (cause?: Error) =>
  new AppError(
    'FILE_ENCRYPTED',
    'The document is protected with a method that is not supported. Save it without protection and send it again.',
    { field: 'file', reason: 'unknown-protection' },
    { cause },
  )

/** Creates the error for a document whose format, known after decryption, contradicts its file name. */
export const createDocumentKindMismatchError = (namedFormat: FormatId, foundFormat: FormatId) =>
  new AppError(
    'UNSUPPORTED_FORMAT',
    `The document was decrypted. It is ${formatById(foundFormat).name} (${foundFormat}), although its file name says ${namedFormat}. Rename it and send it again.`,
    { field: 'file', namedAs: namedFormat, reason: 'other-kind', found: foundFormat },
  )

/** Returns the actual format of the document from an error by `createDocumentKindMismatchError`. */
export function toDetectedFormat(
  error: { readonly details?: Readonly<Record<string, unknown>> | undefined } | undefined,
): FormatId | undefined {
  const { reason, found } = error?.details ?? {}
  return reason === 'other-kind' && typeof found === 'string' && isFormatId(found) ? found : undefined
}
