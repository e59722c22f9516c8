import { AppError } from '../errors.ts'
import type { FixedTask, JobState, StoredFile, Task } from '../model/job.ts'
import { hasRecord, isLinkExport, nameExportFiles } from './job-state-machine.ts'

/**
 * Finds a task by name and returns it with its result files. Imported files are not available for download.
 * @throws AppError TASK_NOT_FOUND
 */
export function findTaskFiles(
  name: string,
  state: JobState,
): { task: FixedTask | Task; files: readonly StoredFile[] } {
  const candidates = [...state.fixed, ...state.tasks].filter((one) => !one.operation.startsWith('import/'))
  const task = candidates.find((candidate) => candidate.name === name)
  if (task)
    return { task, files: hasRecord(task) && !isLinkExport(task) ? task.files : nameExportFiles(task, state) }
  throw new AppError(
    'TASK_NOT_FOUND',
    `The job has no task "${name.slice(0, 64)}" with a result; see details.tasks for the tasks that have one.`,
    {
      task: name,
      tasks: candidates.map((candidate) => candidate.name).slice(0, 100),
    },
  )
}
