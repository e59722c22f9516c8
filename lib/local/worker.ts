import type { SQSEvent } from 'aws-lambda'
import type { Job } from '../jobs/job.ts'
import { anyJob, jobEndEmitter } from '../jobs/job-end-emitter.ts'
import { type Failure, failureOf } from './lambda/function-error.ts'
import type { FunctionContext } from './lambda/runtime.ts'
import { AskedFiles, type FileAnswer, type FileWish, sharingFiles } from './worker-file-broker.ts'

/** What the service and a worker process tell each other. */
export type ServiceMessage = Invocation | FileAnswer | { readonly type: 'disk-full' }
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
  | FileWish
  | { readonly type: 'alive' }
  | { readonly type: 'job-ended'; readonly job: Job }
  | { readonly type: 'result'; readonly id: number; readonly value: unknown }
  | { readonly type: 'error'; readonly id: number; readonly failure: Failure }

type Created = ReturnType<typeof import('../../functions/convert.ts').createFunction>
/** Functions that a queue feeds are made with what is near them; others are there. */
type FunctionModule =
  | { readonly createFunction: typeof import('../../functions/convert.ts').createFunction }
  | Readonly<Record<string, Created['handler']>>

/** A worker that does not show itself for several of these hangs. */
export const aliveEveryMs = 2000

const tell = (message: WorkerMessage) => process.send?.(message)

/** A process may end before what it has just told is on its way. */
const tellSurely = (message: WorkerMessage) =>
  new Promise<void>((resolve) => process.send?.(message, () => resolve()))

const files = new AskedFiles(tell)
const [module = '', exported = 'handler'] = (process.argv[2] ?? '').split('.')
const loaded = (await import(`../../functions/${module}.ts`)) as FunctionModule // by name of Worker
const { handler, stop, runOut } = created(loaded)

function created(of: FunctionModule): Created {
  if (typeof of.createFunction === 'function')
    return (of as Extract<FunctionModule, { createFunction: unknown }>).createFunction(
      process.argv.includes(sharingFiles) ? { files } : {},
    )
  const named = (of as Readonly<Record<string, Created['handler']>>)[exported]
  if (!named) throw new Error(`there is no ${module}.${exported}`)
  return { handler: named, stop: async () => undefined, runOut: () => undefined }
}

async function invoke({ id, event, deadline, context }: Invocation): Promise<void> {
  try {
    const value = await handler(event as SQSEvent, {
      ...context,
      getRemainingTimeInMillis: () => deadline - Date.now(),
    })
    await tellSurely({ type: 'result', id, value })
  } catch (error) {
    await tellSurely({ type: 'error', id, failure: failureOf(error) })
  }
}

const running = new Set<Promise<void>>()

/** Not before tasks are given back: else their jobs wait for a lease to end, and have lost an attempt. */
async function end(): Promise<void> {
  await stop()
  await Promise.all(running)
}

// Started as a process of its own, not imported by the service.
if (process.send) {
  // The channel carries messages of our own service only.
  process.on('message', (given) => {
    const message = given as ServiceMessage
    if (message.type === 'file') {
      files.hear(message)
      return
    }
    if (message.type === 'disk-full') {
      runOut()
      return
    }
    const one = invoke(message).finally(() => running.delete(one))
    running.add(one)
  })
  process.on('disconnect', () => process.exit(0))
  process.once('SIGTERM', () => void end().finally(() => process.exit(0)))
  // Ctrl-C reaches the whole process group; the service decides when workers end.
  process.on('SIGINT', () => {})
  jobEndEmitter.on(anyJob, (job: Job) => tell({ type: 'job-ended', job }))
  tell({ type: 'alive' })
  setInterval(() => tell({ type: 'alive' }), aliveEveryMs)
}
