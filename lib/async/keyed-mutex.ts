/** Runs work with the same key one at a time, in the order of the calls. */
export class KeyedMutex {
  readonly #lastByKey = new Map<string, Promise<unknown>>()

  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const previousTask = this.#lastByKey.get(key) ?? Promise.resolve()
    const currentTask = previousTask.then(task, task)
    this.#lastByKey.set(key, currentTask)
    const cleanUp = () => {
      if (this.#lastByKey.get(key) === currentTask) this.#lastByKey.delete(key)
    }
    currentTask.then(cleanUp, cleanUp)
    return currentTask
  }
}
