import { randomUUID } from 'node:crypto'
import type { Context } from 'aws-lambda'
import type { Log } from '../../log.ts'
import { quotas } from '../quotas.ts'
import { Concurrency } from './concurrency.ts'
import { FunctionError, type FunctionFailure, timeoutErrorType, toFunctionFailure } from './function-error.ts'
import { continueLineage, maxChainedInvocations } from './lineage.ts'

/**
 * The context that Lambda passes to a handler, without the callbacks of old runtimes, which Node 24 no longer supports.
 */
export type FunctionContext = Omit<Context, 'done' | 'fail' | 'succeed'>

export interface LocalFunction {
  readonly name: string
  readonly timeoutMs: number
  readonly memoryMb: number
  /** Maximum number of concurrent invocations by callers outside this process. */
  readonly maximumConcurrency: number
  /** Concurrency that is reserved for this function, which is also its maximum. */
  readonly reservedConcurrency?: number
  /** Maximum number of retries of an asynchronous invocation after an error. */
  readonly retryAttempts: number
  /** URL of the dead-letter queue for asynchronous invocations. */
  readonly deadLetterUrl?: string
  /** `Allow` if invocations may trigger each other without a limit; `Terminate` by default. */
  readonly recursiveLoop?: 'Allow' | 'Terminate'
  readonly handler: (event: unknown, context: FunctionContext, traceHeader: string) => Promise<unknown>
}

export type InvocationOutcome =
  | { readonly ok: true; readonly value: unknown; readonly ms: number }
  | {
      readonly ok: false
      readonly failure: FunctionFailure
      readonly ms: number
      /** The function was not run, because too many invocations are running. */
      readonly isThrottled?: true
    }

interface InvokeOptions {
  readonly requestId?: string
  /** A shorter time limit than the function's own, for a gateway that does not wait longer. */
  readonly limitMs?: number
  /**
   * Promise that starts the time limit when it resolves: on AWS, a function starts when the whole request has arrived.
   */
  readonly startsAfter?: Promise<unknown>
  /** Trace headers of the messages or of the request that caused the invocation. */
  readonly traceHeaders?: readonly string[] | undefined
}

/** Limits of Lambda: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
export const lambdaLimits = {
  requestBytes: quotas.functionRequestBytes.value,
  responseBytes: quotas.functionResponseBytes.value,
  asynchronousBytes: quotas.asynchronousRequestBytes.value,
  concurrency: 1000,
} as const

/** Returns the ARN of a function. */
export const createFunctionArn = (region: string, name: string) =>
  `arn:aws:lambda:${region}:000000000000:function:${name}`

/**
 * Failure of an invocation that was stopped because its function called itself too many times, possibly through other
 * functions.
 */
const recursionFailure: FunctionFailure = {
  errorType: 'RecursiveInvocationException',
  errorMessage:
    'The function was invoked in a recursive loop with other resources, so this invocation was stopped.',
}

/** Runs functions by name, each invocation with its time limit. */
export class Lambda {
  readonly region: string
  readonly #functions: ReadonlyMap<string, LocalFunction>
  readonly #concurrency: Concurrency
  readonly #log: Log
  readonly #beforeInvoke: () => void

  /**
   * Creates the runtime.
   * @param options.beforeInvoke called before each invocation
   * @param options.concurrentExecutions limit for all functions together; unlimited by default
   */
  constructor(options: {
    functions: readonly LocalFunction[]
    region: string
    log: Log
    beforeInvoke?: () => void
    concurrentExecutions?: number | undefined
  }) {
    this.region = options.region
    this.#functions = new Map(
      options.functions.map((deployedFunction) => [deployedFunction.name, deployedFunction]),
    )
    this.#log = options.log
    this.#concurrency = new Concurrency(options.functions, options.concurrentExecutions)
    this.#beforeInvoke = options.beforeInvoke ?? (() => undefined)
  }

  find(name: string): LocalFunction | undefined {
    return this.#functions.get(name)
  }

  isBusy({ name, maximumConcurrency }: LocalFunction): boolean {
    return this.#concurrency.countRunning(name) >= maximumConcurrency
  }

  /** Invokes a function. @throws only if the function does not exist; other failures are part of the outcome */
  async invoke(name: string, event: unknown, options: InvokeOptions = {}): Promise<InvocationOutcome> {
    const target = this.#functions.get(name)
    if (!target) throw new Error(`the function ${name} does not exist`)
    const { requestId = randomUUID(), traceHeaders = [] } = options
    const startedAtMs = performance.now()
    const throttleReason = this.#concurrency.findThrottleReason(target)
    if (throttleReason) {
      this.#log.info({ function: name, reason: throttleReason }, 'an invocation was throttled')
      const failure = {
        errorType: 'TooManyRequestsException',
        errorMessage: 'Rate Exceeded.',
        reason: throttleReason,
      }
      return { ok: false, failure, ms: 0, isThrottled: true }
    }
    this.#concurrency.count(name, 1)
    try {
      this.#beforeInvoke()
      const { traceHeader, number } = continueLineage(traceHeaders, name)
      if (number > maxChainedInvocations && target.recursiveLoop !== 'Allow')
        throw new FunctionError(recursionFailure)
      const value = await this.#runWithTimeout(target, event, { ...options, requestId, traceHeader })
      return { ok: true, value, ms: performance.now() - startedAtMs }
    } catch (error) {
      this.#log.error({ error, function: name, awsRequestId: requestId }, 'a function failed')
      return { ok: false, failure: toFunctionFailure(error), ms: performance.now() - startedAtMs }
    } finally {
      this.#concurrency.count(name, -1)
    }
  }

  #runWithTimeout(
    target: LocalFunction,
    event: unknown,
    {
      requestId,
      limitMs = Infinity,
      startsAfter,
      traceHeader,
    }: InvokeOptions & { readonly requestId: string; readonly traceHeader: string },
  ): Promise<unknown> {
    const timeoutMs = Math.min(target.timeoutMs, limitMs)
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    let deadline: number | undefined
    let timer: NodeJS.Timeout | undefined
    let isOver = false
    const start = () => {
      if (isOver) return
      deadline = Date.now() + timeoutMs
      timer = setTimeout(() => {
        const errorMessage = `RequestId: ${requestId} Error: Task timed out after ${(timeoutMs / 1000).toFixed(2)} seconds`
        reject(new FunctionError({ errorType: timeoutErrorType, errorMessage }))
      }, timeoutMs)
    }
    if (startsAfter === undefined) start()
    else void startsAfter.then(start)
    const context: FunctionContext = {
      callbackWaitsForEmptyEventLoop: true,
      functionName: target.name,
      functionVersion: '$LATEST',
      invokedFunctionArn: createFunctionArn(this.region, target.name),
      memoryLimitInMB: String(target.memoryMb),
      awsRequestId: requestId,
      logGroupName: `/aws/lambda/${target.name}`,
      logStreamName: 'local',
      getRemainingTimeInMillis: () => (deadline === undefined ? timeoutMs : deadline - Date.now()),
    }
    // The function is async, so that a synchronous throw of the handler becomes a rejection.
    const run = async () => target.handler(event, context, traceHeader)
    run().then(resolve, reject)
    return promise.finally(() => {
      isOver = true
      clearTimeout(timer)
    })
  }
}
