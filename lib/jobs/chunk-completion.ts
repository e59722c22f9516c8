import { isUnread } from '../conversion/unreadable-error.ts'
import { arrival } from './dependency-update.ts'
import { isOver, JobError, type Task } from './job.ts'
import { isJoining, percentOfTask } from './job-state-machine.ts'
import { type JobStore, refOf } from './store.ts'
import { attemptOfPart, isTwin, memberOf, twinOf } from './task-graph.ts'

/** What follows when a part of a task ends. */

interface Means {
  readonly store: JobStore
  readonly send: (task: Task) => Promise<void>
  readonly settle: (task: Task, how: { readonly again: boolean }) => Promise<void>
  readonly tellPercent: (task: Task, percent: number) => Promise<void>
}

/** The part tells its task, which goes on when all of them are there, and ends when one of them is lost. */
export async function settlePart(part: Task, again: boolean, means: Means): Promise<void> {
  // Whoever cancels a part cancels its task.
  if (part.status === 'cancelled') return
  const { jobId, number } = part
  const member = memberOf(part.part ?? 0)
  const isDone = part.status === 'completed'
  if (!isDone && (await isLeftToOther(part, means.store))) return
  const { applied, record: task } = await means.store.changeTask(
    { jobId, task: number },
    arrival(member, isDone, !isDone),
    { condition: { equal: { status: 'processing', expandedBy: attemptOfPart(member) } } },
  )
  if (!task) return
  if (!applied) {
    if (again && isOver(task)) await means.settle(task, { again })
    // Whoever sent it back may not have come to say so.
    if (again && task.status === 'pending' && isSentBack(task)) await means.send(task)
    return
  }
  if (!isDone) return isUnread(errorOf(part)) ? sendBack(task, part, means) : failBy(part, again, means)
  if (isJoining(task)) {
    if (!task.leaseId) await means.send(task)
  } else if (!task.bucketed) await means.tellPercent(task, percentOfTask(task))
}

/** It has a twin, or is one, and the other was there first or may still be: nothing is lost as long as not both are. */
async function isLeftToOther({ jobId, number, part = 0 }: Task, store: JobStore): Promise<boolean> {
  const other = await store.task({ jobId, task: number, part: isTwin(part) ? memberOf(part) : twinOf(part) })
  return other !== undefined && (other.status === 'completed' || !isOver(other))
}

const isSentBack = ({ pieces }: Task) => pieces?.some(({ failure }) => failure) === true

/** As an AppError of its engine was stored. */
const errorOf = ({ code, message = '', details }: Task) =>
  JobError.parse({ code, message, ...(details && { details }) })

/** Another engine may read what this one could not: the task looks for another way, and the other parts are of no use. */
async function sendBack(task: Task, part: Task, { store, send }: Means): Promise<void> {
  // An answer that was lost is asked for again, and then this tells that it was us who sent it back.
  const endedBy = `part ${part.part}`
  const { applied, record } = await store.changeTask(
    refOf(task),
    {
      set: {
        ...{ status: 'pending', attempt: 0, percent: percentOfTask(task), endedBy },
        pieces: (task.pieces ?? []).map((piece) => ({ ...piece, failure: errorOf(part) })),
      },
      remove: ['leaseId', 'leaseUntil', 'expandedBy', 'partCount', 'open', 'lost', 'got'],
    },
    { condition: { equal: { status: 'processing', expandedBy: task.expandedBy } }, mark: { endedBy } },
  )
  if (applied && record) await send(record)
}

/** The task ends as its part did; the others go no further, as they are of no use. */
async function failBy(part: Task, again: boolean, { store, settle }: Means): Promise<void> {
  const { jobId, number, part: member, code, message, details } = part
  const endedBy = `part ${member}`
  const { applied, record: task } = await store.changeTask(
    { jobId, task: number },
    {
      set: { status: 'failed', code, message, details, endedBy, endedAt: new Date().toISOString() },
      remove: ['leaseId', 'leaseUntil', 'pieces', 'stage'],
    },
    { condition: { equal: { status: 'processing' } }, mark: { endedBy } },
  )
  if (applied && task) await settle(task, { again })
}
