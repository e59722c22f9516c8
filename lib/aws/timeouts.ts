import type { MiddlewareStack } from '@smithy/types'

/** A store did not answer in the time that we had for it. Whether it did what it was asked for nobody knows. */
export class StoreTimeoutError extends Error {
  override readonly name = 'Unanswered'
}

/** Milliseconds for one call in all, with the repetitions that the SDK makes of it. */
export interface StoreTimeouts {
  readonly callMs: number
  /** Until a request is repeated. */
  readonly attemptMs: number
}

/** Of what runs in the background: what it has done would have to be done again. */
export const backgroundTimeouts: StoreTimeouts = { callMs: 9500, attemptMs: 3000 }
/** Of requests: a client that is told soon to come again is better off than one that waits. */
export const requestTimeouts: StoreTimeouts = { callMs: 3500, attemptMs: 1700 }

/** How long a store that was silent is asked briefly only: what a request still has to clear up must not wait as long again. */
const silenceMemoryMs = 2000
const shortCallMs = 400

/** Ends calls of a client that get no answer; without it they last as long as the other side is silent. */
export function limitCallTime<Input extends object, Output extends object>(
  { middlewareStack }: { readonly middlewareStack: MiddlewareStack<Input, Output> },
  { callMs }: StoreTimeouts,
  /** Names of the commands that it is for, such as `HeadObjectCommand`; all when left out. */
  commands?: readonly string[],
): void {
  let silentUntil = 0

  async function withTimeout<T>(call: Promise<T>, name: string): Promise<T> {
    const { promise: timedOut, reject } = Promise.withResolvers<never>()
    const limitMs = Date.now() < silentUntil ? Math.min(shortCallMs, callMs) : callMs
    const timer = setTimeout(
      () => reject(new StoreTimeoutError(`${name} got no answer within ${limitMs} ms`)),
      limitMs,
    )
    try {
      const response = await Promise.race([call, timedOut])
      silentUntil = 0
      return response
    } catch (error) {
      silentUntil = isTimeout(error) ? Date.now() + silenceMemoryMs : 0
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  middlewareStack.add(
    (next, { commandName = '' }) =>
      (call) =>
        commands && !commands.includes(commandName) ? next(call) : withTimeout(next(call), commandName),
    { step: 'initialize', name: 'limitPatience', override: true },
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

/** Whether a store is away or too busy, so that the same request may succeed soon. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (isTimeout(error) || throttlingErrorNames.has(error.name)) return true
  // As the SDK's errors have it: of those that came as an answer.
  const { $metadata, code } = error as { $metadata?: { httpStatusCode?: number }; code?: unknown }
  const status = $metadata?.httpStatusCode
  return status === undefined ? connectionErrorCodes.has(code) : status >= 500
}
