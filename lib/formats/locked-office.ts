import { AppError } from '../errors.ts'
import { type FormatId, formatById, isFormatId } from './index.ts'

/** What is said of an office file that does not open, whatever its kind and wherever it comes to light. */

/** Programs of these encrypt what they save with a password. */
export const lockableFormats: readonly FormatId[] = [
  ...(['docx', 'docm', 'dotx', 'dotm', 'doc', 'dot', 'odt', 'ott'] as const),
  ...(['xlsx', 'xlsm', 'xlsb', 'xltx', 'xltm', 'xls', 'xlt', 'ods', 'ots'] as const),
  ...(['pptx', 'pptm', 'ppsx', 'potx', 'potm', 'ppt', 'pps', 'pot', 'odp', 'otp', 'odg', 'otg'] as const),
]

export const canBeLocked = (id: FormatId): boolean => lockableFormats.includes(id)

/** Those that show nothing of what they are while they are locked. */
export const isOpenXml = (id: FormatId): boolean =>
  canBeLocked(id) && /^(?:doc|dot|xls|xlt|ppt|pps|pot)[xmb]$/.test(id)

export const documentPasswordMissing = (cause?: Error) =>
  new AppError(
    'FILE_ENCRYPTED',
    'The document needs a password to open: send it as `password`.',
    { field: 'password', reason: 'password-needed' },
    { cause },
  )

export const documentPasswordWrong = (cause?: Error) =>
  new AppError(
    'FILE_ENCRYPTED',
    'The password does not open this document. Check it and send it again.',
    { field: 'password', reason: 'wrong-password' },
    { cause },
  )

/** By rights management, certificates, or a way that nobody here knows. */
export const documentProtectionUnknown = (cause?: Error) =>
  new AppError(
    'FILE_ENCRYPTED',
    'The document is protected in a way that no password opens here. Save it without protection and send it again.',
    { field: 'file', reason: 'unknown-protection' },
    { cause },
  )

/** It was named as another program's, which only the open document shows. */
export const documentKindMismatch = (named: FormatId, found: FormatId) =>
  new AppError(
    'UNSUPPORTED_FORMAT',
    `The password opens the document, but it is ${formatById(found).name} (${found}) and not ${named}, as its name says. Rename it and send it again.`,
    { field: 'file', namedAs: named, reason: 'other-kind', found },
  )

/** What the document is, of an error by `documentOfOtherKind`. */
export function detectedKind(
  error: { readonly details?: Readonly<Record<string, unknown>> | undefined } | undefined,
): FormatId | undefined {
  const { reason, found } = error?.details ?? {}
  return reason === 'other-kind' && typeof found === 'string' && isFormatId(found) ? found : undefined
}
