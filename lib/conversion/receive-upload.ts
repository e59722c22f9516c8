import type { Files } from '../aws/files.ts'
import { AppError } from '../errors.ts'
import { detectFormat } from '../formats/detect.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Uploads } from '../uploads.ts'
import { storedSource } from './source.ts'
import { storedFile } from './start-job.ts'

export interface Receiving {
  readonly uploads: Uploads
  readonly files: Files
  readonly jobs: Jobs
}

/**
 * The file of an upload has arrived, or may have: a task that waits for it goes on. It may be told of twice, and of
 * uploads that nobody waits for.
 */
export async function receiveUpload(uploadId: string, { uploads, files, jobs }: Receiving): Promise<void> {
  const upload = await uploads.get(uploadId)
  if (!upload?.jobId || upload.task === undefined) return
  const stored = await files.head(upload.key)
  if (!stored) return
  const ref = { jobId: upload.jobId, task: upload.task }
  const source = storedSource(upload, stored, { files })
  try {
    const file = storedFile(source, await detectFormat(source, { mayBeLocked: true }))
    await jobs.uploadArrived(ref, { file })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { code, message, details } = error
    await jobs.uploadArrived(ref, { error: { code, message, ...(details && { details: { ...details } }) } })
  }
}

/** A file that was sent again after its job was deleted, or that was never asked for, is nobody's. */
export async function dropStray(
  uploadId: string,
  key: string,
  { uploads, files, jobs }: Receiving,
): Promise<void> {
  const upload = await uploads.get(uploadId)
  const isWanted = upload && (upload.jobId === undefined || (await isKept(upload.jobId, jobs)))
  if (!isWanted) await files.delete([key])
}

async function isKept(jobId: string, jobs: Jobs): Promise<boolean> {
  const job = await jobs.store.job(jobId)
  return job !== undefined && !job.deletedAt && job.status !== 'expired'
}
