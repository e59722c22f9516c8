import { mkdir, rm } from 'node:fs/promises'
import { ranOut, SpaceWatch, saysNoSpace } from '../../disk-space.ts'
import { makeProcessFolder, taskFolderPrefix } from '../../engines/sandbox/process-folder.ts'
import { AppError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { JobState, Task } from '../job.ts'
import { maxAttempts } from '../job-state-machine.ts'
import { type Lease, LeaseLost } from './lease.ts'
import type { TaskRun } from './task-run.ts'
import type { TaskServices } from './task-services.ts'

/** What becomes of the message: it is done, or it comes back after some seconds. */
export type MessageOutcome =
  | { readonly done: true }
  | { readonly done: false; readonly againInS: number }
  | { readonly done: false; readonly again: 'signed'; readonly againInS: number }

export const done: MessageOutcome = { done: true }

/** A worker that is told to end has its task taken over by another one. */
export class Stopped extends Error {}

/** What a worker knows of the task that it has. */
export interface Claimed {
  readonly task: Task
  readonly state: JobState
  readonly lease: Lease
  readonly log: Log
}

/** What is done for a task by the function of its queue, which loads nothing else. */
export type Work = (run: TaskRun, claimed: Claimed) => Promise<MessageOutcome>

export async function inWorkDir<T>(
  { services }: TaskRun,
  action: (workDir: string) => Promise<T>,
): Promise<T> {
  const workDir = await makeWorkFolder(services.config)
  try {
    return await action(workDir)
  } finally {
    // Whoever waits for the job has its end by now.
    await rm(workDir, { recursive: true, force: true })
  }
}

async function makeWorkFolder({ WORK_DIR }: TaskServices['config']): Promise<string> {
  try {
    await mkdir(WORK_DIR, { recursive: true })
    return await makeProcessFolder(WORK_DIR, taskFolderPrefix)
  } catch (error) {
    throw saysNoSpace(error) ? ranOut(error) : error
  }
}

/** What helps whose conversion takes too long. */
export const askForLess =
  'Send a smaller file, or ask for less of it: fewer pages, a shorter part, a lower resolution, a faster preset.'

export interface Limit {
  /** Seconds from the first claim of the task. */
  readonly limitS: number
  /** What helps whose task takes longer. */
  readonly wayOut: string
}

/** The signal fires when the task's time is over, when somebody else has it, or when this process has to end. */
export async function withinLimit<T>(
  run: TaskRun,
  { task, state, lease }: Claimed,
  { limitS, wayOut }: Limit,
  action: (signal: AbortSignal, space: SpaceWatch) => Promise<T>,
): Promise<T> {
  const leftMs = Date.parse(task.startedAt ?? task.createdAt) + limitS * 1000 - Date.now()
  const isRunShorter = run.remainingMs < leftMs
  const limit = AbortSignal.timeout(Math.max(1, Math.min(leftMs, run.remainingMs, longestTimerMs)))
  const stop = new AbortController()
  const onLimit = () => stop.abort(isRunShorter ? outOfRun(task, run, wayOut) : tookTooLong(limitS, wayOut))
  limit.addEventListener('abort', onLimit)
  const onStopping = () => stop.abort(new Stopped())
  const space = new SpaceWatch(run.services.config.WORK_DIR)
  const onFull = () => stop.abort(ranOut())
  run.stopping.addEventListener('abort', onStopping)
  run.outOfSpace.addEventListener('abort', onFull)
  lease.keep(state.job, () => stop.abort(new LeaseLost()))
  try {
    return await action(stop.signal, space)
  } catch (error) {
    // What an engine throws when it is aborted says less than why it was.
    if (stop.signal.aborted) throw stop.signal.reason
    throw (await space.explain(error)) ?? error
  } finally {
    space.stop()
    run.stopping.removeEventListener('abort', onStopping)
    run.outOfSpace.removeEventListener('abort', onFull)
  }
}

/** What a timer takes at most; longer ones fire at once. */
const longestTimerMs = 2 ** 31 - 1

/** A part that fits into a run may have met a slow machine; whoever has it next need not. */
function outOfRun({ part, attempt }: Task, { remainingMs }: TaskRun, wayOut: string): Error {
  const limitS = Math.round(remainingMs / 1000)
  if (part !== undefined && attempt < maxAttempts) return new Error(`the part took longer than ${limitS} s`)
  return new AppError(
    'TIMEOUT',
    `The task did not end within the ${limitS} s that one machine of this service works on it. ${wayOut}`,
    { limitS },
  )
}

export function tookTooLong(limitS: number, wayOut: string): AppError {
  const sentence = `The task took longer than the ${Math.round(limitS / 60)} min that it may take. ${wayOut}`
  return new AppError('TIMEOUT', sentence, { limitS })
}
