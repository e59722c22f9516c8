// The ways of tasks to their results, as this machine would go now: no record keeps them, as they follow from the rest.
import { planFiles } from '../../conversion/plan-files.ts'
import type { Engine } from '../../engines/engine.ts'
import { AppError } from '../../errors.ts'
import type { JobState, InputPlan, Task } from '../../jobs/job.ts'
import { resolveConversion } from '../../jobs/next-image.ts'
import { withoutSecrets } from '../../sealed.ts'
import { findOperation } from '../../tasks/index.ts'

/** Or a sentence that says why there is none. */
export type Plan = { readonly pieces: readonly InputPlan[] } | { readonly none: string }

/** Those that run an engine, in the order of the request. */
export const tasksThatWork = ({ tasks }: JobState): Task[] =>
  tasks.filter(({ operation }) => findOperation(operation)?.kind === 'process')

/** Of all tasks that work, by number, fit to be shown. A task between two images has its plan with it. */
export function shownPlans(state: JobState, engines: readonly Engine[]): Map<number, Plan> {
  const shown = tasksThatWork(state).map(withoutSecrets)
  return new Map(
    shown.map((task) => [
      task.number,
      task.pieces ? { pieces: task.pieces } : planFromStart(task, state, engines),
    ]),
  )
}

/** @param task with its secrets opened, or with others in their place where nothing is run. */
export function planFromStart(task: Task, state: JobState, engines: readonly Engine[]): Plan {
  try {
    return planFiles(...resolveConversion(task, state), engines)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { none: `no plan, ${error.code}: ${error.message}` }
  }
}
