import { randomUUID } from 'node:crypto'
import type { Context } from 'aws-lambda'
import type { Log } from '../../log.ts'
import { FunctionError, type FunctionFailure, timeoutErrorType, toFunctionFailure } from './function-error.ts'

/** What Lambda hands to a handler; the callbacks of old runtimes are gone, as they are from Node 24 on Lambda. */
export type FunctionContext = Omit<Context, 'done' | 'fail' | 'succeed'>

export interface LocalFunction {
  readonly name: string
  readonly timeoutMs: number
  readonly memoryMb: number
  /** Invocations at a time that strangers to this process may cause. */
  readonly maximumConcurrency: number
  /** Times that an asynchronous invocation is repeated after an error. */
  readonly retryAttempts: number
  /** URL of the queue for asynchronous invocations that failed for good. */
  readonly deadLetterUrl?: string
  readonly handler: (event: unknown, context: FunctionContext) => Promise<unknown>
}

export type InvocationOutcome =
  | { readonly ok: true; readonly value: unknown; readonly ms: number }
  | { readonly ok: false; readonly failure: FunctionFailure; readonly ms: number }

export interface InvokeOptions {
  readonly requestId?: string
  /** A shorter limit than the function's own: a gateway waits no longer. */
  readonly limitMs?: number
  /** The time limit runs from then: on AWS a function starts when the whole request has arrived. */
  readonly startsAfter?: Promise<unknown>
}

/** Limits of one account (https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html). */
export const lambdaLimits = {
  requestBytes: 6 * 1024 * 1024,
  responseBytes: 6_291_556,
  /** A little under the 1 MiB of the queue that keeps it. */
  asynchronousBytes: 1_000_000,
  concurrency: 1000,
} as const

/** ARN by which rules and callers name a function. */
export const functionArn = (region: string, name: string) =>
  `arn:aws:lambda:${region}:000000000000:function:${name}`

/** Knows the functions by name and runs them, each invocation under its time limit. */
export class Lambda {
  readonly region: string
  readonly #functions: ReadonlyMap<string, LocalFunction>
  readonly #running = new Map<string, number>()
  readonly #log: Log
  readonly #beforeInvoke: () => void

  /** @param options.before is done before each invocation. */
  constructor(options: {
    functions: readonly LocalFunction[]
    region: string
    log: Log
    beforeInvoke?: () => void
  }) {
    this.region = options.region
    this.#functions = new Map(options.functions.map((one) => [one.name, one]))
    this.#log = options.log
    this.#beforeInvoke = options.beforeInvoke ?? (() => undefined)
  }

  find(name: string): LocalFunction | undefined {
    return this.#functions.get(name)
  }

  isBusy({ name, maximumConcurrency }: LocalFunction): boolean {
    return (this.#running.get(name) ?? 0) >= maximumConcurrency
  }

  /** @throws only for a function that does not exist: what goes wrong inside is an outcome. */
  async invoke(name: string, event: unknown, options: InvokeOptions = {}): Promise<InvocationOutcome> {
    const target = this.#functions.get(name)
    if (!target) throw new Error(`there is no function ${name}`)
    const { requestId = randomUUID() } = options
    const started = performance.now()
    this.#count(name, 1)
    try {
      this.#beforeInvoke()
      const value = await this.#runWithTimeout(target, event, { ...options, requestId })
      return { ok: true, value, ms: performance.now() - started }
    } catch (error) {
      this.#log.error({ error, function: name, awsRequestId: requestId }, 'a function failed')
      return { ok: false, failure: toFunctionFailure(error), ms: performance.now() - started }
    } finally {
      this.#count(name, -1)
    }
  }

  #count(name: string, change: number): void {
    this.#running.set(name, (this.#running.get(name) ?? 0) + change)
  }

  #runWithTimeout(
    target: LocalFunction,
    event: unknown,
    { requestId, limitMs = Infinity, startsAfter }: InvokeOptions & { readonly requestId: string },
  ): Promise<unknown> {
    const timeMs = Math.min(target.timeoutMs, limitMs)
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    let deadline: number | undefined
    let timer: NodeJS.Timeout | undefined
    let isOver = false
    const start = () => {
      if (isOver) return
      deadline = Date.now() + timeMs
      timer = setTimeout(() => {
        const errorMessage = `RequestId: ${requestId} Error: Task timed out after ${(timeMs / 1000).toFixed(2)} seconds`
        reject(new FunctionError({ errorType: timeoutErrorType, errorMessage }))
      }, timeMs)
    }
    if (startsAfter === undefined) start()
    else void startsAfter.then(start)
    const context: FunctionContext = {
      callbackWaitsForEmptyEventLoop: true,
      functionName: target.name,
      functionVersion: '$LATEST',
      invokedFunctionArn: functionArn(this.region, target.name),
      memoryLimitInMB: String(target.memoryMb),
      awsRequestId: requestId,
      logGroupName: `/aws/lambda/${target.name}`,
      logStreamName: 'local',
      getRemainingTimeInMillis: () => (deadline === undefined ? timeMs : deadline - Date.now()),
    }
    // Inside an async function, so that a handler that throws before its first await fails like any other.
    const run = async () => target.handler(event, context)
    run().then(resolve, reject)
    return promise.finally(() => {
      isOver = true
      clearTimeout(timer)
    })
  }
}
