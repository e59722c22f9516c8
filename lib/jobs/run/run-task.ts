import { randomUUID } from 'node:crypto'
import { SignatureRefused } from '../../aws/signed-files.ts'
import { AppError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { TransientError, toClientError } from '../failure.ts'
import { isLiveStatus, isTaskOver, type Task } from '../job.ts'
import { deleteChunksOfEnded, sendChunks } from './chunks.ts'
import {
  type ClaimedTask,
  type MessageOutcome,
  messageDone,
  type TaskHandler,
  WorkerStopped,
} from './claimed-task.ts'
import { ConcurrencySlots } from './concurrency-slots.ts'
import { Lease, LeaseLost } from './lease.ts'
import type { TaskRun } from './task-run.ts'

/** Runs what belongs to this image of a task, once, unless somebody else does. */
export async function runTask(run: TaskRun, handleTask: TaskHandler): Promise<MessageOutcome> {
  const { ref, services } = run
  const log = services.log.child({ ...ref, queue: run.queue })
  const lease = new Lease(run, randomUUID(), log)
  const { store } = services.jobs
  const [{ applied, record: task }, job] = await Promise.all([lease.claim(), store.getJob(ref.jobId)])
  const slots = new ConcurrencySlots(services)
  if (!applied || !task) {
    const outcome = await handleUnclaimed(run, task, log)
    // It may have been its turn.
    if (job) await slots.release(job)
    return outcome
  }
  const state =
    job && isLiveStatus(job.status) ? await releaseOnError(lease, store.getInputs(task, job)) : undefined
  if (!state) {
    log.info('message for a task of a job that is over')
    if (job) await slots.release(job)
    return messageDone
  }
  if (!(await releaseOnError(lease, slots.acquire(state.job, ref, run.queue)))) {
    await lease.release()
    log.info('task waits until another job of its owner is over')
    return messageDone
  }
  log.info({ requestId: state.job.requestId, taskName: task.name, attempt: task.attempt }, 'task claimed')
  const claimed = { task, state, lease, log }
  try {
    return await handleTask(run, claimed)
  } catch (error) {
    return await recordFailure(run, claimed, error)
  } finally {
    await lease.stopHeartbeat()
    await slots.release(state.job)
  }
}

/** A table that does not answer is no fault of the file, so that it costs no attempt. */
async function releaseOnError<T>(lease: Lease, reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch (error) {
    await lease.release()
    throw error
  }
}

/** Somebody works on it, it waits, or it is over, and then those that wait for it may not have heard of it. */
async function handleUnclaimed(
  { services }: TaskRun,
  task: Task | undefined,
  log: Log,
): Promise<MessageOutcome> {
  if (!task) {
    log.info('message for a task that is gone')
    return messageDone
  }
  const leaseLeftS = (Date.parse(task.leaseUntil ?? '') - Date.now()) / 1000
  if (task.status === 'processing' && leaseLeftS > 0)
    return { done: false, retryInS: Math.ceil(leaseLeftS) + 1 }
  log.info({ status: task.status }, 'message told of nothing new')
  const { completion } = services.jobs
  if (isTaskOver(task)) {
    await completion.completeTask(task, { isRepeat: true })
    await deleteChunksOfEnded(task, services)
  } else if (task.expandedBy !== undefined && task.open) await sendChunks(task, services)
  return messageDone
}

async function recordFailure(
  { services }: TaskRun,
  { lease, log, task }: ClaimedTask,
  error: unknown,
): Promise<MessageOutcome> {
  if (error instanceof LeaseLost) {
    log.info('task was taken away or cancelled')
    return messageDone
  }
  if (error instanceof WorkerStopped) {
    await lease.release()
    return { done: false, retryInS: 0 }
  }
  const isFinal = error instanceof AppError
  log[isFinal ? 'info' : 'error']({ error }, isFinal ? 'task failed' : 'attempt failed')
  if (!isFinal && (await lease.retry())) {
    if (error instanceof SignatureRefused) return { done: false, resend: 'signed', retryInS: 0 }
    return { done: false, retryInS: error instanceof TransientError ? error.retryInS : 0 }
  }
  const { code, message, details } = toClientError(error)
  const isStored = await lease.finish({
    status: 'failed',
    warnings: task.warnings,
    code,
    message,
    ...(details && { details }),
  })
  if (isStored) await deleteChunksOfEnded(task, services)
  // It may have been what follows an end that failed, and that end was stored: the message sees to the rest.
  return isStored ? messageDone : { done: false, retryInS: 0 }
}
