import type { exportToDrive } from '../../../../routes/export-to-drive.ts'
import { callApi, explainError, fetchJobStatus, Problem, type ReplyData } from '../../../api.ts'
import { watchJob } from '../watch-job.ts'
import words from './words/en.ts'

/** Jobs whose results are to be saved; connecting the drive leaves the page, so they are stored. */

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

/** Saves the results of jobs in a folder, and waits until all are stored. */
export async function saveResults(
  drive: string,
  jobIds: readonly string[],
  target: SaveTarget,
  signal: AbortSignal,
): Promise<void> {
  for (let at = 0; at < jobIds.length; at += maxJobs) {
    const body = { ...target, jobIds: jobIds.slice(at, at + maxJobs) }
    const path = `/v1/cloud/${encodeURIComponent(drive)}/export`
    const { jobId } = await callApi<ReplyData<typeof exportToDrive>>(path, { method: 'POST', body, signal })
    const { data } = await fetchJobStatus(jobId, signal)
    const finishedJob = await watchJob(data, () => {}, signal)
    if (finishedJob.status !== 'completed')
      throw finishedJob.error
        ? await explainError(finishedJob.error)
        : new Problem('EXPORT_FAILED', words.saveFailed)
    // If the next request fails, saving again must not store copies of these.
    storeJobsToSave(jobIds.slice(at + maxJobs))
  }
}
