import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ImageId } from '../engines/engine.ts'
import { AppError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Services } from '../services.ts'
import type { Job, JobError, Task } from './job.ts'
import { newLease } from './lease.ts'
import type { JobState } from './machine.ts'
import { runSteps, type StepsResult } from './run-steps.ts'
import type { TaskMessage } from './task-message.ts'
import { tookTooLong } from './transitions.ts'

/** What becomes of the message: it is done, or it comes back after some seconds. */
export type TaskOutcome = { readonly done: true } | { readonly done: false; readonly againInS: number }

const done: TaskOutcome = { done: true }

export interface TaskRun extends TaskMessage {
  readonly image: ImageId
  readonly services: Services
  /** Keeps the message hidden from others for so many seconds from now. */
  hide(seconds: number): Promise<void>
  /** Fires when this process must end; the task goes back without losing an attempt. */
  readonly stopping: AbortSignal
  /** Milliseconds that this process has left for the task. */
  readonly remainingMs: number
}

/** A worker that is told to end has its task taken over by another one. */
class Stopped extends Error {}
/** The task belongs to somebody else by now, or the job is over. */
class LeaseLost extends Error {}

/** Runs the steps of a task that belong to this image, once, unless somebody else does. */
export async function runTask(run: TaskRun): Promise<TaskOutcome> {
  const { jobId, taskName, services } = run
  const log = services.log.child({ jobId, taskName, image: run.image })
  const lease = newLease(run, randomUUID(), log)
  const claimed = await lease.claim()
  if (!claimed) return notClaimed(run, log)
  const task = taskOf(claimed, taskName)
  if (claimed.job.status === 'failed') {
    await services.jobs.perform(claimed)
    return done
  }
  const told = services.jobs.perform(claimed)
  // Awaited below; until then its failure must not count as unhandled.
  told.catch(() => {})
  log.info({ requestId: claimed.job.requestId, attempt: task.attempt, step: task.step }, 'task claimed')
  try {
    const result = await work(run, claimed.job, task, lease, log)
    await told
    return await conclude(run, lease, result)
  } catch (error) {
    await told
    return await giveUp(run, claimed.job, lease, error, log)
  } finally {
    lease.end()
  }
}

function taskOf(state: JobState, name: string): Task {
  const task = state.tasks.find((candidate) => candidate.name === name)
  if (!task) throw new Error(`the state holds no task ${name}`)
  return task
}

/** Somebody works on it, or it is over, and then what its end calls for may not have happened yet. */
async function notClaimed(
  { jobId, taskName, dependents, services }: TaskRun,
  log: Log,
): Promise<TaskOutcome> {
  const state = await services.jobs.store.some(jobId, [taskName, ...dependents])
  const task = state?.tasks.find(({ name }) => name === taskName)
  if (!state || !task) {
    log.info('message for a job that is gone')
    return done
  }
  const leftS = (Date.parse(task.leaseUntil ?? '') - Date.now()) / 1000
  if (task.status === 'processing' && leftS > 0) return { done: false, againInS: Math.ceil(leftS) + 1 }
  log.info({ status: task.status }, 'message told of nothing new')
  await services.jobs.perform(state)
  return done
}

async function work(
  run: TaskRun,
  job: Job,
  task: Task,
  lease: ReturnType<typeof newLease>,
  log: Log,
): Promise<StepsResult> {
  const { WORK_DIR } = run.services.config
  await mkdir(WORK_DIR, { recursive: true })
  const workDir = await mkdtemp(join(WORK_DIR, 'task-'))
  const spentMs = Date.now() - Date.parse(job.startedAt ?? job.createdAt)
  const limit = AbortSignal.timeout(Math.max(1, Math.min(job.timeoutS * 1000 - spentMs, run.remainingMs)))
  const stop = new AbortController()
  limit.addEventListener('abort', () => stop.abort(timeout(job)), { once: true })
  const onStopping = () => stop.abort(new Stopped())
  run.stopping.addEventListener('abort', onStopping, { once: true })
  lease.onLost(() => stop.abort(new LeaseLost()))
  lease.keep()
  try {
    return await runSteps({ ...run, job, task, workDir, signal: stop.signal, log, progress: lease.progress })
  } catch (error) {
    // What an engine throws when it is aborted says less than why it was.
    throw stop.signal.aborted ? stop.signal.reason : error
  } finally {
    run.stopping.removeEventListener('abort', onStopping)
    await rm(workDir, { recursive: true, force: true })
  }
}

export function timeout(job: Job): AppError {
  const { code, message, details } = tookTooLong(job)
  return new AppError(code, message, details)
}

async function conclude(
  { services }: TaskRun,
  lease: ReturnType<typeof newLease>,
  result: StepsResult,
): Promise<TaskOutcome> {
  const state = await lease.finish(result)
  if (state) await services.jobs.perform(state)
  // Somebody else has the task, or nobody wants it any more: these files belong to no record.
  else await services.files.delete(result.outcome.files.map(({ key }) => key))
  return done
}

async function giveUp(
  run: TaskRun,
  job: Job,
  lease: ReturnType<typeof newLease>,
  error: unknown,
  log: Log,
): Promise<TaskOutcome> {
  if (error instanceof LeaseLost) {
    log.info('task was taken away or cancelled')
    return done
  }
  if (error instanceof Stopped) {
    await lease.release()
    return { done: false, againInS: 0 }
  }
  const final = error instanceof AppError
  log[final ? 'info' : 'error']({ error, requestId: job.requestId }, final ? 'task failed' : 'attempt failed')
  const state = await lease.fail(errorForClient(error), !final)
  if (state) await run.services.jobs.perform(state)
  return done
}

/** What the client hears of it, of anything but an AppError when the last attempt ended by it. */
export function errorForClient(error: unknown): JobError {
  if (!(error instanceof AppError)) return brokeDown
  const { code, message, details } = error
  return { code, message, ...(details && { details: { ...details } }) }
}

const brokeDown: JobError = {
  code: 'CONVERSION_FAILED',
  message:
    'The engine broke down on this file, three times. The file may be damaged or need more memory than one conversion gets.',
}
