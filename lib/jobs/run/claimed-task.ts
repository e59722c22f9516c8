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
  | { readonly done: false; readonly retryInS: number }
  | { readonly done: false; readonly resend: 'signed'; readonly retryInS: number }

export const messageDone: MessageOutcome = { done: true }

/** A worker that is told to end has its task taken over by another one. */
export class WorkerStopped extends Error {}

/** What a worker knows of the task that it has. */
export interface ClaimedTask {
  readonly task: Task
  readonly state: JobState
  readonly lease: Lease
  readonly log: Log
}

/** What is done for a task by the function of its queue, which loads nothing else. */
export type TaskHandler = (run: TaskRun, claimed: ClaimedTask) => Promise<MessageOutcome>

export async function withWorkDir<T>(
  { services }: TaskRun,
  action: (workDir: string) => Promise<T>,
): Promise<T> {
  const workDir = await createWorkDir(services.config)
  try {
    return await action(workDir)
  } finally {
    // Whoever waits for the job has its end by now.
    await rm(workDir, { recursive: true, force: true })
  }
}

async function createWorkDir({ WORK_DIR }: TaskServices['config']): Promise<string> {
  try {
    await mkdir(WORK_DIR, { recursive: true })
    return await makeProcessFolder(WORK_DIR, taskFolderPrefix)
  } catch (error) {
    throw saysNoSpace(error) ? ranOut(error) : error
  }
}

/** What helps whose conversion takes too long. */
export const tooMuchWorkHint =
  'Send a smaller file, or ask for less of it: fewer pages, a shorter part, a lower resolution, a faster preset.'

export interface TimeLimit {
  /** Seconds from the first claim of the task. */
  readonly limitS: number
  /** What helps whose task takes longer. */
  readonly hint: string
}

/** The signal fires when the task's time is over, when somebody else has it, or when this process has to end. */
export async function withTimeLimit<T>(
  run: TaskRun,
  { task, state, lease }: ClaimedTask,
  { limitS, hint }: TimeLimit,
  action: (signal: AbortSignal, space: SpaceWatch) => Promise<T>,
): Promise<T> {
  const remainingMs = Date.parse(task.startedAt ?? task.createdAt) + limitS * 1000 - Date.now()
  const isRunShorter = run.remainingMs < remainingMs
  const timeout = AbortSignal.timeout(Math.max(1, Math.min(remainingMs, run.remainingMs, maxTimerMs)))
  const stop = new AbortController()
  const onLimit = () =>
    stop.abort(isRunShorter ? workerTimeoutError(task, run, hint) : timeoutError(limitS, hint))
  timeout.addEventListener('abort', onLimit)
  const onStopping = () => stop.abort(new WorkerStopped())
  const space = new SpaceWatch(run.services.config.WORK_DIR)
  const onFull = () => stop.abort(ranOut())
  run.stopping.addEventListener('abort', onStopping)
  run.outOfSpace.addEventListener('abort', onFull)
  lease.startHeartbeat(state.job, () => stop.abort(new LeaseLost()))
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
const maxTimerMs = 2 ** 31 - 1

/** A part that fits into a run may have met a slow machine; whoever has it next need not. */
function workerTimeoutError({ part, attempt }: Task, { remainingMs }: TaskRun, hint: string): Error {
  const limitS = Math.round(remainingMs / 1000)
  if (part !== undefined && attempt < maxAttempts) return new Error(`the part took longer than ${limitS} s`)
  return new AppError(
    'TIMEOUT',
    `The task did not end within the ${limitS} s that one machine of this service works on it. ${hint}`,
    { limitS },
  )
}

export function timeoutError(limitS: number, hint: string): AppError {
  const sentence = `The task took longer than the ${Math.round(limitS / 60)} min that it may take. ${hint}`
  return new AppError('TIMEOUT', sentence, { limitS })
}
