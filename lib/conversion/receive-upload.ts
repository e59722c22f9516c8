import type { Files, ObjectInfo } from '../aws/files.ts'
import { detectFormat } from '../decoders/detect-format.ts'
import { AppError } from '../errors.ts'
import type { UploadedFile } from '../jobs/events.ts'
import { listJobFiles } from '../jobs/job-state-machine.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Job, JobState, StoredFile } from '../model/job.ts'
import { createFileTooLargeError } from '../uploads/size-errors.ts'
import { isOverwritable, takeUpload } from '../uploads/take-uploads.ts'
import { toStoredFile } from '../uploads/to-stored-file.ts'
import { parseUploadId, type UploadRecord, type Uploads } from '../uploads/uploads.ts'
import { createUploadSource } from './source.ts'

export interface ReceiveUploadDeps {
  readonly uploads: Uploads
  readonly files: Files
  readonly jobs: Jobs
}

/** An upload whose file has arrived. */
interface InspectedUpload {
  readonly upload: UploadRecord
  readonly storedObject: ObjectInfo
  readonly outcome: UploadOutcome
}

/** An object that was created at the key of an upload. */
interface CreatedObject {
  readonly uploadId: string
  readonly key: string
  readonly createdAt: Date
}

/**
 * Handles a file that arrived in the bucket: publishes it and resumes the task that waits for it. Deletes the file if
 * no job will use it: its upload is unknown, its job was deleted, or its job already uses an earlier file of the same
 * upload. May be called repeatedly.
 */
export const receiveStoredFile = (object: CreatedObject, deps: ReceiveUploadDeps): Promise<void> =>
  retryIfOverwritten(() => handleStoredFile(object, deps))

async function handleStoredFile(object: CreatedObject, deps: ReceiveUploadDeps): Promise<void> {
  const { key } = object
  const upload = await deps.uploads.get(object.uploadId)
  const state = upload?.jobId === undefined ? undefined : await deps.jobs.store.getState(upload.jobId)
  const takenFile = state && listJobFiles(state).find((file) => parseUploadId(file.key) === upload?.id)
  if (upload && state && takenFile && takenFile.key !== key) {
    await handleTakenUpload(upload, takenFile, state, object, deps)
  } else {
    // Files that the service imported into an upload were inspected and published by the import.
    const shouldInspect = upload && (isAwaited(upload) || upload.importJobId === undefined)
    const inspectedUpload = shouldInspect && (await inspectUpload(upload, deps))
    if (inspectedUpload) {
      await publishUploadEvent(inspectedUpload, deps)
      await resumeTask(inspectedUpload, deps)
    }
    if (upload && (upload.jobId === undefined || (state && isStillNeeded(upload, state)))) return
  }
  await deps.files.delete([key])
}

/**
 * Handles a notification about an upload whose file the job has already copied. The file of the notification is either
 * the one that the job copied, or one that arrived too late.
 */
async function handleTakenUpload(
  upload: UploadRecord,
  file: StoredFile,
  { job }: JobState,
  { createdAt }: CreatedObject,
  deps: ReceiveUploadDeps,
): Promise<void> {
  const { jobId, task, arrivedAt, key } = upload
  if (jobId === undefined) return
  // Repeats the steps that an interrupted call may have missed.
  if (task !== undefined) await deps.jobs.completeUpload({ jobId, task }, { file })
  else if (arrivedAt !== undefined && createdAt.toISOString() <= job.createdAt)
    await publishUpload(upload, { ...file, key }, arrivedAt, deps)
}

/**
 * Resumes the task that waits for an upload, if its file has arrived. May be called repeatedly, and for uploads that no
 * task waits for.
 */
export const receiveUpload = (uploadId: string, deps: ReceiveUploadDeps): Promise<void> =>
  retryIfOverwritten(async () => {
    const upload = await deps.uploads.get(uploadId)
    const inspectedUpload = upload && isAwaited(upload) && (await inspectUpload(upload, deps))
    if (inspectedUpload) await resumeTask(inspectedUpload, deps)
  })

