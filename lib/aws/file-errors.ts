import { AppError } from '../errors.ts'

/** An upload can be overwritten while its URL is valid, and a file can be deleted. Neither error is retried. */

export const createFileOverwrittenError = (filename: string, cause?: unknown): AppError =>
  new AppError(
    'CONFLICT',
    `The file ${filename} was overwritten after the job started to use it. Upload the file again and send a new request.`,
    { reason: 'overwritten', filename },
    { cause },
  )

export const createFileGoneError = (filename: string, cause?: unknown): AppError =>
  new AppError('FILE_GONE', `The file ${filename} was deleted. Send it again.`, { filename }, { cause })

/** Whether the bucket does not exist or access is denied; other errors concern a single object. */
export const isBucketUnavailable = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'NoSuchBucket' || error.name === 'AccessDenied')

/** Maps SDK errors by name to errors that say that the file was changed or deleted. */
export function toFileError(error: unknown, filename: string): AppError | undefined {
  const name = error instanceof Error ? error.name : ''
  if (name === 'PreconditionFailed') return createFileOverwrittenError(filename, error)
  if (name === 'NoSuchKey' || name === 'NotFound') return createFileGoneError(filename, error)
  return undefined
}
