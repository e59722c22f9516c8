import type { ImageId } from '../component-ids.ts'
import { manifestName } from '../engines/pdf/page-files.ts'
import type { InputPlan, JobState, StoredFile, Task } from '../model/job.ts'
import { getFirstListedFile } from '../plan/file-lists.ts'
import type { ConversionSpec } from '../plan/plan-files.ts'
import { requireProcessOperation } from '../tasks/index.ts'
import { TaskSpec } from '../tasks/operation.ts'
import { resolveTaskInputs } from './task-inputs.ts'

/** Returns a task's input files and its conversion spec. @throws AppError for unsupported files. */
export function resolveConversion(
  task: Pick<Task, 'operation' | 'ins' | 'input' | 'spec'>,
  state: Pick<JobState, 'fixed' | 'tasks'>,
): [readonly StoredFile[], ConversionSpec] {
  const files = removeManifest(resolveTaskInputs(task, state), task, state)
  const operation = requireProcessOperation(task.operation)
  return [files, operation.toConversionSpec(files.map(getFirstListedFile), TaskSpec.parse(task.spec))]
}

/** Removes the manifest, which comes with the files of an unpacked list and is no input of a conversion. */
function removeManifest(
  files: readonly StoredFile[],
  { operation }: Pick<Task, 'operation'>,
  { tasks }: Pick<JobState, 'tasks'>,
): readonly StoredFile[] {
  if (operation !== 'convert') return files
  const extractedKeys = new Set(
    tasks.flatMap((task) => (task.operation === 'extract' ? task.files.map(({ key }) => key) : [])),
  )
  const otherFiles = files.filter(({ filename, key }) => filename !== manifestName || !extractedKeys.has(key))
  return otherFiles.length > 0 ? otherFiles : files
}

/**
 * Returns the container image that runs the next step. If the inputs need several images, the task goes from one image
 * to the next.
 */
export function getNextImage(inputPlans: readonly InputPlan[]): ImageId {
  const nextStep = inputPlans.map(({ steps, step }) => steps[step]).find((step) => step !== undefined)
  if (!nextStep) throw new Error('the task has no remaining step')
  // The planner of this service wrote the image ids of the steps.
  return nextStep.image as ImageId
}
