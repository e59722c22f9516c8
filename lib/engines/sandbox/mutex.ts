/** Waits for those before it, whatever comes of them, then acts. */
export type Turns = <T>(action: () => Promise<T>) => Promise<T>

/** Runs actions one after the other, in the order of the calls. */
export function turns(): Turns {
  let last: Promise<unknown> = Promise.resolve()
  return (action) => {
    const turn = last.then(action, action)
    last = turn
    return turn
  }
}
