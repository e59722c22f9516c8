/** Limits how many operations run at a time; further operations wait in the order of their calls. */
export class Semaphore {
  #freePermits: number
  readonly #waiters: (() => void)[] = []

  constructor(count: number) {
    this.#freePermits = count
  }

  /**
   * @returns a function that releases the slot
   * @throws the reason of the signal as soon as it fires
   */
  async acquire(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    if (this.#freePermits > 0) this.#freePermits -= 1
    else await this.#waitForPermit(signal)
    return () => {
      const nextWaiter = this.#waiters.shift()
      if (nextWaiter) nextWaiter()
      else this.#freePermits += 1
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

  async #waitForPermit(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const abandon = () => {
      this.#waiters.splice(this.#waiters.indexOf(resolve), 1)
      reject(signal?.reason)
    }
    this.#waiters.push(resolve)
    signal?.addEventListener('abort', abandon, { once: true })
    await promise
    signal?.removeEventListener('abort', abandon)
  }
}
