/** Attempts at a time to one host in this process: who answers slowly takes no more room than that from others. */
const mostAtATime = 24

export class Receivers {
  readonly #busy = new Map<string, number>()
  readonly #most: number

  constructor(most = mostAtATime) {
    this.#most = most
  }

  /** False when it has as many as it may; otherwise it has to be given back. */
  take(host: string): boolean {
    const busy = this.#busy.get(host) ?? 0
    if (busy >= this.#most) return false
    this.#busy.set(host, busy + 1)
    return true
  }

  giveBack(host: string): void {
    const busy = (this.#busy.get(host) ?? 1) - 1
    if (busy > 0) this.#busy.set(host, busy)
    else this.#busy.delete(host)
  }
}
