import { setTimeout as pause } from 'node:timers/promises'

/** For a busy machine, on which a process of each function has to start before its first answer. */
const patienceMs = 120_000
const pauseMs = 500

/** Asks again for as long as the service is too busy to answer, as its clients do. */
export const fetchWithRetries =
  (send: typeof fetch): typeof fetch =>
  async (input, init) => {
    const isOnce = input instanceof Request || init?.body instanceof ReadableStream
    const deadline = performance.now() + patienceMs
    for (;;) {
      const response = await send(input, init)
      if (response.status !== 503 || isOnce || performance.now() > deadline) return response
      await response.body?.cancel()
      await pause(pauseMs)
    }
  }
