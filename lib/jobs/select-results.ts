import { AppError } from '../errors.ts'
import type { JobState, StoredFile } from '../model/job.ts'
import { listZipEntries } from './zip-manifest.ts'

interface ResultSelection {
  /** Names of the tasks whose files are selected; if omitted, the results of the job are selected. */
  readonly tasks?: readonly string[] | undefined
  /** Name of a file, to select only this one. */
  readonly file?: string | undefined
}

/** Returns the files that exist among the results of a job. @throws AppError TASK_NOT_FOUND */
export function selectResults(
  jobId: string,
  state: JobState | undefined,
  { tasks, file: name }: ResultSelection,
): StoredFile[] {
  const files = listZipEntries(jobId, state, tasks).flatMap(({ file }) => file ?? [])
  if (name === undefined || files.length === 0) return files
  const file = files.find(({ filename }) => filename === name)
  if (file) return [file]
  throw new AppError(
    'TASK_NOT_FOUND',
    `file: the job has no result file "${name.slice(0, 200)}". details.files lists its files.`,
    { field: 'file', file: name, files: files.map(({ filename }) => filename).slice(0, 100) },
  )
}

/**
 * Returns the existing files among the results of several jobs, and the ids of the jobs that have such files. The other
 * jobs are left out of the ids, because they may get results later that the caller has not checked.
 * @throws AppError TASK_NOT_FOUND
 */
export function selectResultsOfJobs(states: readonly JobState[], selection: ResultSelection) {
  const jobIds: string[] = []
  const files: StoredFile[] = []
  for (const state of states) {
    const jobFiles = selectResults(state.job.id, state, selection)
    if (jobFiles.length === 0) continue
    jobIds.push(state.job.id)
    files.push(...jobFiles)
  }
  return { jobIds, files }
}
