import { AppError } from '../errors.ts'

/** An upload may be written again as long as its address holds, and a file may be deleted: both are told, not tried again. */

export const fileOverwrittenError = (filename: string, cause?: unknown): AppError =>
  new AppError(
    'CONFLICT',
    `The file ${filename} was overwritten after the job had taken it. Upload the file again and send a new request.`,
    { reason: 'overwritten', filename },
    { cause },
  )

export const fileGoneError = (filename: string, cause?: unknown): AppError =>
  new AppError('FILE_GONE', `The file ${filename} is deleted. Send it again.`, { filename }, { cause })

/** There is no bucket, or no access to it: its other refusals are about one object. */
export const isBucketUnavailable = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'NoSuchBucket' || error.name === 'AccessDenied')

/** By the names that the SDK gives its errors. */
export function toFileError(error: unknown, filename: string): AppError | undefined {
  const name = error instanceof Error ? error.name : ''
  if (name === 'PreconditionFailed') return fileOverwrittenError(filename, error)
  if (name === 'NoSuchKey' || name === 'NotFound') return fileGoneError(filename, error)
  return undefined
}
