import { isUnreadableError } from '../conversion/unreadable-error.ts'
import { dependencyUpdate } from './dependency-update.ts'
import { isTaskOver, JobError, type Task } from './job.ts'
import { isReadyToJoin, percentOfTask } from './job-state-machine.ts'
import { type JobStore, taskRefOf } from './store.ts'
import { attemptOfChunk, isSpeculativeCopy, originalChunkOf, speculativeCopyOf } from './task-graph.ts'

/** What follows when a part of a task ends. */

interface ChunkCompletionDeps {
  readonly store: JobStore
  readonly sendTask: (task: Task) => Promise<void>
  readonly completeTask: (task: Task, how: { readonly isRepeat: boolean }) => Promise<void>
  readonly publishPercent: (task: Task, percent: number) => Promise<void>
}

/** The part tells its task, which goes on when all of them are there, and ends when one of them is lost. */
export async function completeChunk(
  chunk: Task,
  isRepeat: boolean,
  deps: ChunkCompletionDeps,
): Promise<void> {
  // Whoever cancels a part cancels its task.
  if (chunk.status === 'cancelled') return
  const { jobId, number } = chunk
  const original = originalChunkOf(chunk.part ?? 0)
  const isDone = chunk.status === 'completed'
  if (!isDone && (await isLeftToCopy(chunk, deps.store))) return
  const { applied, record: task } = await deps.store.changeTask(
    { jobId, task: number },
    dependencyUpdate(original, isDone, !isDone),
    { condition: { equal: { status: 'processing', expandedBy: attemptOfChunk(original) } } },
  )
  if (!task) return
  if (!applied) {
    if (isRepeat && isTaskOver(task)) await deps.completeTask(task, { isRepeat })
    // Whoever sent it back may not have come to say so.
    if (isRepeat && task.status === 'pending' && awaitsFallback(task)) await deps.sendTask(task)
    return
  }
  if (!isDone)
    return isUnreadableError(errorOf(chunk))
      ? retryWithFallback(task, chunk, deps)
      : failTask(chunk, isRepeat, deps)
  if (isReadyToJoin(task)) {
    if (!task.leaseId) await deps.sendTask(task)
  } else if (!task.bucketed) await deps.publishPercent(task, percentOfTask(task))
}

/** It has a twin, or is one, and the other was there first or may still be: nothing is lost as long as not both are. */
async function isLeftToCopy({ jobId, number, part = 0 }: Task, store: JobStore): Promise<boolean> {
  const other = await store.getTask({
    jobId,
    task: number,
    part: isSpeculativeCopy(part) ? originalChunkOf(part) : speculativeCopyOf(part),
  })
  return other !== undefined && (other.status === 'completed' || !isTaskOver(other))
}

const awaitsFallback = ({ pieces }: Task) => pieces?.some(({ failure }) => failure) === true

/** As an AppError of its engine was stored. */
const errorOf = ({ code, message = '', details }: Task) =>
  JobError.parse({ code, message, ...(details && { details }) })

/** Another engine may read what this one could not: the task looks for another way, and the other parts are of no use. */
async function retryWithFallback(
  task: Task,
  chunk: Task,
  { store, sendTask }: ChunkCompletionDeps,
): Promise<void> {
  // An answer that was lost is asked for again, and then this tells that it was us who sent it back.
  const endedBy = `part ${chunk.part}`
  const { applied, record } = await store.changeTask(
    taskRefOf(task),
    {
      set: {
        ...{ status: 'pending', attempt: 0, percent: percentOfTask(task), endedBy },
        pieces: (task.pieces ?? []).map((inputPlan) => ({ ...inputPlan, failure: errorOf(chunk) })),
      },
      remove: ['leaseId', 'leaseUntil', 'expandedBy', 'partCount', 'open', 'lost', 'got'],
    },
    { condition: { equal: { status: 'processing', expandedBy: task.expandedBy } }, mark: { endedBy } },
  )
  if (applied && record) await sendTask(record)
}

/** The task ends as its part did; the others go no further, as they are of no use. */
async function failTask(
  chunk: Task,
  isRepeat: boolean,
  { store, completeTask }: ChunkCompletionDeps,
): Promise<void> {
  const { jobId, number, part: member, code, message, details } = chunk
  const endedBy = `part ${member}`
  const { applied, record: task } = await store.changeTask(
    { jobId, task: number },
    {
      set: { status: 'failed', code, message, details, endedBy, endedAt: new Date().toISOString() },
      remove: ['leaseId', 'leaseUntil', 'pieces', 'stage'],
    },
    { condition: { equal: { status: 'processing' } }, mark: { endedBy } },
  )
  if (applied && task) await completeTask(task, { isRepeat })
}
