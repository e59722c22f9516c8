import { RemoteError } from './remote-error.ts'

/** Failures within this time after which a host is left alone, and for how long. */
const mostFailures = 5
const windowMs = 60_000
/** Hosts that are remembered; the oldest is forgotten. */
const mostHosts = 10_000

/** Leaves hosts alone that failed again and again, so that a dead one does not hold up those who wait. */
export class Breaker {
  readonly #failedAt = new Map<string, number[]>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** @throws RemoteError while the host is left alone. */
  require(host: string): void {
    const recent = this.#recent(host)
    if (recent.length < mostFailures) return
    const leftS = Math.ceil(((recent[0] ?? 0) + windowMs - this.#now()) / 1000)
    throw new RemoteError(
      'unreachable',
      `${host} failed ${mostFailures} times within a minute and is left alone for ${leftS} s. Try again after that.`,
      { isPassing: false, host, retryAfterS: leftS },
    )
  }

  failed(host: string): void {
    const recent = [...this.#recent(host), this.#now()]
    // As the newest of all, so that the first of the map is the oldest.
    this.#failedAt.delete(host)
    this.#failedAt.set(host, recent.slice(-mostFailures))
    if (this.#failedAt.size > mostHosts) this.#failedAt.delete(this.#failedAt.keys().next().value ?? '')
  }

  succeeded(host: string): void {
    this.#failedAt.delete(host)
  }

  #recent(host: string): number[] {
    return (this.#failedAt.get(host) ?? []).filter((at) => this.#now() - at < windowMs)
  }
}
