/** Waits for those before it, whatever comes of them, then acts. */
export type RunExclusive = <T>(action: () => Promise<T>) => Promise<T>

/** Runs actions one after the other, in the order of the calls. */
export function createMutex(): RunExclusive {
  let last: Promise<unknown> = Promise.resolve()
  return (action) => {
    const result = last.then(action, action)
    last = result
    return result
  }
}
