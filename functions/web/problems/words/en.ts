import type { ErrorCode } from '../../../../lib/error-catalog.ts'
import { pluralIn } from '../../words/plural.ts'

const plural = pluralIn('en')

/** What happened and what to do, for each error code of the service. Every other language has the same keys. */

const reloadAndRetry = 'Reload the page and try again.'

const texts: Readonly<Record<ErrorCode, string>> = {
  INVALID_API_KEY: 'Your session is no longer valid. Sign in again.',
  AUTHENTICATION_REQUIRED: 'Sign in to continue.',
  INSUFFICIENT_PERMISSIONS: 'You don’t have access to this. Sign in with the account that it belongs to.',
  RATE_LIMITED:
    'You have reached a limit of this service. Wait a minute and try again. The Usage page shows your limits.',
  INVALID_INPUT: 'One of the values isn’t valid. Correct it and try again.',
  INVALID_REQUEST: 'The service doesn’t understand this input. Correct it and try again.',
  FILE_TOO_LARGE: 'The file is too large. Choose a smaller file, or split it first.',
  UNSUPPORTED_FORMAT:
    'We don’t know this file type. Check that the file name has the right extension, or save the file in another format.',
  UNSUPPORTED_CONVERSION: 'This file can’t be converted to that format. Choose another format.',
  FORMAT_NOT_FOUND: 'There is no such format. Choose one from the list.',
  JOB_NOT_FOUND: 'This conversion was deleted or has expired. Convert the file again.',
  TASK_NOT_FOUND: 'This result no longer exists. Convert the file again.',
  CONVERSION_FAILED:
    'The file could not be converted. Try another format, or open the file, save it again and retry.',
  CORRUPT_FILE:
    'The file is damaged, incomplete, or not of the type that its name says. Open it in the program that created it, save it again and retry.',
  TIMEOUT: 'The conversion took too long. Try a smaller file, fewer pages or a shorter part.',
  INSUFFICIENT_DISK_SPACE:
    'The server is running out of disk space. Try again in a few minutes, or delete old results.',
  STORAGE_NOT_CONFIGURED:
    'The server can’t store files right now. Try again later, or tell the operator of this service.',
  NO_FILES: 'No file was sent. Choose a file and try again.',
  FILE_GONE: 'The files have expired and were deleted. Choose the file again.',
  EXPIRED: 'This link has expired. Reload the page to get a new one.',
  PDF_ENCRYPTED: 'This PDF is protected. Enter its password to continue.',
  DRIVE_NOT_CONFIGURED:
    'This cloud drive isn’t set up here. Download the file from the drive and add it from your device.',
  NOT_FOUND: `This was not found. ${reloadAndRetry}`,
  METHOD_NOT_ALLOWED: `The service doesn’t support this. ${reloadAndRetry}`,
  NOT_ACCEPTABLE: `The service doesn’t support this. ${reloadAndRetry}`,
  CONFLICT: `Something has changed in the meantime. ${reloadAndRetry}`,
  UNSUPPORTED_MEDIA_TYPE: `The service doesn’t support this. ${reloadAndRetry}`,
  HEADERS_TOO_LARGE: 'The request is too long. Delete the cookies of this page and try again.',
  IDEMPOTENCY_KEY_REUSED: `This request conflicts with an earlier one. ${reloadAndRetry}`,
  IDEMPOTENCY_IN_PROGRESS: 'The same request is still in progress. Wait a few seconds and try again.',
  UPLOAD_NOT_FOUND: 'The upload has expired. Choose the file again.',
  UPLOAD_INCOMPLETE: 'The upload did not finish. Check your connection and try again.',
  WEBHOOK_NOT_FOUND: 'This webhook no longer exists. Reload the page.',
  WORKFLOW_NOT_FOUND: 'This workflow no longer exists. Reload the page.',
  API_KEY_NOT_FOUND: 'This API key no longer exists. Reload the page.',
  URL_NOT_ALLOWED: 'The service can’t use this link. Enter a public link that starts with https://.',
  DRIVE_NOT_CONNECTED: 'The drive isn’t connected. Connect it and try again.',
  INVALID_SIGNATURE: 'This link was changed or is incomplete. Copy the whole link, or ask for a new one.',
  SERVICE_UNAVAILABLE: 'The service is busy right now. Try again in a few seconds.',
  FILE_ENCRYPTED: 'This file is protected. Enter its password to continue, or save it without protection.',
  IMPORT_FAILED:
    'The file could not be fetched from this link or drive. Check that it still exists and can be opened by others.',
  EXPORT_FAILED:
    'The result could not be saved to its destination. Check the connection to it, or download the result.',
  INTERNAL_ERROR: 'Something went wrong on the server. Try again; if it keeps failing, tell the operator.',
}

export default {
  texts,
  tooLarge: (size: string, max: string) =>
    `The file is ${size}, but the limit is ${max}. Choose a smaller file, or split it first.`,
  maxSize: (max: string) =>
    `The file is too large: the limit is ${max}. Choose a smaller file, or split it first.`,
  retryIn: (seconds: number) =>
    seconds < 90
      ? `Too many requests. Try again in ${seconds} s.`
      : `You have reached a limit of this service. Try again in ${Math.ceil(seconds / 60)} min. The Usage page shows your limits.`,
  wrongPassword: 'This password doesn’t open the file. Check it and try again.',
  /** Shown at the field of an option, followed by a description of the possible values. */
  fieldProblem: (label: string, value: string, rule: string) =>
    value === '' ? `${label}: ${rule}` : `${label} can’t be “${value}”. ${rule}`,
  reasons: {
    afterEnd: (length: string) => `The file is ${length} long: choose an earlier time.`,
    noSuchPage: (pages: number) => `The document has ${plural(pages, 'page', 'pages')}.`,
    tooManyImages: (max: number) =>
      `The layout has room for ${max} images: choose another layout, or fewer images.`,
    endBeforeStart: 'Choose a time after the start.',
    allPages: 'At least one page must remain.',
    noRoom: 'The margins leave no room on the page: choose smaller ones, or larger paper.',
    tooManyPixels: 'The image would have too many pixels: choose a lower resolution.',
    nothingToDo: 'Fill in at least one field.',
    eitherOr: 'Only one of these fields can be used: clear this field or the other one.',
    signed: 'The PDF is signed. Select this to change it anyway; its signatures then become invalid.',
    noMatch: 'No file in the archive matches.',
  },
}
