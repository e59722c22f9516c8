import type { ErrorCode } from './api-constants.ts'
import type { Job } from './api-types.ts'

/** A code of the service, or what only a client can know. */
export type FailureCode =
  | ErrorCode
  /** Nothing answered, or nothing that the service would say. */
  | 'UNREACHABLE'
  /** A wait ended before the job did. */
  | 'WAIT_ENDED'
  /** What arrived is not what was sent. */
  | 'DAMAGED'

interface FailureDetails {
  /** HTTP status; 0 where nothing answered. */
  readonly status?: number
  readonly details?: Readonly<Record<string, unknown>> | undefined
  readonly requestId?: string | undefined
  readonly retryAfterS?: number | undefined
  readonly job?: Job | undefined
  readonly cause?: unknown
}

/** Everything that goes wrong between a program and the service, told by its `code`. */
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

/** Whether something thrown is a failure of one of these codes, or of any when none is named. */
export const isFailure = (thrown: unknown, ...codes: readonly FailureCode[]): thrown is MutaborError =>
  thrown instanceof MutaborError && (codes.length === 0 || codes.includes(thrown.code))

interface ErrorReply {
  readonly error?: {
    readonly code?: unknown
    readonly message?: unknown
    readonly details?: Record<string, unknown>
  }
  readonly meta?: { readonly requestId?: string }
}

/** What a reply that is not a success says. */
export async function readFailure(response: Response): Promise<MutaborError> {
  const text = await response.text().catch(() => '')
  const { error, meta } = parseReply(text)
  const retryAfter = response.headers.get('retry-after') || ''
  // Seconds, or a date.
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
    return new MutaborError(error.code as ErrorCode, error.message, details) // a newer service may have newer codes
  // OAuth has a form of its own.
  if (typeof error === 'string') return new MutaborError('INVALID_REQUEST', error, details)
  const storage = /<Code>(\w+)<\/Code>/.exec(text)?.[1]
  const storageError = storage ? `: the storage says ${storage}` : ''
  return new MutaborError(
    'UNREACHABLE',
    `No usable answer came (status ${response.status}${storageError}).`,
    details,
  )
}

function parseReply(text: string): ErrorReply {
  try {
    return (JSON.parse(text) ?? {}) as ErrorReply // looked at before it is believed
  } catch {
    return {}
  }
}
