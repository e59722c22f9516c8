import type { SQSEvent } from 'aws-lambda'
import { handler, stop } from '../../functions/convert.ts'
import { anyJob, jobEnds } from '../jobs/job-ends.ts'
import { type Failure, failureOf } from './lambda/failure.ts'
import type { FunctionContext } from './lambda/runtime.ts'

/** What the service and a worker process tell each other. */
export interface Invocation {
  readonly id: number
  /** What the function gets; it checks the shape itself, as anybody may invoke it. */
  readonly event: unknown
  /** Epoch milliseconds at which the function's time is over. */
  readonly deadline: number
  readonly context: Omit<FunctionContext, 'getRemainingTimeInMillis'>
}
export type WorkerMessage =
  | { readonly type: 'alive' }
  | { readonly type: 'job-ended'; readonly jobId: string }
  | { readonly type: 'result'; readonly id: number; readonly value: unknown }
  | { readonly type: 'error'; readonly id: number; readonly failure: Failure }

/** A worker that does not show itself for several of these hangs. */
export const aliveEveryMs = 2000

const tell = (message: WorkerMessage) => process.send?.(message)

async function invoke({ id, event, deadline, context }: Invocation): Promise<void> {
  try {
    const value = await handler(event as SQSEvent, {
      ...context,
      getRemainingTimeInMillis: () => deadline - Date.now(),
    })
    tell({ type: 'result', id, value })
  } catch (error) {
    tell({ type: 'error', id, failure: failureOf(error) })
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
  jobEnds.on(anyJob, (jobId: string) => tell({ type: 'job-ended', jobId }))
  setInterval(() => tell({ type: 'alive' }), aliveEveryMs)
}
