// Plans of a job's tasks, as this machine would plan them now. They follow from the records and are not stored.

import { redactSecrets } from '../../../crypto/sealed.ts'
import type { Engine } from '../../../engines/engine.ts'
import { AppError } from '../../../errors.ts'
import { resolveConversion } from '../../../jobs/next-image.ts'
import type { InputPlan, JobState, Task } from '../../../model/job.ts'
import { planFiles } from '../../../plan/plan-files.ts'
import { findTaskOperation } from '../../../tasks/index.ts'

/** The plan, or a message that says why there is none. */
export type TaskPlan = { readonly inputPlans: readonly InputPlan[] } | { readonly unavailable: string }

/** Returns the tasks that run an engine, in the order of the request. */
export const listEngineTasks = ({ tasks }: JobState): Task[] =>
  tasks.filter(({ operation }) => findTaskOperation(operation)?.kind === 'process')

/**
 * Plans all tasks that run an engine, without secrets, by task number. A task that is between two container images
 * has a stored plan.
 */
export function planTasks(state: JobState, engines: readonly Engine[]): Map<number, TaskPlan> {
  const redactedTasks = listEngineTasks(state).map(redactSecrets)
  return new Map(
    redactedTasks.map((task) => [
      task.number,
      task.pieces ? { inputPlans: task.pieces } : planTask(task, state, engines),
    ]),
  )
}

/** Plans a task. @param task with decrypted secrets, or with placeholders if it is only shown */
export function planTask(task: Task, state: JobState, engines: readonly Engine[]): TaskPlan {
  try {
    return planFiles(...resolveConversion(task, state), engines)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { unavailable: `no plan, ${error.code}: ${error.message}` }
  }
}
