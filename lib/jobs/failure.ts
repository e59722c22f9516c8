import { AppError } from '../errors.ts'
import type { JobError } from '../model/job.ts'
import { defined } from '../validation/defined.ts'

/** A failure that a retry may fix; `clientError` is reported if all retries fail. */
export class TransientError extends Error {
  readonly clientError: AppError
  readonly retryInS: number

  constructor(clientError: AppError, retryInS: number) {
    super(clientError.message, { cause: clientError })
    this.clientError = clientError
    this.retryInS = retryInS
  }
}

/**
 * Returns the error that a client sees when no attempt follows. Anything but an `AppError` or a `TransientError` is
 * reported as an engine crash.
 */
export function toClientError(error: unknown): JobError {
  if (error instanceof TransientError) return toClientError(error.clientError)
  if (!(error instanceof AppError)) return engineCrashedError
  const { code, message, details } = error
  return { code, message, ...defined({ details: details && { ...details } }) }
}

const engineCrashedError: JobError = {
  code: 'CONVERSION_FAILED',
  message:
    'The engine crashed three times on this file. The file may be damaged or need more memory than a conversion can use.',
}
