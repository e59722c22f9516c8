/** Limits how many operations run at a time; further ones wait in order. */
export class Semaphore {
  #free: number
  readonly #queue: (() => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  /**
   * @returns a function that releases the slot
   * @throws the reason of the signal as soon as it fires
   */
  async acquire(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    if (this.#free > 0) this.#free -= 1
    else await this.#waitForTurn(signal)
    return () => {
      const nextWaiter = this.#queue.shift()
      if (nextWaiter) nextWaiter()
      else this.#free += 1
    }
  }

  /** Runs an action with a slot. */
  async run<T>(action: () => Promise<T>): Promise<T> {
    const release = await this.acquire()
    try {
      return await action()
    } finally {
      release()
    }
  }

  async #waitForTurn(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const abandon = () => {
      this.#queue.splice(this.#queue.indexOf(resolve), 1)
      reject(signal?.reason)
    }
    this.#queue.push(resolve)
    signal?.addEventListener('abort', abandon, { once: true })
    await promise
    signal?.removeEventListener('abort', abandon)
  }
}
