import { AppError } from '../errors.ts'
import type { JobError } from './job.ts'

/** It may go well in a while; `forClient` is what is told when it does not. */
export class PassingError extends Error {
  readonly forClient: AppError
  readonly againInS: number

  constructor(forClient: AppError, againInS: number) {
    super(forClient.message, { cause: forClient })
    this.forClient = forClient
    this.againInS = againInS
  }
}

/** What the client hears of it, of anything but an AppError when the last attempt ended by it. */
export function errorForClient(error: unknown): JobError {
  if (error instanceof PassingError) return errorForClient(error.forClient)
  if (!(error instanceof AppError)) return brokeDown
  const { code, message, details } = error
  return { code, message, ...(details && { details: { ...details } }) }
}

const brokeDown: JobError = {
  code: 'CONVERSION_FAILED',
  message:
    'The engine broke down on this file, three times. The file may be damaged or need more memory than one conversion gets.',
}
