import type { exportToDrive } from '../../../../routes/export-to-drive.ts'
import { callApi, explainError, fetchJobStatus, Problem, type ReplyData } from '../../../api.ts'
import { watchJob } from '../watch-job.ts'
import words from './words/en.ts'

/** Jobs whose results are to be saved. They are stored, because connecting the drive leaves the page. */

const storageKey = 'jobs to save'
/** Maximum number of jobs per request. */
const maxJobs = 100

export function storeJobsToSave(jobIds: readonly string[]): void {
  sessionStorage.setItem(storageKey, JSON.stringify(jobIds))
}

export function loadJobsToSave(): readonly string[] {
  try {
    const jobIds: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(jobIds) ? jobIds.map(String) : []
  } catch {
    return []
  }
}

interface SaveTarget {
  readonly connectionId: string
  readonly folderId?: string | undefined
}

/** Whether a request was refused because its jobs have too many files, and not because of a folder or connection. */
const hasTooManyFiles = (error: unknown) =>
  error instanceof Problem && error.field === 'jobIds' && error.details?.['max'] !== undefined

/** Saves the results of jobs in a folder, and waits until all are stored. */
export async function saveResults(
  drive: string,
  jobIds: readonly string[],
  target: SaveTarget,
  signal: AbortSignal,
): Promise<void> {
  const path = `/v1/cloud/${encodeURIComponent(drive)}/export`
  let batchSize = maxJobs
  for (let at = 0; at < jobIds.length; ) {
    const batch = jobIds.slice(at, at + batchSize)
    const body = { ...target, jobIds: batch }
    const startedExport = await callApi<ReplyData<typeof exportToDrive>>(path, {
      method: 'POST',
      body,
      signal,
    }).catch((error: unknown) => {
      if (hasTooManyFiles(error) && batch.length > 1) return undefined
      throw error
    })
    if (!startedExport) {
      batchSize = Math.ceil(batch.length / 2)
      continue
    }
    const { jobId } = startedExport
    const { data } = await fetchJobStatus(jobId, signal)
    const finishedJob = await watchJob(data, () => {}, signal)
    if (finishedJob.status !== 'completed')
      throw finishedJob.error
        ? await explainError(finishedJob.error)
        : new Problem('EXPORT_FAILED', words.saveFailed)
    // If the next request fails, a retry must not save this batch again.
    at += batch.length
    storeJobsToSave(jobIds.slice(at))
  }
}
