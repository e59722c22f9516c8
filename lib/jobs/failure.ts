import { AppError } from '../errors.ts'
import type { JobError } from './job.ts'

/** It may go well in a while; `forClient` is what is told when it does not. */
export class TransientError extends Error {
  readonly clientError: AppError
  readonly retryInS: number

  constructor(clientError: AppError, retryInS: number) {
    super(clientError.message, { cause: clientError })
    this.clientError = clientError
    this.retryInS = retryInS
  }
}

/** What the client hears of it, of anything but an AppError when the last attempt ended by it. */
export function toClientError(error: unknown): JobError {
  if (error instanceof TransientError) return toClientError(error.clientError)
  if (!(error instanceof AppError)) return engineCrashed
  const { code, message, details } = error
  return { code, message, ...(details && { details: { ...details } }) }
}

const engineCrashed: JobError = {
  code: 'CONVERSION_FAILED',
  message:
    'The engine broke down on this file, three times. The file may be damaged or need more memory than one conversion gets.',
}