const isAwaited = ({ jobId, task }: UploadRecord) => jobId !== undefined && task !== undefined

const maxAttempts = 3

/** Repeats the action if the file is overwritten, or taken by a job, while it is being inspected. */
async function retryIfOverwritten(action: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await action()
    } catch (error) {
      if (!isOverwritten(error) || attempt >= maxAttempts) throw error
    }
  }
}

const isOverwritten = (error: unknown) =>
  error instanceof AppError && (error.code === 'CONFLICT' || error.code === 'FILE_GONE')

async function resumeTask({ upload, outcome }: InspectedUpload, deps: ReceiveUploadDeps): Promise<void> {
  const { files, jobs } = deps
  const { jobId, task, key } = upload
  if (jobId === undefined || task === undefined) return
  if ('error' in outcome || !isOverwritable(upload)) {
    // If the task was not completed, no record refers to the file, so nothing else would delete it.
    if (!(await jobs.completeUpload({ jobId, task }, outcome))) await files.delete([key])
    return
  }
  const takenFile = await takeUpload(outcome.file, files)
  await jobs.completeUpload({ jobId, task }, { file: { ...outcome.file, ...takenFile } })
  const endedTask = await jobs.store.getTask({ jobId, task })
  const isUsed = endedTask?.files.some((file) => file.key === takenFile.key)
  await files.delete(isUsed ? [key] : [key, takenFile.key])
}

async function publishUploadEvent(
  { upload, storedObject, outcome }: InspectedUpload,
  deps: ReceiveUploadDeps,
): Promise<void> {
  const { filename, contentType: mimeType, key } = upload
  const uninspectedFile = { key, filename, mimeType, format: null, size: storedObject.size, sha256: '' }
  const file = 'file' in outcome ? outcome.file : uninspectedFile
  await publishUpload(upload, file, storedObject.storedAt.toISOString(), deps)
}

async function publishUpload(
  { owner, jobId, task, partsId, importJobId }: UploadRecord,
  file: UploadedFile['file'],
  occurredAt: string,
  { jobs }: ReceiveUploadDeps,
): Promise<void> {
  if (importJobId !== undefined) return
  const via = partsId === undefined ? 'presigned' : 'multipart'
  // An upload without a task arrived before its job was created.
  const taskRef = jobId === undefined || task === undefined ? undefined : { jobId, task }
  await jobs.publishUpload({ owner, file, occurredAt, via }, taskRef)
}

type UploadOutcome = Parameters<Jobs['completeUpload']>[1]

/**
 * Inspects an upload whose file has arrived.
 * @throws AppError SERVICE_UNAVAILABLE, after which a retry may succeed; CONFLICT or FILE_GONE if the file was
 * overwritten or deleted meanwhile.
 */
async function inspectUpload(
  upload: UploadRecord,
  { files }: ReceiveUploadDeps,
): Promise<InspectedUpload | undefined> {
  const storedObject = await files.head(upload.key)
  if (!storedObject) return undefined
  try {
    const { maxSize } = upload
    if (maxSize !== undefined && storedObject.size > maxSize)
      throw createFileTooLargeError(maxSize, storedObject.size)
    const source = createUploadSource(upload, storedObject, { files })
    const file = toStoredFile(source, await detectFormat(source, { mayBeLocked: true }))
    return { upload, storedObject, outcome: { file } }
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'SERVICE_UNAVAILABLE' || isOverwritten(error))
      throw error
    const { code, message, details } = error
    return {
      upload,
      storedObject,
      outcome: { error: { code, message, ...(details && { details: { ...details } }) } },
    }
  }
}

/** Returns whether the job needs the object at the key of the upload, or waits for it. */
const isStillNeeded = (upload: UploadRecord, state: JobState) =>
  hasFiles(state.job) && (isAwaited(upload) || listJobFiles(state).some(({ key }) => key === upload.key))

const hasFiles = ({ deletedAt, status }: Job) => deletedAt === undefined && status !== 'expired'
