import type { SQSEvent } from 'aws-lambda'
import type { Job } from '../jobs/job.ts'
import { anyJob, jobEndEmitter } from '../jobs/job-end-emitter.ts'
import { type FunctionFailure, toFunctionFailure } from './lambda/function-error.ts'
import type { FunctionContext } from './lambda/runtime.ts'
import {
  FileExchangeClient,
  type FileRequest,
  type FileResponse,
  fileSharingFlag,
} from './worker-file-broker.ts'

/** What the service and a worker process tell each other. */
export type ServiceMessage = Invocation | FileResponse | { readonly type: 'disk-full' }
export interface Invocation {
  readonly type: 'invoke'
  readonly id: number
  /** What the function gets; it checks the shape itself, as anybody may invoke it. */
  readonly event: unknown
  /** Epoch milliseconds at which the function's time is over. */
  readonly deadline: number
  readonly context: Omit<FunctionContext, 'getRemainingTimeInMillis'>
}
export type WorkerMessage =
  | FileRequest
  | { readonly type: 'alive' }
  | { readonly type: 'job-ended'; readonly job: Job }
  | { readonly type: 'result'; readonly id: number; readonly value: unknown }
  | { readonly type: 'error'; readonly id: number; readonly failure: FunctionFailure }

type WorkerFunction = ReturnType<typeof import('../../functions/convert.ts').createFunction>
/** Functions that a queue feeds are made with what is near them; others are there. */
type FunctionModule =
  | { readonly createFunction: typeof import('../../functions/convert.ts').createFunction }
  | Readonly<Record<string, WorkerFunction['handler']>>

/** A worker that does not show itself for several of these hangs. */
export const aliveEveryMs = 2000

const sendMessage = (message: WorkerMessage) => process.send?.(message)

/** A process may end before what it has just told is on its way. */
const sendAndFlush = (message: WorkerMessage) =>
  new Promise<void>((resolve) => process.send?.(message, () => resolve()))

const files = new FileExchangeClient(sendMessage)
const [module = '', exportName = 'handler'] = (process.argv[2] ?? '').split('.')
const functionModule = (await import(`../../functions/${module}.ts`)) as FunctionModule // by name of Worker
const { handler, stop, reportFullDisk } = loadFunction(functionModule)

function loadFunction(module: FunctionModule): WorkerFunction {
  if (typeof module.createFunction === 'function')
    return (module as Extract<FunctionModule, { createFunction: unknown }>).createFunction(
      process.argv.includes(fileSharingFlag) ? { files } : {},
    )
  const named = (module as Readonly<Record<string, WorkerFunction['handler']>>)[exportName]
  if (!named) throw new Error(`there is no ${module}.${exportName}`)
  return { handler: named, stop: async () => undefined, reportFullDisk: () => undefined }
}

async function invoke({ id, event, deadline, context }: Invocation): Promise<void> {
  try {
    const value = await handler(event as SQSEvent, {
      ...context,
      getRemainingTimeInMillis: () => deadline - Date.now(),
    })
    await sendAndFlush({ type: 'result', id, value })
  } catch (error) {
    await sendAndFlush({ type: 'error', id, failure: toFunctionFailure(error) })
  }
}

const running = new Set<Promise<void>>()

/** Not before tasks are given back: else their jobs wait for a lease to end, and have lost an attempt. */
async function shutDown(): Promise<void> {
  await stop()
  await Promise.all(running)
}

// Started as a process of its own, not imported by the service.
if (process.send) {
  // The channel carries messages of our own service only.
  process.on('message', (given) => {
    const message = given as ServiceMessage
    if (message.type === 'file') {
      files.handleResponse(message)
      return
    }
    if (message.type === 'disk-full') {
      reportFullDisk()
      return
    }
    const one = invoke(message).finally(() => running.delete(one))
    running.add(one)
  })
  process.on('disconnect', () => process.exit(0))
  process.once('SIGTERM', () => void shutDown().finally(() => process.exit(0)))
  // Ctrl-C reaches the whole process group; the service decides when workers end.
  process.on('SIGINT', () => {})
  jobEndEmitter.on(anyJob, (job: Job) => sendMessage({ type: 'job-ended', job }))
  sendMessage({ type: 'alive' })
  setInterval(() => sendMessage({ type: 'alive' }), aliveEveryMs)
}
