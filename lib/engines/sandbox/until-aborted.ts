/**
 * Waits for work that cannot be cancelled, such as that of libvips or of a browser page, and throws the abort reason if
 * the signal is aborted first. The work itself continues until its own time limit.
 */
export async function rejectWhenAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  // If the signal is already aborted, a failure of the work would be an unhandled rejection and end the process.
  promise.catch(() => undefined)
  signal.throwIfAborted()
  const abortedEvent = Promise.withResolvers<never>()
  const onAbort = () => abortedEvent.reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([promise, abortedEvent.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
