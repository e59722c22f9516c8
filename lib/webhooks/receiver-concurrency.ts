/** Attempts at a time in this process to one webhook, and to all of one host: who answers slowly takes no room from others. */
const mostAtATime = { webhook: 12, host: 48 } as const

export interface Receiver {
  readonly webhook: string
  readonly host: string
}

export class Receivers {
  readonly #busy = new Map<string, number>()
  readonly #most: Readonly<Record<keyof Receiver, number>>

  constructor(most: Readonly<Record<keyof Receiver, number>> = mostAtATime) {
    this.#most = most
  }

  /** False when it has as many as it may; otherwise it has to be given back. */
  take({ webhook, host }: Receiver): boolean {
    const isFree = this.#of(webhook) < this.#most.webhook && this.#of(host) < this.#most.host
    if (isFree) for (const name of [webhook, host]) this.#busy.set(name, this.#of(name) + 1)
    return isFree
  }

  giveBack({ webhook, host }: Receiver): void {
    for (const name of [webhook, host]) {
      if (this.#of(name) > 1) this.#busy.set(name, this.#of(name) - 1)
      else this.#busy.delete(name)
    }
  }

  #of(name: string): number {
    return this.#busy.get(name) ?? 0
  }
}
