import type { MiddlewareStack } from '@smithy/types'

/** A store did not respond in time. Whether it carried out the request is unknown. */
class StoreTimeoutError extends Error {
  override readonly name = 'StoreTimeoutError'
}

/** Timeouts of calls to AWS services, in milliseconds. */
export interface StoreTimeouts {
  /** Timeout of a whole call, including the SDK's retries. */
  readonly callMs: number
  /** Timeout of one attempt, after which the request is retried. */
  readonly attemptMs: number
}

/** Timeouts for background work, which would have to be repeated if a call failed. */
export const backgroundTimeouts: StoreTimeouts = { callMs: 9500, attemptMs: 3000 }
/** Timeouts for requests: a quick "try again later" is better for the client than a long wait. */
export const requestTimeouts: StoreTimeouts = { callMs: 3500, attemptMs: 1700 }

/**
 * After a timeout, calls get only a short timeout for this long, so that the cleanup of a request does not wait for a
 * full timeout again.
 */
const shortTimeoutPeriodMs = 2000
const shortTimeoutMs = 400

/** Makes the calls of a client fail after a timeout. Otherwise, a call would wait until the server responds. */
export function limitCallTime<Input extends object, Output extends object>(
  { middlewareStack }: { readonly middlewareStack: MiddlewareStack<Input, Output> },
  { callMs }: StoreTimeouts,
  /** Names of the commands to limit, such as `HeadObjectCommand`; all if omitted. */
  commands?: readonly string[],
): void {
  let shortTimeoutUntilMs = 0

  async function withTimeout<T>(call: Promise<T>, name: string): Promise<T> {
    const { promise: timeout, reject } = Promise.withResolvers<never>()
    const limitMs = Date.now() < shortTimeoutUntilMs ? Math.min(shortTimeoutMs, callMs) : callMs
    const timer = setTimeout(
      () => reject(new StoreTimeoutError(`${name} got no response within ${limitMs} ms`)),
      limitMs,
    )
    try {
      const response = await Promise.race([call, timeout])
      shortTimeoutUntilMs = 0
      return response
    } catch (error) {
      shortTimeoutUntilMs = isTimeout(error) ? Date.now() + shortTimeoutPeriodMs : 0
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  middlewareStack.add(
    (next, { commandName = '' }) =>
      (call) =>
        commands && !commands.includes(commandName) ? next(call) : withTimeout(next(call), commandName),
    { step: 'initialize', name: 'limitCallTime', override: true },
  )
}

const isTimeout = (error: unknown) =>
  error instanceof StoreTimeoutError || (error instanceof Error && error.name === 'TimeoutError')

const connectionErrorCodes: ReadonlySet<unknown> = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN'],
])
const throttlingErrorNames: ReadonlySet<string> = new Set([
  ...['ThrottlingException', 'ProvisionedThroughputExceededException', 'RequestLimitExceeded', 'SlowDown'],
])

/** Reason with which DynamoDB cancels a transaction that it throttles. */
export const throttlingReason = 'ThrottlingError'

/** Returns true if AWS refused a request only because there were too many requests. */
export function isThrottled(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { CancellationReasons } = error as { CancellationReasons?: readonly { readonly Code?: string }[] }
  return (
    throttlingErrorNames.has(error.name) ||
    (Array.isArray(CancellationReasons) && CancellationReasons.some(({ Code }) => Code === throttlingReason))
  )
}

/** Returns true if a store is unreachable or overloaded, so that the same request may succeed soon. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (isTimeout(error) || isThrottled(error)) return true
  // SDK errors that came as a response have an HTTP status.
  const { $metadata, code } = error as { $metadata?: { httpStatusCode?: number }; code?: unknown }
  const status = $metadata?.httpStatusCode
  return status === undefined ? connectionErrorCodes.has(code) : status >= 500
}
