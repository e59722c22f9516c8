import { BoundedMap } from '../bounded-map.ts'
import { RemoteError } from './remote-error.ts'

/** Failures within this time after which a host is left alone, and for how long. */
const maxFailures = 5
const windowMs = 60_000
/** Hosts of owners that are remembered; the oldest is forgotten. */
const maxHosts = 10_000

/**
 * Leaves hosts alone that failed again and again, so that a dead one does not hold up those who wait. Each owner has
 * failures of his own: broken files of one close no host to the others.
 */
export class CircuitBreaker {
  readonly #failedAt = new BoundedMap<number[]>(maxHosts)
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** @throws RemoteError while the host is left alone. */
  requireClosed(host: string, owner: string): void {
    const recent = this.#recentFailures(keyOf(host, owner))
    if (recent.length < maxFailures) return
    const leftS = Math.ceil(((recent[0] ?? 0) + windowMs - this.#now()) / 1000)
    throw new RemoteError(
      'unreachable',
      `${host} failed ${maxFailures} times within a minute and is left alone for ${leftS} s. Try again after that.`,
      { isTransient: false, host, retryAfterS: leftS },
    )
  }

  recordFailure(host: string, owner: string): void {
    const key = keyOf(host, owner)
    const recent = [...this.#recentFailures(key), this.#now()]
    this.#failedAt.set(key, recent.slice(-maxFailures))
  }

  recordSuccess(host: string, owner: string): void {
    this.#failedAt.delete(keyOf(host, owner))
  }

  #recentFailures(key: string): number[] {
    return (this.#failedAt.get(key) ?? []).filter((at) => this.#now() - at < windowMs)
  }
}

const keyOf = (host: string, owner: string) => `${host} ${owner}`
