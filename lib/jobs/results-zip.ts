import type { Job, StoredFile } from '../model/job.ts'

/** The ZIP of all results of a batch. It is packed when a client requests it, so its size is not known beforehand. */

export const resultsZip = {
  filename: 'results.zip',
  format: 'zip',
  mimeType: 'application/zip',
} as const satisfies Partial<StoredFile>

/**
 * Whether the download URL of a job delivers all results. Batches that an earlier version created lack the field
 * `packsResults` and are recognized by `require`.
 */
export const packsResults = ({ packsResults: packs, require }: Job): boolean =>
  packs === true || require === 'any'

/** Whether the download URL of a completed job delivers a ZIP. A single result is delivered without one. */
export const deliversZip = (job: Job, files: readonly StoredFile[]): boolean =>
  packsResults(job) && files.length > 1
