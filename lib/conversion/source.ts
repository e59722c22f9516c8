import type { JobReader } from '../accounts/visible-to-key.ts'
import type { ObjectInfo } from '../aws/files.ts'
import { AppError } from '../errors.ts'
import { isTerminalStatus } from '../model/job.ts'
import { sanitizeFileName } from '../names/file-name.ts'
import type { Services } from '../services/services.ts'
import { requireOwnUpload } from '../uploads/own-upload.ts'
import type { ReceivedFile } from '../uploads/received-file.ts'
import type { UploadRecord } from '../uploads/uploads.ts'
import { defined } from '../validation/defined.ts'

/**
 * A file to convert, already stored in the bucket. The `sha256` of a presigned upload is empty, because its bytes were
 * sent directly to the storage.
 */
export interface SourceFile extends ReceivedFile {
  readonly upload?: UploadRecord
  readonly etag?: string
  /** When the file of the upload arrived. */
  readonly storedAt?: Date
}

interface SourceFields {
  readonly uploadId?: string | undefined
  /** Name of the first file. */
  readonly filename?: string | undefined
}

interface SourceRequest {
  readonly body: SourceFields
  readonly files: readonly ReceivedFile[]
  readonly principal: JobReader
}

/**
 * Returns the source file of a conversion.
 * @throws AppError NO_FILES, INVALID_REQUEST, UPLOAD_NOT_FOUND, UPLOAD_INCOMPLETE, CONFLICT.
 */
export async function openSource(
  { body, files, principal }: SourceRequest,
  services: Services,
): Promise<SourceFile> {
  const [file, secondFile] = files.filter(({ field }) => field === 'file')
  if (secondFile) {
    throw new AppError(
      'INVALID_REQUEST',
      'The field `file` contains several files; this endpoint converts one. Send one request per file, or further inputs as `additionalFile`.',
      { field: 'file' },
    )
  }
  if (file && body.uploadId) {
    throw new AppError('INVALID_REQUEST', 'Both `file` and `uploadId` were sent; send exactly one of them.', {
      field: 'uploadId',
    })
  }
  if (file) return body.filename ? { ...file, filename: sanitizeFileName(body.filename) } : file
  if (body.uploadId) return openUploadedSource(body.uploadId, 'uploadId', principal, services, body.filename)
  throw new AppError(
    'NO_FILES',
    'There is no file: send it in the form field `file`, its URL in `fileUrl`, or the id of an upload in `uploadId`.',
    { field: 'file' },
  )
}

/**
 * Returns the file of an earlier upload.
 * @param field request field that contains the upload's id.
 * @throws AppError UPLOAD_NOT_FOUND, UPLOAD_INCOMPLETE, CONFLICT.
 */
export async function openUploadedSource(
  uploadId: string,
  field: string,
  reader: JobReader,
  services: Services,
  filename?: string,
): Promise<SourceFile> {
  const { upload, stored } = await requireStoredUpload(uploadId, field, reader, services)
  return {
    ...createUploadSource(upload, stored, services),
    field,
    filename: sanitizeFileName(filename ?? upload.filename),
  }
}

/** Returns the stored file of an upload; its ETag ensures that the bytes have not changed when the file is read. */
export function createUploadSource(
  upload: UploadRecord,
  { size, etag, storedAt }: ObjectInfo,
  { files }: Pick<Services, 'files'>,
): SourceFile {
  const { key, filename } = upload
  const read = (start: number, end: number) => files.read(key, start, end, etag)
  return { field: 'uploadId', filename, key, size, sha256: '', etag, upload, storedAt, read, adopt: () => {} }
}

async function requireStoredUpload(uploadId: string, field: string, reader: JobReader, services: Services) {
  const upload = await requireOwnUpload(parseUploadId(uploadId), field, reader, services)
  if (upload.jobId && (await isUsedByJob(upload.jobId, services)))
    throw createUploadAlreadyUsedError(upload, upload.jobId, field)
  const storedObject = await services.files.head(upload.key)
  if (storedObject) return { upload, stored: storedObject }
  await requireUnused(upload, field, services)
  throw new AppError('UPLOAD_INCOMPLETE', await explainMissingFile(upload, services), { field })
}

/** Checks whether the file of an upload is missing because a job took it. @throws AppError CONFLICT */
export async function requireUnused({ id }: UploadRecord, field: string, services: Services): Promise<void> {
  const upload = await services.uploads.get(id)
  if (upload?.jobId !== undefined && (await isUsedByJob(upload.jobId, services)))
    throw createUploadAlreadyUsedError(upload, upload.jobId, field)
}

async function explainMissingFile(
  { id, importJobId, partsId }: UploadRecord,
  { jobs }: Pick<Services, 'jobs'>,
): Promise<string> {
  if (partsId !== undefined)
    return `The file of upload ${id} is not complete. Send its parts, then POST /v1/uploads/multipart/${id}/complete.`
  if (importJobId === undefined)
    return `The file of upload ${id} has not arrived. PUT it to the presigned URL first.`
  const job = await jobs.store.getJob(importJobId)
  if (job && !isTerminalStatus(job.status))
    return `The file of upload ${id} is still being fetched. Poll GET /v1/uploads/${id} until it is complete.`
  return `The file of upload ${id} could not be fetched: ${job?.error?.message ?? 'its import was deleted.'} Import it again.`
}

/** Returns the id of an upload, given the id itself or the key of the uploaded file, which ends with the id. */
const parseUploadId = (idOrKey: string) => idOrKey.slice(idOrKey.lastIndexOf('/') + 1)

/** Whether the job that claimed an upload exists: a process may die after the claim and before it stores the job. */
const isUsedByJob = async (jobId: string, { jobs }: Services) =>
  (await jobs.store.getJob(jobId)) !== undefined

export const createUploadAlreadyUsedError = (
  upload: UploadRecord,
  jobId: string | undefined,
  field: string,
) =>
  new AppError(
    'CONFLICT',
    `The upload ${upload.id} was already used by ${jobId ? `the job ${jobId}` : 'another job'}. Upload the file again for a second conversion.`,
    { field, uploadId: upload.id, ...defined({ jobId }) },
  )
