import { type ErrorCode, errorCatalog } from './error-catalog.ts'

export type { ErrorCode } from './error-catalog.ts'

export type ErrorDetails = Readonly<Record<string, unknown>>

/**
 * An error that a client may see. The message says which field is wrong, what was expected, what was sent and what to
 * do; it never contains a path, a command line or a stack trace. `cause` is for maintainers.
 */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails | undefined

  constructor(code: ErrorCode, sentence: string, details?: ErrorDetails, options?: ErrorOptions) {
    super(sentence, options)
    this.name = 'AppError'
    this.code = code
    this.details = details
  }

  get status(): number {
    return errorCatalog[this.code].status
  }
}

/** Default value of `Retry-After` in seconds while a part of the service is unavailable. */
const defaultRetryAfterS = 10

/** Returns the seconds for Retry-After: for every 503, and for other errors that have `retryAfter` in their details. */
export function getRetryAfterS({
  status,
  details,
}: Pick<AppError, 'status' | 'details'>): number | undefined {
  const retryAfterS = details?.['retryAfter']
  if (typeof retryAfterS === 'number') return retryAfterS
  return status === 503 ? defaultRetryAfterS : undefined
}
