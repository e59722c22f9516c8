/** Lets so many run at a time; the others wait in the order in which they came. */
export class Slots {
  #free: number
  readonly #queue: (() => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  /** @returns what gives the slot back. Rejects as soon as the signal fires. */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.#free > 0) this.#free -= 1
    else await this.#turn(signal)
    return () => {
      const next = this.#queue.shift()
      if (next) next()
      else this.#free += 1
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = () => {
      this.#queue.splice(this.#queue.indexOf(resolve), 1)
      reject(signal.reason)
    }
    this.#queue.push(resolve)
    signal.addEventListener('abort', leave, { once: true })
    await promise
    signal.removeEventListener('abort', leave)
  }
}
