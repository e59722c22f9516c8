import { createJobNotFoundError } from '../access/job-access.ts'
import { AppError } from '../errors.ts'
import { findTaskFiles } from '../jobs/find-task-files.ts'
import { getFixedTaskStatus, hasRecord, listResultFiles } from '../jobs/job-state-machine.ts'
import { deliversZip } from '../jobs/results-zip.ts'
import type { Job, StoredFile } from '../model/job.ts'
import type { Services } from '../services/services.ts'
import { defined } from '../validation/defined.ts'

export interface FileSelector {
  /** Name of the file, if there are several. Defaults to the first, or to the ZIP of all results for a batch. */
  readonly file?: string | undefined
  /** Name of the task that has the file. */
  readonly task?: string | undefined
}

/**
 * Finds a result file of a job that has ended; for a failed job, a file of its completed tasks.
 * @returns `zip` for the ZIP of all results of a batch.
 * @throws AppError CONFLICT, FILE_GONE, TASK_NOT_FOUND
 */
export async function findResult(
  job: Job,
  wantedFile: FileSelector,
  services: Services,
): Promise<StoredFile | 'zip'> {
  if (job.status !== 'failed' || wantedFile.task === undefined) requireFinished(job)
  return selectFile(job, wantedFile, services)
}

function requireFinished(job: Job): void {
  if (job.status === 'completed') return
  if (job.status === 'expired') {
    throw new AppError(
      'FILE_GONE',
      `The files of this job were deleted at ${job.expiredAt}, when its retention period ended. Convert the file again.`,
      {
        expiredAt: job.expiredAt,
      },
    )
  }
  const reason = job.error
    ? `: ${job.error.message}`
    : job.status === 'cancelled'
      ? '.'
      : '. Try again when it is completed.'
  throw new AppError('CONFLICT', `The job has no result to download because it is ${job.status}${reason}`, {
    status: job.status,
    ...defined({ error: job.error }),
  })
}

/** Finds the requested file: usually in the job's record, which has the result, otherwise in the record of a task. */
async function selectFile(job: Job, query: FileSelector, { jobs }: Services): Promise<StoredFile | 'zip'> {
  const selectResult = (files: readonly StoredFile[]) =>
    query.file === undefined && deliversZip(job, files) ? 'zip' : findByName(files, query.file)
  if (query.task === undefined && job.result) return selectResult(job.result.files)
  const state = await jobs.store.getState(job.id)
  if (!state) throw createJobNotFoundError(job.id)
  if (query.task === undefined) return selectResult(listResultFiles(state))
  const { task, files } = findTaskFiles(query.task, state)
  const status = hasRecord(task) ? task.status : getFixedTaskStatus(task, state)
  if (status !== 'completed')
    throw new AppError(
      'CONFLICT',
      `The task ${task.name} has no result to download because it is ${status}.`,
      { status, task: task.name },
    )
  return findByName(files, query.file)
}

function findByName(files: readonly StoredFile[], name: string | undefined): StoredFile {
  const file = name === undefined ? files[0] : files.find(({ filename }) => filename === name)
  if (file) return file
  throw new AppError(
    'TASK_NOT_FOUND',
    `The job has no result file "${(name ?? '').slice(0, 200)}". details.files lists its files.`,
    {
      file: name,
      files: files.map(({ filename }) => filename).slice(0, 100),
    },
  )
}
