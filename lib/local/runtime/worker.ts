import type { SQSEvent } from 'aws-lambda'
import type { ServiceConnections } from '../../aws/connections.ts'
import { type FunctionFailure, toFunctionFailure } from '../../embedded-aws/lambda/function-error.ts'
import { runInContext } from '../../embedded-aws/lambda/invoke-context.ts'
import type { FunctionContext } from '../../embedded-aws/lambda/runtime.ts'
import { anyJob, jobEndEmitter } from '../../jobs/job-end-emitter.ts'
import type { Job } from '../../model/job.ts'
import type { QueueFunction } from '../../services/queue-function.ts'
import { type EndedSpan, onSpanEnd } from '../../trace.ts'
import {
  FileExchangeClient,
  type FileRequest,
  type FileResponse,
  fileSharingFlag,
} from './worker-file-broker.ts'
import { sendSpansFlag } from './worker-flags.ts'

/** Messages from the service to a worker process. */
export type ServiceMessage = Invocation | FileResponse | { readonly type: 'disk-full' }
export interface Invocation {
  readonly type: 'invoke'
  readonly id: number
  /** Event of the function, which the function validates itself, because any client may invoke it. */
  readonly event: unknown
  /** Milliseconds until the function times out. */
  readonly remainingMs: number
  readonly context: Omit<FunctionContext, 'getRemainingTimeInMillis'>
  readonly traceHeader: string
}
export type WorkerMessage =
  | FileRequest
  | { readonly type: 'alive' }
  | { readonly type: 'job-ended'; readonly job: Job }
  | { readonly type: 'span'; readonly span: EndedSpan }
  | { readonly type: 'result'; readonly id: number; readonly value: unknown }
  | { readonly type: 'error'; readonly id: number; readonly failure: FunctionFailure }

/**
 * Modules of queue functions export a factory that takes their dependencies; other modules export the handler itself.
 */
type FunctionModule =
  | { readonly createFunction: (connections: ServiceConnections) => QueueFunction }
  | Readonly<Record<string, QueueFunction['handler']>>

/** Interval of the signs of life; a worker that sends none for several intervals counts as hanging. */
export const aliveIntervalMs = 2000

const sendMessage = (message: WorkerMessage) => process.send?.(message)

/** Sends a message; resolves when it has been sent, because a process that exits earlier would lose it. */
const sendAndFlush = (message: WorkerMessage) =>
  new Promise<void>((resolve) => process.send?.(message, () => resolve()))

const files = new FileExchangeClient(sendMessage)
const [module = '', exportName = 'handler'] = (process.argv[2] ?? '').split('.')
// WorkerProcess passes the name of the module.
const functionModule = (await import(`../../../functions/${module}.ts`)) as FunctionModule
const { handler, stop, reportFullDisk } = loadFunction(functionModule)

function loadFunction(module: FunctionModule): QueueFunction {
  // TypeScript does not narrow a union of records by a member that all of them may have.
  if (typeof module.createFunction === 'function')
    return (module as Extract<FunctionModule, { createFunction: unknown }>).createFunction(
      process.argv.includes(fileSharingFlag) ? { files } : {},
    )
  // The module is the other member of the union.
  const exportedHandler = (module as Readonly<Record<string, QueueFunction['handler']>>)[exportName]
  if (!exportedHandler) throw new Error(`functions/${module}.ts does not export ${exportName}`)
  return { handler: exportedHandler, stop: async () => undefined, reportFullDisk: () => undefined }
}

async function invoke({ id, event, remainingMs, context, traceHeader }: Invocation): Promise<void> {
  const deadline = performance.now() + remainingMs
  try {
    // The service sends the event of the function's trigger.
    const value = await runInContext(traceHeader, () =>
      handler(event as SQSEvent, {
        ...context,
        // The time is in whole milliseconds, as on Lambda: timers such as AbortSignal.timeout accept no others.
        getRemainingTimeInMillis: () => Math.floor(deadline - performance.now()),
      }),
    )
    await sendAndFlush({ type: 'result', id, value })
  } catch (error) {
    await sendAndFlush({ type: 'error', id, failure: toFunctionFailure(error) })
  }
}

const runningInvocations = new Set<Promise<void>>()

/** Waits until the tasks are released; otherwise, their jobs would wait for a lease to expire and lose an attempt. */
async function shutDown(): Promise<void> {
  await stop()
  await Promise.all(runningInvocations)
}

// This module was started as a separate process, not imported by the service.
if (process.send) {
  process.on('message', (data) => {
    const message = data as ServiceMessage // only the service writes to this channel
    if (message.type === 'file') {
      files.handleResponse(message)
      return
    }
    if (message.type === 'disk-full') {
      reportFullDisk()
      return
    }
    const invocation = invoke(message).finally(() => runningInvocations.delete(invocation))
    runningInvocations.add(invocation)
  })
  process.on('disconnect', () => process.exit(0))
  process.once('SIGTERM', () => void shutDown().finally(() => process.exit(0)))
  // Ctrl-C reaches the whole process group, but the service decides when workers end.
  process.on('SIGINT', () => {})
  if (process.argv.includes(sendSpansFlag)) onSpanEnd((span) => sendMessage({ type: 'span', span }))
  jobEndEmitter.on(anyJob, (job: Job) => sendMessage({ type: 'job-ended', job }))
  sendMessage({ type: 'alive' })
  setInterval(() => sendMessage({ type: 'alive' }), aliveIntervalMs)
}
