import type { Change } from '../../aws/table-expressions.ts'
import type { Task } from '../../model/job.ts'
import { maxTaskAttempts } from '../job-state-machine.ts'
import type { TaskRun } from './task-run.ts'

/**
 * Maximum number of lost leases of a task that do not count as attempts; further ones count, whatever the reason.
 */
const maxUncounted = 6

/** Attempts that count: the others were lost for reasons outside the task. */
export const countAttempts = ({ attempt, uncounted = 0 }: Pick<Task, 'attempt' | 'uncounted'>): number =>
  attempt - uncounted

export const isLastAttempt = (task: Pick<Task, 'attempt' | 'uncounted'>): boolean =>
  countAttempts(task) >= maxTaskAttempts

/** Whether the worker of the task has stopped renewing its lease. */
export const isLeaseLost = ({ status, leaseId, leaseUntil = '' }: Task, now: Date): boolean =>
  status === 'processing' && leaseId !== undefined && leaseUntil <= now.toISOString()

/**
 * Makes a task whose worker died claimable again. That costs an attempt only if the task ran alone: if it shared the
 * worker, another one may have crashed it, and from now on the task runs apart. Nor is a task to blame for the end of
 * the whole service. The time of an attempt that costs nothing does not count towards the time limit either.
 * @param run of the process that takes over the task.
 */
export function releaseLostLease(task: Task, { runId }: Pick<TaskRun, 'runId'>): Change {
  const { status, runId: lostRunId, shared, uncounted = 0, expandedBy, workedMs = 0, attemptMs = 0 } = task
  const hasServiceEnded = lostRunId !== undefined && runId !== undefined && lostRunId !== runId
  const isUncounted = uncounted < maxUncounted && (hasServiceEnded || shared === true)
  return {
    set: {
      status: expandedBy === undefined ? 'pending' : status,
      ...(isUncounted && { uncounted: uncounted + 1, workedMs: Math.max(0, workedMs - attemptMs) }),
      ...(shared && !hasServiceEnded && { apart: true }),
    },
    remove: ['leaseId', 'leaseUntil', 'attemptMs'],
  }
}
