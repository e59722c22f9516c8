import type { Files, ObjectInfo } from '../aws/files.ts'
import { AppError } from '../errors.ts'
import { detectFormat } from '../formats/detect.ts'
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

/**
 * Resumes the task that waits for an upload, if its file has arrived. May be called repeatedly, and for uploads that no
 * task waits for.
 */
export async function receiveUpload(
  uploadId: string,
  { uploads, files, jobs }: ReceiveUploadDeps,
): Promise<void> {
  const upload = await uploads.get(uploadId)
  if (!upload?.jobId || upload.task === undefined) return
  const stored = await files.head(upload.key)
  if (!stored) return
  const ref = { jobId: upload.jobId, task: upload.task }
  const isTaken = await jobs.completeUpload(ref, await inspectUpload(upload, stored, files))
  // Otherwise no record refers to the file, and nothing would delete it.
  if (!isTaken) await files.delete([upload.key])
}

/** Publishes that an upload has arrived. Files that the service imported into an upload are published by the import. */
export async function publishUploadEvent(
  uploadId: string,
  { uploads, files, jobs }: ReceiveUploadDeps,
): Promise<void> {
  const upload = await uploads.get(uploadId)
  const stored = upload && !upload.importJobId && (await files.head(upload.key))
  if (!stored) return
  const { owner, jobId, partsId } = upload
  const outcome = await inspectUpload(upload, stored, files)
  const { filename, contentType: mimeType, key } = upload
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

async function inspectUpload(upload: UploadRecord, stored: ObjectInfo, files: Files): Promise<UploadOutcome> {
  try {
    const { maxSize } = upload
    if (maxSize !== undefined && stored.size > maxSize) throw fileTooLargeError(maxSize, stored.size)
    const source = createUploadSource(upload, stored, { files })
    return { file: toStoredFile(source, await detectFormat(source, { mayBeLocked: true })) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { code, message, details } = error
    return { error: { code, message, ...(details && { details: { ...details } }) } }
  }
}

/** Deletes a file that was uploaded again after its job was deleted, or without a known upload. */
export async function deleteOrphanUpload(
  uploadId: string,
  key: string,
  { uploads, files, jobs }: ReceiveUploadDeps,
): Promise<void> {
  const upload = await uploads.get(uploadId)
  const isWanted = upload && (upload.jobId === undefined || (await isJobKept(upload.jobId, jobs)))
  if (!isWanted) await files.delete([key])
}

async function isJobKept(jobId: string, jobs: Jobs): Promise<boolean> {
  const job = await jobs.store.getJob(jobId)
  return job !== undefined && !job.deletedAt && job.status !== 'expired'
}
