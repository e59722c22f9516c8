import { randomUUID } from 'node:crypto'
import { SignatureRejectedError } from '../../aws/signed-files.ts'
import { AppError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { isLiveStatus, isTaskOver, type Task } from '../../model/job.ts'
import { annotateSpan, failSpan } from '../../trace.ts'
import { defined } from '../../validation/defined.ts'
import { TransientError, toClientError } from '../failure.ts'
import { deleteChunksOfEndedTask, sendChunks } from './chunks.ts'
import {
  type ClaimedTask,
  doneOutcome,
  type MessageOutcome,
  type TaskHandler,
  WorkerStoppedError,
} from './claimed-task.ts'
import { ConcurrencySlots } from './concurrency-slots.ts'
import { Lease, LeaseLostError } from './lease.ts'
import type { TaskRun } from './task-run.ts'

/** Claims a task, unless another worker has claimed it, and runs the steps that belong to this queue. */
export async function runTask(run: TaskRun, handleTask: TaskHandler): Promise<MessageOutcome> {
  const { ref, services } = run
  const log = services.log.child({ ...ref, queue: run.queue })
  annotateSpan({ 'mutabor.job.id': ref.jobId, 'mutabor.task': ref.task, 'mutabor.chunk': ref.part })
  const lease = new Lease(run, randomUUID(), log)
  const { store } = services.jobs
  const [{ applied, record: task }, job] = await Promise.all([lease.claim(), store.getJob(ref.jobId)])
  const slots = new ConcurrencySlots(services)
  if (!applied || !task) {
    const outcome = await handleUnclaimed(run, task, log)
    // The job may have occupied a concurrency slot.
    if (job) await slots.release(job)
    return outcome
  }
  const state =
    job && isLiveStatus(job.status) ? await releaseOnError(lease, store.getInputs(task, job)) : undefined
  if (!state) {
    log.info('message for a task whose job is over')
    if (job) await slots.release(job)
    return doneOutcome
  }
  if (!(await releaseOnError(lease, slots.acquire(state.job, ref, run.queue)))) {
    await lease.release()
    log.info('task waits until another job of its owner is over')
    return doneOutcome
  }
  log.info({ requestId: state.job.requestId, taskName: task.name, attempt: task.attempt }, 'task claimed')
  annotateSpan({ 'mutabor.operation': task.operation, 'mutabor.attempt': task.attempt })
  const claimedTask = { task, state, lease, log }
  try {
    return await handleTask(run, claimedTask)
  } catch (error) {
    return await recordFailure(run, claimedTask, error)
  } finally {
    await lease.stopHeartbeat()
    await slots.release(state.job, { isJobOver: lease.hasEndedJob })
  }
}

/** Releases the lease without using up an attempt if the table fails, because that is not the file's fault. */
async function releaseOnError<T>(lease: Lease, readPromise: Promise<T>): Promise<T> {
  try {
    return await readPromise
  } catch (error) {
    await lease.release()
    throw error
  }
}

/** Handles a task that is running elsewhere, is waiting, or has ended; repeats the completion of an ended task. */
async function handleUnclaimed(
  { services, isShared }: TaskRun,
  task: Task | undefined,
  log: Log,
): Promise<MessageOutcome> {
  if (!task) {
    log.info('message for a task that no longer exists')
    return doneOutcome
  }
  const leaseLeftS = (Date.parse(task.leaseUntil ?? '') - Date.now()) / 1000
  if (task.status === 'processing' && leaseLeftS > 0)
    return { done: false, retryInS: Math.ceil(leaseLeftS) + 1 }
  if (isShared && mustRunAlone(task)) {
    log.info('task is sent to a worker of its own')
    return { done: false, resend: 'apart', retryInS: 0 }
  }
  log.info({ status: task.status }, 'duplicate message for a task')
  const { completion } = services.jobs
  if (isTaskOver(task)) {
    await completion.completeTask(task, { isRepeat: true })
    await deleteChunksOfEndedTask(task, services)
  } else if (task.expandedBy !== undefined && task.open) await sendChunks(task, services)
  return doneOutcome
}

const mustRunAlone = ({ apart, open, leaseId, status }: Task) =>
  apart === true && !open && leaseId === undefined && (status === 'pending' || status === 'processing')

async function recordFailure(
  { services }: TaskRun,
  { lease, log, task }: ClaimedTask,
  error: unknown,
): Promise<MessageOutcome> {
  if (error instanceof LeaseLostError) {
    log.info('task was cancelled or taken over')
    return doneOutcome
  }
  if (error instanceof WorkerStoppedError) {
    await lease.release()
    return { done: false, retryInS: 0 }
  }
  const isFinal = error instanceof AppError
  log[isFinal ? 'info' : 'error']({ error }, isFinal ? 'task failed' : 'attempt failed')
  if (!isFinal && (await lease.retry())) {
    if (error instanceof SignatureRejectedError) return { done: false, resend: 'signed', retryInS: 0 }
    return { done: false, retryInS: error instanceof TransientError ? error.retryInS : 0 }
  }
  const { code, message, details } = toClientError(error)
  failSpan(code)
  const isStored = await lease.finish({
    status: 'failed',
    warnings: task.warnings,
    code,
    message,
    ...defined({ details }),
  })
  if (isStored) await deleteChunksOfEndedTask(task, services)
  // The end may have been stored before a later step failed; the redelivered message then repeats the remaining steps.
  return isStored ? doneOutcome : { done: false, retryInS: 0 }
}
