// Counts the concurrent executions of an account; functions without reserved concurrency share the unreserved part.
// https://docs.aws.amazon.com/lambda/latest/dg/lambda-concurrency.html

interface LimitedFunction {
  readonly name: string
  readonly reservedConcurrency?: number
}

/** Why an invocation was throttled, as Lambda names the reason. */
export type ThrottleReason =
  | 'ConcurrentInvocationLimitExceeded'
  | 'ReservedFunctionConcurrentInvocationLimitExceeded'

export class Concurrency {
  readonly #unreserved: number
  readonly #sharing: readonly string[]
  readonly #runningCounts = new Map<string, number>()

  /** Creates the counters. @throws Error if more is reserved than the account has */
  constructor(functions: readonly LimitedFunction[], concurrentExecutions = Infinity) {
    const reservedTotal = functions.reduce((sum, { reservedConcurrency = 0 }) => sum + reservedConcurrency, 0)
    this.#unreserved = concurrentExecutions - reservedTotal
    if (this.#unreserved < 0)
      throw new Error(`${reservedTotal} executions are reserved, but the account has ${concurrentExecutions}`)
    this.#sharing = functions
      .filter(({ reservedConcurrency }) => reservedConcurrency === undefined)
      .map(({ name }) => name)
  }

  countRunning(name: string): number {
    return this.#runningCounts.get(name) ?? 0
  }

  count(name: string, change: 1 | -1): void {
    this.#runningCounts.set(name, this.countRunning(name) + change)
  }

  /** Returns why a function cannot run now; undefined if it can. */
  findThrottleReason({ name, reservedConcurrency }: LimitedFunction): ThrottleReason | undefined {
    if (reservedConcurrency !== undefined)
      return this.countRunning(name) < reservedConcurrency
        ? undefined
        : 'ReservedFunctionConcurrentInvocationLimitExceeded'
    const sharedCount = this.#sharing.reduce((sum, sharer) => sum + this.countRunning(sharer), 0)
    return sharedCount < this.#unreserved ? undefined : 'ConcurrentInvocationLimitExceeded'
  }
}
