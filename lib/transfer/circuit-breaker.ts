import { BoundedMap } from '../bounded-map.ts'
import { RemoteError } from './remote-error.ts'

/** Failures within this time after which a host is left alone, and for how long. */
const mostFailures = 5
const windowMs = 60_000
/** Hosts of owners that are remembered; the oldest is forgotten. */
const mostHosts = 10_000

/**
 * Leaves hosts alone that failed again and again, so that a dead one does not hold up those who wait. Each owner has
 * failures of his own: broken files of one close no host to the others.
 */
export class Breaker {
  readonly #failedAt = new BoundedMap<number[]>(mostHosts)
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** @throws RemoteError while the host is left alone. */
  require(host: string, owner: string): void {
    const recent = this.#recent(nameOf(host, owner))
    if (recent.length < mostFailures) return
    const leftS = Math.ceil(((recent[0] ?? 0) + windowMs - this.#now()) / 1000)
    throw new RemoteError(
      'unreachable',
      `${host} failed ${mostFailures} times within a minute and is left alone for ${leftS} s. Try again after that.`,
      { isPassing: false, host, retryAfterS: leftS },
    )
  }

  failed(host: string, owner: string): void {
    const name = nameOf(host, owner)
    const recent = [...this.#recent(name), this.#now()]
    this.#failedAt.set(name, recent.slice(-mostFailures))
  }

  succeeded(host: string, owner: string): void {
    this.#failedAt.delete(nameOf(host, owner))
  }

  #recent(name: string): number[] {
    return (this.#failedAt.get(name) ?? []).filter((at) => this.#now() - at < windowMs)
  }
}

const nameOf = (host: string, owner: string) => `${host} ${owner}`
