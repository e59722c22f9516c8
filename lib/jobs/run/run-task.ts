import { randomUUID } from 'node:crypto'
import { SignatureRefused } from '../../aws/signed-files.ts'
import { AppError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { toClientError, TransientError } from '../failure.ts'
import { isLiveStatus, isTaskOver, type Task } from '../job.ts'
import { dropPartsOfEnded, sendParts } from './chunks.ts'
import { type Claimed, done, type MessageOutcome, Stopped, type Work } from './claimed-task.ts'
import { Slots } from './concurrency-slots.ts'
import { Lease, LeaseLost } from './lease.ts'
import type { TaskRun } from './task-run.ts'

/** Runs what belongs to this image of a task, once, unless somebody else does. */
export async function runTask(run: TaskRun, work: Work): Promise<MessageOutcome> {
  const { ref, services } = run
  const log = services.log.child({ ...ref, queue: run.queue })
  const lease = new Lease(run, randomUUID(), log)
  const { store } = services.jobs
  const [{ applied, record: task }, job] = await Promise.all([lease.claim(), store.getJob(ref.jobId)])
  const slots = new Slots(services)
  if (!applied || !task) {
    const outcome = await notClaimed(run, task, log)
    // It may have been its turn.
    if (job) await slots.free(job)
    return outcome
  }
  const state = job && isLiveStatus(job.status) ? await unlessBusy(lease, store.getInputs(task, job)) : undefined
  if (!state) {
    log.info('message for a task of a job that is over')
    if (job) await slots.free(job)
    return done
  }
  if (!(await unlessBusy(lease, slots.take(state.job, ref, run.queue)))) {
    await lease.release()
    log.info('task waits until another job of its owner is over')
    return done
  }
  log.info({ requestId: state.job.requestId, taskName: task.name, attempt: task.attempt }, 'task claimed')
  const claimed = { task, state, lease, log }
  try {
    return await work(run, claimed)
  } catch (error) {
    return await recordFailure(run, claimed, error)
  } finally {
    await lease.end()
    await slots.free(state.job)
  }
}

/** A table that does not answer is no fault of the file, so that it costs no attempt. */
async function unlessBusy<T>(lease: Lease, reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch (error) {
    await lease.release()
    throw error
  }
}

/** Somebody works on it, it waits, or it is over, and then those that wait for it may not have heard of it. */
async function notClaimed({ services }: TaskRun, task: Task | undefined, log: Log): Promise<MessageOutcome> {
  if (!task) {
    log.info('message for a task that is gone')
    return done
  }
  const leftS = (Date.parse(task.leaseUntil ?? '') - Date.now()) / 1000
  if (task.status === 'processing' && leftS > 0) return { done: false, againInS: Math.ceil(leftS) + 1 }
  log.info({ status: task.status }, 'message told of nothing new')
  const { completion } = services.jobs
  if (isTaskOver(task)) {
    await completion.completeTask(task, { isRepeat: true })
    await dropPartsOfEnded(task, services)
  } else if (task.expandedBy !== undefined && task.open) await sendParts(task, services)
  return done
}

async function recordFailure(
  { services }: TaskRun,
  { lease, log, task }: Claimed,
  error: unknown,
): Promise<MessageOutcome> {
  if (error instanceof LeaseLost) {
    log.info('task was taken away or cancelled')
    return done
  }
  if (error instanceof Stopped) {
    await lease.release()
    return { done: false, againInS: 0 }
  }
  const isFinal = error instanceof AppError
  log[isFinal ? 'info' : 'error']({ error }, isFinal ? 'task failed' : 'attempt failed')
  if (!isFinal && (await lease.retry())) {
    if (error instanceof SignatureRefused) return { done: false, again: 'signed', againInS: 0 }
    return { done: false, againInS: error instanceof TransientError ? error.retryInS : 0 }
  }
  const { code, message, details } = toClientError(error)
  const isOurs = await lease.finish({
    status: 'failed',
    warnings: task.warnings,
    code,
    message,
    ...(details && { details }),
  })
  if (isOurs) await dropPartsOfEnded(task, services)
  // It may have been what follows an end that failed, and that end was stored: the message sees to the rest.
  return isOurs ? done : { done: false, againInS: 0 }
}
