import { AppError } from '../errors.ts'
import type { FormatId } from './index.ts'

/** What is said of an office file that does not open, whatever its kind and wherever it comes to light. */

/** Programs of these encrypt what they save with a password. */
export const lockableFormats: readonly FormatId[] = [
  ...(['docx', 'docm', 'dotx', 'dotm', 'doc', 'dot', 'odt', 'ott'] as const),
  ...(['xlsx', 'xlsm', 'xlsb', 'xltx', 'xltm', 'xls', 'xlt', 'ods', 'ots'] as const),
  ...(['pptx', 'pptm', 'ppsx', 'potx', 'potm', 'ppt', 'pps', 'pot', 'odp', 'otp', 'odg', 'otg'] as const),
]

export const isLockable = (id: FormatId): boolean => lockableFormats.includes(id)

export const documentLocked = (cause?: Error) =>
  new AppError(
    'FILE_ENCRYPTED',
    'The document needs a password to open: send it as `password`.',
    { field: 'password', reason: 'password-needed' },
    { cause },
  )

export const documentStaysLocked = (cause?: Error) =>
  new AppError(
    'FILE_ENCRYPTED',
    'The password does not open this document. Check it and send it again.',
    { field: 'password', reason: 'wrong-password' },
    { cause },
  )

/** By rights management, certificates, or a way that nobody here knows. */
export const documentLockUnknown = (cause?: Error) =>
  new AppError(
    'FILE_ENCRYPTED',
    'The document is protected in a way that no password opens here. Save it without protection and send it again.',
    { field: 'file', reason: 'unknown-protection' },
    { cause },
  )
