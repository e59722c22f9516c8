import type { Job, JobState, StoredFile } from '../model/job.ts'
import { findFailedItems } from './failed-items.ts'
import { findTaskFiles } from './find-task-files.ts'
import { getFixedTaskStatus, hasRecord, listResultFiles } from './job-state-machine.ts'

/** Entries of a ZIP of results, including those that its manifest lists as missing. */

export interface ZipEntry {
  readonly jobId: string
  /** Name of the task; set if the results of a task were requested, or the task failed. */
  readonly task: string | null
  /** Name of the job's first source file. */
  readonly source: string | null
  readonly status: string
  /** The file; undefined for an entry that only the manifest lists. */
  readonly file?: StoredFile
  readonly error?: { readonly code: string; readonly message: string }
}

/**
 * Lists the results of a job, or of some of its tasks.
 * @param state state of the job; undefined if it no longer exists.
 * @throws AppError TASK_NOT_FOUND
 */
export function listZipEntries(
  jobId: string,
  state: JobState | undefined,
  tasks?: readonly string[],
): ZipEntry[] {
  if (!state || state.job.deletedAt || state.job.status === 'expired')
    return [{ jobId, task: null, source: null, status: 'expired' }]
  const { job } = state
  const commonFields = { jobId, source: (job.display.source ?? job.cameLater)?.filename ?? null }
  if (tasks) return tasks.flatMap((task) => listTaskEntries(task, state, commonFields))
  if (job.status !== 'completed')
    return [{ ...commonFields, task: null, status: job.status, ...toManifestError(job.error) }]
  const files = listResultFiles(state).map((file) => ({
    ...commonFields,
    task: null,
    status: 'completed',
    file,
  }))
  return [...files, ...findFailedEntries(state, commonFields)]
}

type CommonFields = Pick<ZipEntry, 'jobId' | 'source'>

function listTaskEntries(name: string, state: JobState, commonFields: CommonFields): ZipEntry[] {
  const { task, files } = findTaskFiles(name, state)
  const status = hasRecord(task) ? task.status : getFixedTaskStatus(task, state)
  if (status !== 'completed') return [{ ...commonFields, task: name, status, ...formatTaskError(task) }]
  return files.map((file) => ({ ...commonFields, task: name, status, file }))
}

/**
 * Returns the failed tasks of a batch whose other tasks completed. A failed import is listed with the item that needs
 * its file.
 */
function findFailedEntries(state: JobState, commonFields: CommonFields): ZipEntry[] {
  const items = findFailedItems(state)
  const listedNumbers = new Set(items.flatMap(({ task }) => [task.number, ...task.ins]))
  const otherTasks = [...state.fixed, ...state.tasks]
    .filter(({ status, number }) => status === 'failed' && !listedNumbers.has(number))
    .map((task) => ({ task, cause: task }))
  return [...items, ...otherTasks].map(({ task, cause }) => ({
    ...commonFields,
    task: task.name,
    status: 'failed',
    ...formatTaskError(cause),
  }))
}

const toManifestError = (error: Job['error']) =>
  error && { error: { code: error.code, message: error.message } }
const formatTaskError = ({
  code,
  message = '',
}: {
  code?: string | undefined
  message?: string | undefined
}) => (code === undefined ? {} : { error: { code, message } })

export const zipManifestName = 'manifest.json'

/**
 * Whether compression makes a file of this type smaller; images, audio, video and most documents are already
 * compressed.
 */
export const isCompressible = (mimeType: string): boolean =>
  /^text\/|[/+](?:json|xml|javascript|rtf|x-tar|postscript|bmp|x-ms-bmp|wav|x-wav|vnd\.wave|aiff|x-aiff|svg\+xml)$|^font\/(?:ttf|otf|sfnt)$|^image\/(?:x-portable|tiff|vnd\.adobe\.photoshop)/.test(
    mimeType,
  )
