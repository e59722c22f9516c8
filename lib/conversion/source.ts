import { isSameOwner } from '../access/adopt-anonymous.ts'
import type { StoredObject } from '../aws/files.ts'
import { AppError } from '../errors.ts'
import { fileName } from '../file-name.ts'
import type { HttpRequest, ReceivedFile } from '../http/contract.ts'
import { idPattern, namedId } from '../ids.ts'
import { isTerminalStatus } from '../jobs/job.ts'
import type { Services } from '../services.ts'
import type { UploadRecord } from '../uploads.ts'

/**
 * The file to convert, wherever it came from; it lies in the bucket already. The `sha256` of a presigned upload is
 * empty: its bytes never passed through us.
 */
export interface SourceFile extends ReceivedFile {
  readonly upload?: UploadRecord
  readonly etag?: string
}

interface SourceFields {
  readonly uploadId?: string | undefined
  /** Of the first file. */
  readonly filename?: string | undefined
}

type Request = Pick<HttpRequest<unknown, unknown, SourceFields>, 'body' | 'files' | 'principal'>

/**
 * The one file of a conversion.
 * @throws AppError NO_FILES, INVALID_REQUEST, UPLOAD_NOT_FOUND, UPLOAD_INCOMPLETE, CONFLICT.
 */
export async function openSource(
  { body, files, principal }: Request,
  services: Services,
): Promise<SourceFile> {
  const [file, second] = files.filter(({ field }) => field === 'file')
  if (second) {
    throw new AppError(
      'INVALID_REQUEST',
      'Two files came in the field `file`; this endpoint converts one. Send a request for each, or further inputs as `additionalFile`.',
      { field: 'file' },
    )
  }
  if (file && body.uploadId) {
    throw new AppError(
      'INVALID_REQUEST',
      'Both `file` and `uploadId` were sent; exactly one of them names the source.',
      { field: 'uploadId' },
    )
  }
  if (file) return body.filename ? { ...file, filename: fileName(body.filename) } : file
  if (body.uploadId)
    return uploadedSource(body.uploadId, 'uploadId', principal.ownerId, services, body.filename)
  throw new AppError(
    'NO_FILES',
    'There is no file: send it in the form field `file`, its address as `fileUrl`, or name an upload in `uploadId`.',
    { field: 'file' },
  )
}

/**
 * A file that was uploaded before.
 * @param field the one of the request that names it.
 * @throws AppError UPLOAD_NOT_FOUND, UPLOAD_INCOMPLETE, CONFLICT.
 */
export async function uploadedSource(
  uploadId: string,
  field: string,
  owner: string,
  services: Services,
  filename?: string,
): Promise<SourceFile> {
  const { upload, stored } = await requireStoredUpload(uploadId, field, owner, services)
  return { ...storedSource(upload, stored, services), field, filename: fileName(filename ?? upload.filename) }
}

/** A file of an upload that is there; only the bytes that are there now are ever used. */
export function storedSource(
  upload: UploadRecord,
  { size, etag }: StoredObject,
  { files }: Pick<Services, 'files'>,
): SourceFile {
  const { key, filename } = upload
  const read = (start: number, end: number) => files.read(key, start, end, etag)
  return { field: 'uploadId', filename, key, size, sha256: '', etag, upload, read, adopt: () => {} }
}

/**
 * An upload of this owner, from before he signed up too, or an open one, that has not expired.
 * @throws AppError UPLOAD_NOT_FOUND
 */
export async function requireOwnUpload(
  uploadId: string,
  field: string,
  owner: string,
  services: Services,
): Promise<UploadRecord> {
  const upload = idPattern('upl').test(uploadId) ? await services.uploads.get(uploadId) : undefined
  const isValid = upload !== undefined && upload.expiresAt >= new Date().toISOString()
  if (isValid && (upload.open || (await isSameOwner(upload.owner, owner, services)))) return upload
  throw uploadNotFound(uploadId, field)
}

export const uploadNotFound = (uploadId: string, field: string) =>
  new AppError(
    'UPLOAD_NOT_FOUND',
    `There is no upload ${namedId(uploadId)} of yours; it may have expired. Upload the file again.`,
    { field },
  )

async function requireStoredUpload(uploadId: string, field: string, owner: string, services: Services) {
  const upload = await requireOwnUpload(uploadIdIn(uploadId), field, owner, services)
  if (upload.jobId && (await isUsedByJob(upload.jobId, services)))
    throw uploadAlreadyUsed(upload, upload.jobId, field)
  const stored = await services.files.head(upload.key)
  if (!stored) throw new AppError('UPLOAD_INCOMPLETE', await explainMissingFile(upload, services), { field })
  return { upload, stored }
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
    return `The file of upload ${id} is still being fetched. GET /v1/uploads/${id} says when it is there.`
  return `The file of upload ${id} was not fetched: ${job?.error?.message ?? 'its import was deleted.'} Import it again.`
}

/** The key of an upload ends in its id, and either names it. */
const uploadIdIn = (idOrKey: string) => idOrKey.slice(idOrKey.lastIndexOf('/') + 1)

/** A process may die between its claims and the job that they were for. */
const isUsedByJob = async (jobId: string, { jobs }: Services) =>
  (await jobs.store.getJob(jobId)) !== undefined

export const uploadAlreadyUsed = (upload: UploadRecord, jobId: string | undefined, field: string) =>
  new AppError(
    'CONFLICT',
    `The upload ${upload.id} went into ${jobId ? `the job ${jobId}` : 'another job'} already. Upload the file again for a second conversion.`,
    { field, uploadId: upload.id, ...(jobId && { jobId }) },
  )
