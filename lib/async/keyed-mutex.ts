/** Runs work with the same key one at a time, in the order of the calls. */
export class KeyedMutex {
  readonly #lastByKey = new Map<string, Promise<unknown>>()

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const previousWork = this.#lastByKey.get(key) ?? Promise.resolve()
    const currentWork = previousWork.then(work, work)
    this.#lastByKey.set(key, currentWork)
    const cleanUp = () => {
      if (this.#lastByKey.get(key) === currentWork) this.#lastByKey.delete(key)
    }
    currentWork.then(cleanUp, cleanUp)
    return currentWork
  }
}
