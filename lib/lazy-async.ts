/** Starts once, when it is first wanted; a start that failed is tried again. */
export function started<T>(start: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  return () => {
    running ??= start().catch((error: unknown) => {
      running = undefined
      throw error
    })
    return running
  }
}
