import { AppError } from '../errors.ts'
import type { FixedTask, JobState, StoredFile, Task } from './job.ts'
import { isRecorded, namedFiles } from './job-state-machine.ts'

/**
 * A task by its name, with the files that it gave. What came in is not given out.
 * @throws AppError TASK_NOT_FOUND
 */
export function taskWithFiles(
  name: string,
  state: JobState,
): { task: FixedTask | Task; files: readonly StoredFile[] } {
  const givers = [...state.fixed, ...state.tasks].filter((one) => !one.operation.startsWith('import/'))
  const task = givers.find((one) => one.name === name)
  if (task) return { task, files: isRecorded(task) ? task.files : namedFiles(task, state) }
  throw new AppError(
    'TASK_NOT_FOUND',
    `The job has no task "${name.slice(0, 64)}" with a result; details.tasks has those that there are.`,
    {
      task: name,
      tasks: givers.map((one) => one.name).slice(0, 100),
    },
  )
}
