import type { ImageId } from '../component-ids.ts'
import type { InputPlan, JobState, StoredFile, Task } from '../model/job.ts'
import type { ConversionSpec } from '../plan/plan-files.ts'
import { requireProcessOperation } from '../tasks/index.ts'
import { TaskSpec } from '../tasks/operation.ts'
import { filesOfTask } from './job-state-machine.ts'

/** Returns a task's input files and its conversion spec. @throws AppError for unsupported files. */
export function resolveConversion(
  task: Pick<Task, 'operation' | 'ins' | 'spec'>,
  state: Pick<JobState, 'fixed' | 'tasks'>,
): [StoredFile[], ConversionSpec] {
  const files = task.ins.flatMap((number) => filesOfTask(number, state))
  return [files, requireProcessOperation(task.operation).toConversionSpec(files, TaskSpec.parse(task.spec))]
}

/** The image that runs the next step. Inputs that need several images go through them one after another. */
export function nextImageOf(inputPlans: readonly InputPlan[]): ImageId {
  const nextStep = inputPlans.map(({ steps, step }) => steps[step]).find((step) => step !== undefined)
  if (!nextStep) throw new Error('the task has no remaining step')
  // Images of steps come from our own planner.
  return nextStep.image as ImageId
}
