/** Runs an action after all earlier ones have ended, whether they succeeded or failed. */
export type RunExclusive = <T>(action: () => Promise<T>) => Promise<T>

/** Returns a function that runs actions one at a time, in the order of the calls. */
export function createMutex(): RunExclusive {
  let lastAction: Promise<unknown> = Promise.resolve()
  return (action) => {
    const result = lastAction.then(action, action)
    lastAction = result
    return result
  }
}
