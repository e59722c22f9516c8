import type { Files, ObjectInfo } from '../aws/files.ts'
import { detectFormat } from '../decoders/detect-format.ts'
import { AppError } from '../errors.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { fileTooLargeError } from '../uploads/size-errors.ts'
import { toStoredFile } from '../uploads/to-stored-file.ts'
import type { UploadRecord, Uploads } from '../uploads/uploads.ts'
import { createUploadSource } from './source.ts'

export interface ReceiveUploadDeps {
  readonly uploads: Uploads
  readonly files: Files
  readonly jobs: Jobs
}

/** An upload whose file has arrived. */
interface ArrivedUpload {
  readonly upload: UploadRecord
  readonly stored: ObjectInfo
  readonly outcome: UploadOutcome
}

/**
 * Handles a file that arrived in the bucket: publishes it, resumes the task that waits for it, and deletes a file that
 * was uploaded again after its job was deleted, or without a known upload. May be called repeatedly.
 */
export async function receiveStoredFile(
  uploadId: string,
  key: string,
  deps: ReceiveUploadDeps,
): Promise<void> {
  const upload = await deps.uploads.get(uploadId)
  // Files that the service imported into an upload were inspected and published by the import.
  const isNews = upload && (isAwaited(upload) || upload.importJobId === undefined)
  const arrived = isNews && (await inspectUpload(upload, deps))
  if (arrived) {
    await publishUploadEvent(arrived, deps)
    await resumeTask(arrived, deps)
  }
  const isWanted = upload && (upload.jobId === undefined || (await isJobKept(upload.jobId, deps)))
  if (!isWanted) await deps.files.delete([key])
}

/**
 * Resumes the task that waits for an upload, if its file has arrived. May be called repeatedly, and for uploads that no
 * task waits for.
 */
export async function receiveUpload(uploadId: string, deps: ReceiveUploadDeps): Promise<void> {
  const upload = await deps.uploads.get(uploadId)
  const arrived = upload && isAwaited(upload) && (await inspectUpload(upload, deps))
  if (arrived) await resumeTask(arrived, deps)
}

const isAwaited = ({ jobId, task }: UploadRecord) => jobId !== undefined && task !== undefined

async function resumeTask(
  { upload, outcome }: ArrivedUpload,
  { files, jobs }: ReceiveUploadDeps,
): Promise<void> {
  const { jobId, task, key } = upload
  if (jobId === undefined || task === undefined) return
  // Otherwise no record refers to the file, and nothing would delete it.
  if (!(await jobs.completeUpload({ jobId, task }, outcome))) await files.delete([key])
}

async function publishUploadEvent(
  { upload, stored, outcome }: ArrivedUpload,
  { jobs }: ReceiveUploadDeps,
): Promise<void> {
  const { owner, jobId, partsId, filename, contentType: mimeType, key, importJobId } = upload
  if (importJobId !== undefined) return
  const unknown = { key, filename, mimeType, format: null, size: stored.size, sha256: '' }
  await jobs.publishUpload({
    owner,
    jobId,
    file: 'file' in outcome ? outcome.file : unknown,
    occurredAt: stored.storedAt.toISOString(),
    via: partsId === undefined ? 'presigned' : 'multipart',
  })
}

type UploadOutcome = Parameters<Jobs['completeUpload']>[1]

/**
 * Returns what is known of an upload whose file has arrived.
 * @throws AppError SERVICE_UNAVAILABLE, after which it is worth trying again.
 */
async function inspectUpload(
  upload: UploadRecord,
  { files }: ReceiveUploadDeps,
): Promise<ArrivedUpload | undefined> {
  const stored = await files.head(upload.key)
  if (!stored) return undefined
  try {
    const { maxSize } = upload
    if (maxSize !== undefined && stored.size > maxSize) throw fileTooLargeError(maxSize, stored.size)
    const source = createUploadSource(upload, stored, { files })
    const file = toStoredFile(source, await detectFormat(source, { mayBeLocked: true }))
    return { upload, stored, outcome: { file } }
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'SERVICE_UNAVAILABLE') throw error
    const { code, message, details } = error
    return {
      upload,
      stored,
      outcome: { error: { code, message, ...(details && { details: { ...details } }) } },
    }
  }
}

async function isJobKept(jobId: string, { jobs }: ReceiveUploadDeps): Promise<boolean> {
  const job = await jobs.store.getJob(jobId)
  return job !== undefined && !job.deletedAt && job.status !== 'expired'
}
