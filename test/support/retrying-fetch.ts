import { setTimeout as pause } from 'node:timers/promises'

/** Long enough for a busy machine, on which the process of each function has to start before its first reply. */
const maxRetryMs = 120_000
const pauseMs = 500

/** Retries requests while the service is unavailable, like clients do. */
export const fetchWithRetries =
  (send: typeof fetch): typeof fetch =>
  async (input, init) => {
    const isBodyReadOnce = input instanceof Request || init?.body instanceof ReadableStream
    const deadline = performance.now() + maxRetryMs
    for (;;) {
      const response = await send(input, init)
      if (response.status !== 503 || isBodyReadOnce || performance.now() > deadline) return response
      await response.body?.cancel()
      await pause(pauseMs)
    }
  }
