import { AppError } from '../errors.ts'
import type { JobState, StoredFile, Task } from '../model/job.ts'
import { selectsFiles, type TaskInput, toInputRefs } from '../model/task-input.ts'
import { matchesWildcards } from '../names/wildcards.ts'
import { listTaskFiles } from './job-state-machine.ts'

/** Maximum number of file names in an error message. */
const maxListedNames = 20

type TaskWithInputs = Pick<Task, 'ins' | 'input'>

/**
 * Returns the files that a task takes from its inputs.
 * @throws AppError INVALID_INPUT if an input has files, but none with the requested name.
 */
export function resolveTaskInputs(
  { ins, input }: TaskWithInputs,
  state: Pick<JobState, 'fixed' | 'tasks'>,
): StoredFile[] {
  if (!selectsFiles(input)) return ins.flatMap((number) => listTaskFiles(number, state))
  const numbersByName = new Map([...state.fixed, ...state.tasks].map(({ name, number }) => [name, number]))
  return selectFiles(input, (name) => {
    const number = numbersByName.get(name)
    return number === undefined ? [] : listTaskFiles(number, state)
  })
}

/** Selects files of several tasks. @throws the same errors as `resolveTaskInputs` */
export const selectFiles = (
  input: TaskInput | readonly TaskInput[] | undefined,
  getFiles: (task: string) => readonly StoredFile[],
): StoredFile[] =>
  toInputRefs(input).flatMap((reference) =>
    typeof reference === 'string' ? getFiles(reference) : selectByName(getFiles(reference.task), reference),
  )

function selectByName(
  files: readonly StoredFile[],
  { task, file: pattern }: Exclude<TaskInput, string>,
): readonly StoredFile[] {
  if (pattern === undefined) return files
  const isSelected = (name: string) => name === pattern || matchesWildcards(name, pattern)
  const selectedFiles = files.flatMap((file) => {
    if (!file.members) return isSelected(file.filename) ? [file] : []
    const members = file.members.filter(isSelected)
    return members.length > 0 ? [{ ...file, members }] : []
  })
  if (selectedFiles.length > 0 || files.length === 0) return selectedFiles
  const names = files.flatMap(({ filename, members }) => members ?? [filename])
  throw new AppError(
    'INVALID_INPUT',
    `input: ${task} has no file ${JSON.stringify(pattern)}; it has ${names.slice(0, maxListedNames).join(', ')}${names.length > maxListedNames ? ` and ${names.length - maxListedNames} more` : ''}.`,
    { field: 'input', task, file: pattern, files: names.slice(0, 100) },
  )
}
