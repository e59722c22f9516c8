import type { SQSEvent } from 'aws-lambda'
import { handler, stop } from '../../functions/convert.ts'

/** What the service and a worker process tell each other. */
export interface Invocation {
  readonly id: number
  readonly event: SQSEvent
  /** Epoch milliseconds at which the function's time is over. */
  readonly deadline: number
}
export type WorkerMessage =
  | { readonly type: 'alive' }
  | { readonly type: 'result'; readonly id: number; readonly value: unknown }
  | { readonly type: 'error'; readonly id: number; readonly message: string }

/** A worker that does not show itself for several of these hangs. */
export const aliveEveryMs = 2000

const tell = (message: WorkerMessage) => process.send?.(message)

async function invoke({ id, event, deadline }: Invocation): Promise<void> {
  try {
    const value = await handler(event, { getRemainingTimeInMillis: () => deadline - Date.now() })
    tell({ type: 'result', id, value })
  } catch (error) {
    tell({
      type: 'error',
      id,
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
  }
}

// Started as a process of its own, not imported by the service.
if (process.send) {
  // The channel carries invocations of our own service only.
  process.on('message', (message) => void invoke(message as Invocation))
  process.on('disconnect', () => process.exit(0))
  process.once('SIGTERM', () => void stop().finally(() => process.exit(0)))
  // Ctrl-C reaches the whole process group; the service decides when workers end.
  process.on('SIGINT', () => {})
  setInterval(() => tell({ type: 'alive' }), aliveEveryMs)
}
