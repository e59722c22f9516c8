import { BoundedMap } from '../async/bounded-map.ts'
import { RemoteError } from './remote-error.ts'

/** Number of failures that open the circuit. */
const maxFailures = 5
/** Period in which failures are counted, and for which the circuit stays open. */
const windowMs = 60_000
/** Maximum number of tracked pairs of host and owner; the oldest is dropped. */
const maxHosts = 10_000

/**
 * Stops requests to hosts that failed repeatedly, so that a dead host does not delay other work. Failures are counted
 * per owner, so that an owner's broken files do not block a host for others.
 */
export class CircuitBreaker {
  readonly #failedAt = new BoundedMap<number[]>(maxHosts)
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Checks that requests to a host are allowed. @throws RemoteError while the circuit is open. */
  requireClosed(host: string, owner: string): void {
    const recentTimes = this.#recentFailures(getBreakerKey(host, owner))
    if (recentTimes.length < maxFailures) return
    const remainingS = Math.ceil(((recentTimes[0] ?? 0) + windowMs - this.#now()) / 1000)
    throw new RemoteError(
      'unreachable',
      `${host} failed ${maxFailures} times within a minute, so requests to it are paused for ${remainingS} s. Try again after that.`,
      { isTransient: false, host, retryAfterS: remainingS },
    )
  }

  recordFailure(host: string, owner: string): void {
    const key = getBreakerKey(host, owner)
    const recentTimes = [...this.#recentFailures(key), this.#now()]
    this.#failedAt.set(key, recentTimes.slice(-maxFailures))
  }

  recordSuccess(host: string, owner: string): void {
    this.#failedAt.delete(getBreakerKey(host, owner))
  }

  #recentFailures(key: string): number[] {
    return (this.#failedAt.get(key) ?? []).filter((at) => this.#now() - at < windowMs)
  }
}

const getBreakerKey = (host: string, owner: string) => `${host} ${owner}`
