import { findTaskFiles } from './find-task-files.ts'
import type { Job, JobState, StoredFile } from './job.ts'
import { hasRecord, resultFiles, statusOfFixed } from './job-state-machine.ts'

/** What goes into a ZIP of results, and what its manifest says of what cannot. */

export interface ZipEntry {
  readonly jobId: string
  /** Of what was asked for by task, or has failed. */
  readonly task: string | null
  /** Name of the file that the job began with. */
  readonly source: string | null
  readonly status: string
  /** Of what is there. */
  readonly file?: StoredFile
  readonly error?: { readonly code: string; readonly message: string }
}

/**
 * The results of a job, or of tasks of it.
 * @param job that was asked for; undefined of one that is gone.
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
  const common = { jobId, source: (job.display.source ?? job.cameLater)?.filename ?? null }
  if (tasks) return tasks.flatMap((task) => entriesOfTask(task, state, common))
  if (job.status !== 'completed')
    return [{ ...common, task: null, status: job.status, ...errorOf(job.error) }]
  const files = resultFiles(state).map((from) => ({ ...common, task: null, status: 'completed', from }))
  return [...files, ...failedEntries(state, common)]
}

type CommonFields = Pick<ZipEntry, 'jobId' | 'source'>

function entriesOfTask(name: string, state: JobState, common: CommonFields): ZipEntry[] {
  const { task, files } = findTaskFiles(name, state)
  const status = hasRecord(task) ? task.status : statusOfFixed(task, state)
  if (status !== 'completed') return [{ ...common, task: name, status, ...errorOfTask(task) }]
  return files.map((from) => ({ ...common, task: name, status, from }))
}

/** Of a batch some may have failed. */
const failedEntries = ({ fixed, tasks }: JobState, common: CommonFields): ZipEntry[] =>
  [...fixed, ...tasks]
    .filter(({ status }) => status === 'failed')
    .map((task) => ({ ...common, task: task.name, status: 'failed', ...errorOfTask(task) }))

const errorOf = (error: Job['error']) => error && { error: { code: error.code, message: error.message } }
const errorOfTask = ({ code, message = '' }: { code?: string | undefined; message?: string | undefined }) =>
  code === undefined ? {} : { error: { code, message } }

export const zipManifestName = 'manifest.json'

/** Whether a file of this type gets smaller; pictures, sound, films and most documents are compressed as they are. */
export const isCompressible = (mimeType: string): boolean =>
  /^text\/|[/+](?:json|xml|javascript|rtf|x-tar|postscript|bmp|x-ms-bmp|wav|x-wav|vnd\.wave|aiff|x-aiff|svg\+xml)$|^font\/(?:ttf|otf|sfnt)$|^image\/(?:x-portable|tiff|vnd\.adobe\.photoshop)/.test(
    mimeType,
  )
