import { mkdir, rm } from 'node:fs/promises'
import { makeProcessFolder, taskFolderPrefix } from '../../engines/sandbox/process-folder.ts'
import { AppError } from '../../errors.ts'
import { createOutOfSpaceError, DiskSpaceMonitor, isNoSpaceError } from '../../io/disk-space.ts'
import type { Log } from '../../log.ts'
import type { JobState, Task } from '../../model/job.ts'
import { type Lease, LeaseLostError } from './lease.ts'
import { isLastAttempt } from './lost-lease.ts'
import type { TaskRun } from './task-run.ts'
import type { TaskServices } from './task-services.ts'

/**
 * What to do with the queue message of a task: delete it, deliver it again after some seconds, or send a new one
 * whose URLs are signed again or which is for a worker without other tasks.
 */
export type MessageOutcome =
  | { readonly done: true }
  | { readonly done: false; readonly retryInS: number }
  | { readonly done: false; readonly resend: 'signed' | 'apart'; readonly retryInS: number }

export const doneOutcome: MessageOutcome = { done: true }

/** Thrown when the worker must stop; another worker takes over the task. */
export class WorkerStoppedError extends Error {}

/** A task that this worker has claimed. */
export interface ClaimedTask {
  readonly task: Task
  readonly state: JobState
  readonly lease: Lease
  readonly log: Log
}

/** Handles a task in the function of its queue. */
export type TaskHandler = (run: TaskRun, claimedTask: ClaimedTask) => Promise<MessageOutcome>

export async function useWorkDir<T>(
  { services }: TaskRun,
  action: (workDir: string) => Promise<T>,
): Promise<T> {
  const workDir = await createWorkDir(services.config)
  try {
    return await action(workDir)
  } finally {
    // The folder is removed after the task has ended, so that clients waiting for the job are not delayed.
    await rm(workDir, { recursive: true, force: true })
  }
}

async function createWorkDir({ WORK_DIR }: TaskServices['config']): Promise<string> {
  try {
    await mkdir(WORK_DIR, { recursive: true })
    return await makeProcessFolder(WORK_DIR, taskFolderPrefix)
  } catch (error) {
    throw isNoSpaceError(error) ? createOutOfSpaceError(error) : error
  }
}

/** Advice for conversions that exceed their time limit. */
export const tooMuchWorkHint =
  'Send a smaller file, or request less work: fewer pages, a shorter part, a lower resolution or a faster preset.'

export interface TimeLimit {
  /** Time limit for all attempts together, in seconds. */
  readonly limitS: number
  /** Advice to add to the error message. */
  readonly hint: string
}

/**
 * Runs an action with a time limit. Its signal is aborted when the limit is reached, the lease is lost, the disk is
 * full, or this process must stop.
 */
export async function runWithTimeLimit<T>(
  run: TaskRun,
  { task, state, lease }: ClaimedTask,
  { limitS, hint }: TimeLimit,
  action: (signal: AbortSignal, space: DiskSpaceMonitor) => Promise<T>,
): Promise<T> {
  const remainingMs = limitS * 1000 - (task.workedMs ?? 0)
  const isWorkerTimeShorter = run.remainingMs < remainingMs
  const timeout = AbortSignal.timeout(Math.max(1, Math.min(remainingMs, run.remainingMs, maxTimerMs)))
  const abortController = new AbortController()
  const onLimit = () =>
    abortController.abort(
      isWorkerTimeShorter ? createWorkerTimeoutError(task, run, hint) : createTimeoutError(limitS, hint),
    )
  timeout.addEventListener('abort', onLimit)
  const onStopping = () => abortController.abort(new WorkerStoppedError())
  const space = new DiskSpaceMonitor(run.services.config.WORK_DIR)
  const onDiskFull = () => abortController.abort(createOutOfSpaceError())
  run.stopSignal.addEventListener('abort', onStopping)
  run.outOfSpaceSignal.addEventListener('abort', onDiskFull)
  lease.startHeartbeat(state.job, () => abortController.abort(new LeaseLostError()))
  try {
    return await action(abortController.signal, space)
  } catch (error) {
    // The reason for the abort says more than the error that the engine throws.
    if (abortController.signal.aborted) throw abortController.signal.reason
    throw (await space.explainDiskError(error)) ?? error
  } finally {
    space.stop()
    run.stopSignal.removeEventListener('abort', onStopping)
    run.outOfSpaceSignal.removeEventListener('abort', onDiskFull)
  }
}

/** Maximum delay of a Node timer; longer delays fire immediately. */
const maxTimerMs = 2 ** 31 - 1

/**
 * Creates the error for a time limit. A chunk may have been slow because of its machine, so another worker retries it.
 */
function createWorkerTimeoutError(task: Task, { remainingMs }: TaskRun, hint: string): Error {
  const limitS = Math.round(remainingMs / 1000)
  if (task.part !== undefined && !isLastAttempt(task))
    return new Error(`the chunk took longer than ${limitS} s`)
  return new AppError(
    'TIMEOUT',
    `The task did not finish within ${limitS} s, the time limit of one worker. ${hint}`,
    { limitS },
  )
}

export function createTimeoutError(limitS: number, hint: string): AppError {
  const sentence = `The task exceeded its time limit of ${Math.round(limitS / 60)} min. ${hint}`
  return new AppError('TIMEOUT', sentence, { limitS })
}
