/** Starts once, when it is first wanted; a start that failed is tried again. */
export function lazyAsync<T>(start: () => Promise<T>): () => Promise<T> {
  let promise: Promise<T> | undefined
  return () => {
    promise ??= start().catch((error: unknown) => {
      promise = undefined
      throw error
    })
    return promise
  }
}
