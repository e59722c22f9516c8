import type { ConversionSpec } from '../conversion/plan-files.ts'
import type { ImageId } from '../engines/engine.ts'
import { requireProcessOperation } from '../tasks/index.ts'
import { TaskSpec } from '../tasks/operation.ts'
import type { InputPlan, JobState, StoredFile, Task } from './job.ts'
import { filesOfTask } from './job-state-machine.ts'

/** The files of a task's inputs, and what it wants of them. @throws AppError for files that it does not take. */
export function resolveConversion(
  task: Pick<Task, 'operation' | 'ins' | 'spec'>,
  state: Pick<JobState, 'fixed' | 'tasks'>,
): [StoredFile[], ConversionSpec] {
  const files = task.ins.flatMap((number) => filesOfTask(number, state))
  return [files, requireProcessOperation(task.operation).toConversionSpec(files, TaskSpec.parse(task.spec))]
}

/** Where the next step of pieces is done. Pieces for several images go to one after the other. */
export function nextImageOf(inputPlans: readonly InputPlan[]): ImageId {
  const next = inputPlans.map(({ steps, step }) => steps[step]).find((step) => step !== undefined)
  if (!next) throw new Error('the task has no step that is left')
  // Images of steps come from our own planner.
  return next.image as ImageId
}
