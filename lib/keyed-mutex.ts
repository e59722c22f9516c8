/** Work on one thing at a time, in the order in which it was asked for. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve()
    const turn = before.then(work, work)
    this.#last.set(name, turn)
    const leave = () => {
      if (this.#last.get(name) === turn) this.#last.delete(name)
    }
    turn.then(leave, leave)
    return turn
  }
}
