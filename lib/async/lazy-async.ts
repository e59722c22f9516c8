/** Starts on the first call and shares the result; a failed start is retried on the next call. */
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
