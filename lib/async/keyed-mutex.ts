/** Runs work with the same key one at a time, in the order of the calls. */
export class KeyedMutex {
  readonly #lastByKey = new Map<string, Promise<unknown>>()

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const previous = this.#lastByKey.get(key) ?? Promise.resolve()
    const current = previous.then(work, work)
    this.#lastByKey.set(key, current)
    const cleanUp = () => {
      if (this.#lastByKey.get(key) === current) this.#lastByKey.delete(key)
    }
    current.then(cleanUp, cleanUp)
    return current
  }
}
