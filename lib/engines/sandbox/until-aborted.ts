/**
 * Ends the wait, with the signal's reason, for work that cannot be called back, as libvips' and a page's in the browser:
 * what it still does ends by a time limit of its own.
 */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  // Nobody waits for it where the signal was there before: its failure would end the process.
  work.catch(() => undefined)
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
