/** Attempts at a time in this process to one webhook, and to all of one host: who answers slowly takes no room from others. */
const maxAttempts = { webhook: 12, host: 48 } as const

export interface Receiver {
  readonly webhook: string
  readonly host: string
}

export class ReceiverConcurrency {
  readonly #running = new Map<string, number>()
  readonly #max: Readonly<Record<keyof Receiver, number>>

  constructor(max: Readonly<Record<keyof Receiver, number>> = maxAttempts) {
    this.#max = max
  }

  /** False when it has as many as it may; otherwise it has to be given back. */
  acquire({ webhook, host }: Receiver): boolean {
    const isFree = this.#count(webhook) < this.#max.webhook && this.#count(host) < this.#max.host
    if (isFree) for (const name of [webhook, host]) this.#running.set(name, this.#count(name) + 1)
    return isFree
  }

  release({ webhook, host }: Receiver): void {
    for (const name of [webhook, host]) {
      if (this.#count(name) > 1) this.#running.set(name, this.#count(name) - 1)
      else this.#running.delete(name)
    }
  }

  #count(name: string): number {
    return this.#running.get(name) ?? 0
  }
}
