import type { Change } from '../aws/table-expressions.ts'
import { isTaskOver, JobError, type Task } from '../model/job.ts'
import { isUnreadableError } from '../plan/unreadable-error.ts'
import { defined } from '../validation/defined.ts'
import { getTaskPercent, isReadyToJoin } from './job-state-machine.ts'
import { type JobStore, toTaskRef } from './store.ts'
import {
  getChunkAttempt,
  getOriginalChunkNumber,
  getSpeculativeCopyNumber,
  isSpeculativeCopy,
} from './task-graph.ts'

/** Handles the end of a chunk of a task. */

/**
 * Returns the change to make to a record that waits for dependencies when one of these has finished. A dependency that
 * failed with `continueOnError` is only removed from those that the record waits for.
 */
export const createDependencyUpdate = (
  number: number,
  isDone: boolean,
  failsDependents: boolean,
): Change => ({
  exclude: { open: new Set([number]) },
  ...((isDone || failsDependents) && { include: { [failsDependents ? 'lost' : 'got']: new Set([number]) } }),
})

interface ChunkCompletionDeps {
  readonly store: JobStore
  readonly sendTask: (task: Task) => Promise<void>
  readonly completeTask: (task: Task, options: { readonly isRepeat: boolean }) => Promise<void>
  readonly publishPercent: (task: Task, percent: number) => Promise<void>
}

/** Updates the task of a finished chunk. The task continues when all chunks are complete, or ends if one has failed. */
export async function completeChunk(
  chunk: Task,
  isRepeat: boolean,
  deps: ChunkCompletionDeps,
): Promise<void> {
  // Chunks are only cancelled together with their task.
  if (chunk.status === 'cancelled') return
  const { jobId, number } = chunk
  const originalNumber = getOriginalChunkNumber(chunk.part ?? 0)
  const isDone = chunk.status === 'completed'
  if (!isDone && (await hasViableOtherAttempt(chunk, deps.store))) return
  const { applied, record: task } = await deps.store.changeTask(
    { jobId, task: number },
    createDependencyUpdate(originalNumber, isDone, !isDone),
    { condition: { equal: { status: 'processing', expandedBy: getChunkAttempt(originalNumber) } } },
  )
  if (!task) return
  if (!applied) {
    if (isRepeat && isTaskOver(task)) await deps.completeTask(task, { isRepeat })
    // The process that reset the task may have died before sending it.
    if (isRepeat && task.status === 'pending' && awaitsFallback(task)) await deps.sendTask(task)
    return
  }
  if (!isDone)
    return isUnreadableError(toJobError(chunk))
      ? retryWithFallback(task, chunk, deps)
      : failTask(chunk, isRepeat, deps)
  if (isReadyToJoin(task)) {
    if (!task.leaseId) await deps.sendTask(task)
  } else if (!task.bucketed) await deps.publishPercent(task, getTaskPercent(task))
}

/**
 * Whether the other attempt of a failed chunk (its speculative copy or its original) is complete or may still complete.
 */
async function hasViableOtherAttempt({ jobId, number, part = 0 }: Task, store: JobStore): Promise<boolean> {
  const otherTask = await store.getTask({
    jobId,
    task: number,
    part: isSpeculativeCopy(part) ? getOriginalChunkNumber(part) : getSpeculativeCopyNumber(part),
  })
  return otherTask !== undefined && (otherTask.status === 'completed' || !isTaskOver(otherTask))
}

const awaitsFallback = ({ pieces }: Task) => pieces?.some(({ failure }) => failure) === true

/** Returns the error with which a chunk ended. */
const toJobError = ({ code, message = '', details }: Task) =>
  JobError.parse({ code, message, ...defined({ details }) })

/**
 * Resets the task for a fallback route, because another engine may be able to read the file; its chunks are discarded.
 */
async function retryWithFallback(
  task: Task,
  chunk: Task,
  { store, sendTask }: ChunkCompletionDeps,
): Promise<void> {
  // If this write is repeated after a lost response, the value shows that it has already succeeded.
  const endedBy = `part ${chunk.part}`
  const { applied, record } = await store.changeTask(
    toTaskRef(task),
    {
      set: {
        status: 'pending',
        attempt: 0,
        percent: getTaskPercent(task),
        endedBy,
        pieces: (task.pieces ?? []).map((inputPlan) => ({ ...inputPlan, failure: toJobError(chunk) })),
      },
      remove: ['leaseId', 'leaseUntil', 'expandedBy', 'partCount', 'open', 'lost', 'got'],
    },
    { condition: { equal: { status: 'processing', expandedBy: task.expandedBy } }, writeMarker: { endedBy } },
  )
  if (applied && record) await sendTask(record)
}

/** Fails the task with the error of its chunk, which also stops the other chunks. */
async function failTask(
  chunk: Task,
  isRepeat: boolean,
  { store, completeTask }: ChunkCompletionDeps,
): Promise<void> {
  const { jobId, number, part: chunkNumber, code, message, details } = chunk
  const endedBy = `part ${chunkNumber}`
  const { applied, record: task } = await store.changeTask(
    { jobId, task: number },
    {
      set: { status: 'failed', code, message, details, endedBy, endedAt: new Date().toISOString() },
      remove: ['leaseId', 'leaseUntil', 'pieces', 'stage'],
    },
    { condition: { equal: { status: 'processing' } }, writeMarker: { endedBy } },
  )
  if (applied && task) await completeTask(task, { isRepeat })
}
