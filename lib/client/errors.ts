import type { ErrorCode } from './api-constants.ts'
import type { Job } from './api-types.ts'

/** An error code of the service, or one that only the client can raise. */
export type FailureCode =
  | ErrorCode
  /** There was no response, or it did not come from the service. */
  | 'UNREACHABLE'
  /** The wait timed out before the job finished. */
  | 'WAIT_ENDED'
  /** The received bytes differ from those the service sent. */
  | 'DAMAGED'

interface FailureDetails {
  /** HTTP status; 0 without a response. */
  readonly status?: number
  readonly details?: Readonly<Record<string, unknown>> | undefined
  readonly requestId?: string | undefined
  readonly retryAfterS?: number | undefined
  readonly job?: Job | undefined
  readonly cause?: unknown
}

/** Any failure of a request or a job; `code` says which one. */
export class MutaborError extends Error {
  readonly code: FailureCode
  readonly status: number
  readonly details: Readonly<Record<string, unknown>>
  readonly requestId: string | undefined
  readonly retryAfterS: number | undefined
  /** The job that failed. */
  readonly job: Job | undefined

  constructor(code: FailureCode, message: string, details: FailureDetails = {}) {
    super(message, { cause: details.cause })
    this.name = 'MutaborError'
    this.code = code
    this.status = details.status ?? 0
    this.details = details.details ?? {}
    this.requestId = details.requestId
    this.retryAfterS = details.retryAfterS
    this.job = details.job
  }
}

/** Whether a thrown value is a `MutaborError` with one of these codes, or with any code if none is listed. */
export const isFailure = (thrown: unknown, ...codes: readonly FailureCode[]): thrown is MutaborError =>
  thrown instanceof MutaborError && (codes.length === 0 || codes.includes(thrown.code))

interface ErrorFields {
  readonly code?: unknown
  readonly message?: unknown
  readonly details?: Record<string, unknown>
}

/** Body of an error response. Sign-in errors have no envelope: their fields are at the top level. */
interface ErrorReply extends ErrorFields {
  readonly error?: ErrorFields
  readonly meta?: { readonly requestId?: string }
}

/** Creates the error for an unsuccessful response. */
export async function readFailure(response: Response): Promise<MutaborError> {
  const text = await response.text().catch(() => '')
  const reply = parseReply(text)
  const { error = typeof reply.code === 'string' ? reply : undefined, meta } = reply
  const retryAfter = response.headers.get('retry-after') || ''
  // `Retry-After` is a number of seconds or an HTTP date.
  const seconds = /^\d+$/.test(retryAfter)
    ? Number(retryAfter)
    : Math.max(0, (Date.parse(retryAfter) - Date.now()) / 1000)
  const details = {
    status: response.status,
    details: error?.details,
    requestId: meta?.requestId ?? response.headers.get('x-request-id') ?? undefined,
    retryAfterS: Number.isFinite(seconds) ? seconds : undefined,
  }
  if (typeof error?.code === 'string' && typeof error.message === 'string')
    return new MutaborError(error.code as ErrorCode, error.message, details) // a newer service may have more codes
  // OAuth errors have a different format.
  if (typeof error === 'string') return new MutaborError('INVALID_REQUEST', error, details)
  const storageErrorCode = /<Code>(\w+)<\/Code>/.exec(text)?.[1]
  const storageError = storageErrorCode ? `, storage error ${storageErrorCode}` : ''
  return new MutaborError(
    'UNREACHABLE',
    `The response could not be parsed (status ${response.status}${storageError}).`,
    details,
  )
}

function parseReply(text: string): ErrorReply {
  try {
    return (JSON.parse(text) ?? {}) as ErrorReply // checked by the caller
  } catch {
    return {}
  }
}
