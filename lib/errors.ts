import { type ErrorCode, errorCatalog } from './error-catalog.ts'

export type { ErrorCode } from './error-catalog.ts'

export type ErrorDetails = Readonly<Record<string, unknown>>

/**
 * An error that a client may see. The sentence names the field, what was expected, what came and the way out;
 * it never holds a path, a command line or a stack trace. What a maintainer needs goes into `cause`.
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

/** Seconds after which it is worth asking again when a part of the service is away. */
const defaultRetryAfterS = 10

/** Every 503 says when to ask again, whoever answers it; other errors where they know. */
export function retryAfterOf({ status, details }: Pick<AppError, 'status' | 'details'>): number | undefined {
  const known = details?.['retryAfter']
  if (typeof known === 'number') return known
  return status === 503 ? defaultRetryAfterS : undefined
}
