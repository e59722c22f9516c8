import { arrival } from './arrival.ts'
import { attemptOfPart } from './graph.ts'
import { isOver, type Task } from './job.ts'
import { isJoining, percentOfTask } from './machine.ts'
import type { JobStore } from './store.ts'

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
  const { jobId, number, part: member = 0 } = part
  const isDone = part.status === 'completed'
  const { applied, record: task } = await means.store.changeTask(
    { jobId, task: number },
    arrival(member, isDone, !isDone),
    { condition: { equal: { status: 'processing', expandedBy: attemptOfPart(member) } } },
  )
  if (!task) return
  if (!applied) {
    if (again && isOver(task)) await means.settle(task, { again })
    return
  }
  if (!isDone) return failBy(part, again, means)
  if (isJoining(task)) {
    if (!task.leaseId) await means.send(task)
  } else if (!task.bucketed) await means.tellPercent(task, percentOfTask(task))
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
