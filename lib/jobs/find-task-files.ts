import { AppError } from '../errors.ts'
import type { FixedTask, JobState, StoredFile, Task } from './job.ts'
import { hasRecord, nameExportFiles } from './job-state-machine.ts'

/**
 * A task by its name, with the files that it gave. What came in is not given out.
 * @throws AppError TASK_NOT_FOUND
 */
export function findTaskFiles(
  name: string,
  state: JobState,
): { task: FixedTask | Task; files: readonly StoredFile[] } {
  const candidates = [...state.fixed, ...state.tasks].filter((one) => !one.operation.startsWith('import/'))
  const task = candidates.find((one) => one.name === name)
  if (task) return { task, files: hasRecord(task) ? task.files : nameExportFiles(task, state) }
  throw new AppError(
    'TASK_NOT_FOUND',
    `The job has no task "${name.slice(0, 64)}" with a result; details.tasks has those that there are.`,
    {
      task: name,
      tasks: candidates.map((one) => one.name).slice(0, 100),
    },
  )
}
