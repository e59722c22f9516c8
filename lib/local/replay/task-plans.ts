// The ways of tasks to their results, as this machine would go now: no record keeps them, as they follow from the rest.
import { planFiles } from '../../conversion/plan-files.ts'
import type { Engine } from '../../engines/engine.ts'
import { AppError } from '../../errors.ts'
import type { InputPlan, JobState, Task } from '../../jobs/job.ts'
import { resolveConversion } from '../../jobs/next-image.ts'
import { withoutSecrets } from '../../sealed.ts'
import { findTaskOperation } from '../../tasks/index.ts'

/** Or a sentence that says why there is none. */
export type TaskPlan = { readonly inputPlans: readonly InputPlan[] } | { readonly unavailable: string }

/** Those that run an engine, in the order of the request. */
export const engineTasks = ({ tasks }: JobState): Task[] =>
  tasks.filter(({ operation }) => findTaskOperation(operation)?.kind === 'process')

/** Of all tasks that work, by number, fit to be shown. A task between two images has its plan with it. */
export function planTasks(state: JobState, engines: readonly Engine[]): Map<number, TaskPlan> {
  const shown = engineTasks(state).map(withoutSecrets)
  return new Map(
    shown.map((task) => [
      task.number,
      task.pieces ? { inputPlans: task.pieces } : planTask(task, state, engines),
    ]),
  )
}

/** @param task with its secrets opened, or with others in their place where nothing is run. */
export function planTask(task: Task, state: JobState, engines: readonly Engine[]): TaskPlan {
  try {
    return planFiles(...resolveConversion(task, state), engines)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { unavailable: `no plan, ${error.code}: ${error.message}` }
  }
}
