import type { Change } from '../../aws/table-expressions.ts'
import type { Task } from '../../model/job.ts'
import { maxTaskAttempts } from '../job-state-machine.ts'
import type { TaskRun } from './task-run.ts'

/** Maximum number of a task's lost leases that do not count as attempts; further ones always count. */
const maxUncounted = 6

/** Returns the number of attempts that count; other attempts were lost for reasons outside the task. */
export const countAttempts = ({ attempt, uncounted = 0 }: Pick<Task, 'attempt' | 'uncounted'>): number =>
  attempt - uncounted

export const isLastAttempt = (task: Pick<Task, 'attempt' | 'uncounted'>): boolean =>
  countAttempts(task) >= maxTaskAttempts

/** Whether the worker of the task has stopped renewing its lease. */
export const isLeaseLost = ({ status, leaseId, leaseUntil = '' }: Task, now: Date): boolean =>
  status === 'processing' && leaseId !== undefined && leaseUntil <= now.toISOString()

/**
 * Makes a task whose worker died claimable again. The attempt counts only if the task ran alone. If the task shared the
 * worker, another task may have crashed the worker, so this task runs alone from now on. The attempt does not count
 * either if the whole service ended. The duration of an uncounted attempt is not part of the time limit.
 * @param run the process that takes over the task
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
