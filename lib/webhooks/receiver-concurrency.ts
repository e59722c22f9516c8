/**
 * Maximum number of concurrent attempts of this process per webhook and per host, so that slow receivers do not block
 * others.
 */
const maxAttempts = { webhook: 12, host: 48 } as const

interface Receiver {
  readonly webhook: string
  readonly host: string
}

export class ReceiverConcurrency {
  readonly #runningCounts = new Map<string, number>()
  readonly #maxByKind: Readonly<Record<keyof Receiver, number>>

  constructor(max: Readonly<Record<keyof Receiver, number>> = maxAttempts) {
    this.#maxByKind = max
  }

  /** Takes a slot, which must be released; false if the limit is reached. */
  acquire({ webhook, host }: Receiver): boolean {
    const isFree = this.#count(webhook) < this.#maxByKind.webhook && this.#count(host) < this.#maxByKind.host
    if (isFree) for (const name of [webhook, host]) this.#runningCounts.set(name, this.#count(name) + 1)
    return isFree
  }

  release({ webhook, host }: Receiver): void {
    for (const name of [webhook, host]) {
      if (this.#count(name) > 1) this.#runningCounts.set(name, this.#count(name) - 1)
      else this.#runningCounts.delete(name)
    }
  }

  #count(name: string): number {
    return this.#runningCounts.get(name) ?? 0
  }
}
