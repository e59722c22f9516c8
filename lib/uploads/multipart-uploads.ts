import { getOwnerLimits, type PlanLimits } from '../accounts/plan-limits.ts'
import type { JobReader } from '../accounts/visible-to-key.ts'
import { partLimits, type StoredPart } from '../aws/multipart.ts'
import { AppError } from '../errors.ts'
import { newId } from '../ids.ts'
import { requireDiskSpace } from '../io/disk-space.ts'
import { sanitizeFileName } from '../names/file-name.ts'
import type { Services } from '../services/services.ts'
import { defined } from '../validation/defined.ts'
import { createUploadNotFoundError, requireOwnUpload } from './own-upload.ts'
import { createFileTooLargeError, createSizeLimitError } from './size-errors.ts'
import { createUploadKey, multipartLifetimeS, type UploadRecord } from './uploads.ts'

/** Multipart uploads, whose parts are sent directly to the storage: start, resume, complete, abort. */

/** Lifetime of a part's presigned URL in seconds; the client can always request a new one. */
export const partUrlLifetimeS = 3600

const bytesPerMib = 1024 ** 2

/** Returns the size limit of a multipart upload in bytes. */
export const getMaxMultipartBytes = ({ maxFileBytes }: PlanLimits) =>
  Math.min(partLimits.maxObjectBytes, maxFileBytes)

/** Returns the part size in bytes that keeps the upload within the limit of 10,000 parts. */
export const getPartSize = (size: number): number =>
  Math.max(8, Math.ceil(size / partLimits.maxParts / bytesPerMib)) * bytesPerMib

/** An upload whose file is sent in parts. */
type MultipartUpload = UploadRecord & { readonly partsId: string }

interface MultipartUploadRequest {
  readonly principal: JobReader
  readonly filename: string
  readonly contentType: string
  /** Size in bytes, if known. */
  readonly size?: number | undefined
  /** Set for an anonymous upload: anyone who knows its key may continue it. */
  readonly open?: true
}

/** Starts an upload. @throws AppError FILE_TOO_LARGE, INVALID_INPUT for an empty file, INSUFFICIENT_DISK_SPACE. */
export async function startMultipartUpload(
  request: MultipartUploadRequest,
  services: Services,
): Promise<MultipartUpload> {
  const { config, files, uploads } = services
  const { principal, contentType, size, open } = request
  const { ownerId: owner, keyId = null } = principal
  await requireDiskSpace(config)
  const limits = await getOwnerLimits(owner, services)
  const maxSize = getMaxMultipartBytes(limits)
  if (size !== undefined && size > maxSize) throw createSizeLimitError(maxSize, size)
  if (size === 0) throw createEmptyFileError('size')
  const id = newId('upl')
  const key = createUploadKey('uploads', id, limits.retentionHours)
  const partsId = await files.multipart.start(key, contentType)
  const now = Date.now()
  const upload = {
    id,
    owner,
    keyId,
    key,
    contentType,
    maxSize,
    partsId,
    filename: sanitizeFileName(request.filename),
    ...defined({ size, open }),
    createdAt: new Date(now).toISOString(),
    expiresAt: new Date(now + multipartLifetimeS * 1000).toISOString(),
  }
  await uploads.create(upload)
  return upload
}

/**
 * Finds a multipart upload that the principal may see, or an anonymous one.
 * @param key key that the client sent, if any; it must be the key of the upload.
 * @throws AppError UPLOAD_NOT_FOUND
 */
export async function findMultipartUpload(
  { uploadId, key, principal }: { uploadId: string; key?: string | undefined; principal: JobReader },
  services: Services,
): Promise<MultipartUpload> {
  const upload = await requireOwnUpload(uploadId, 'uploadId', principal, services)
  if (upload.partsId === undefined || (key !== undefined && key !== upload.key))
    throw createUploadNotFoundError(uploadId, 'uploadId')
  return { ...upload, partsId: upload.partsId }
}

/** Lists the uploaded parts; undefined if the upload was completed or aborted. */
export const listUploadedParts = ({ key, partsId }: MultipartUpload, { files }: Services) =>
  files.multipart.list({ key, uploadId: partsId })

/**
 * Returns a presigned URL for each part.
 * @throws AppError FILE_TOO_LARGE if the uploaded parts already reach the size limit, CONFLICT if the upload was
 * completed or aborted.
 */
export async function signPartUrls(
  upload: MultipartUpload,
  numbers: readonly number[],
  services: Services,
): Promise<Map<number, string>> {
  const { files, config } = services
  await requireDiskSpace(config)
  const uploadedParts = await listUploadedParts(upload, services)
  if (!uploadedParts) throw createUploadClosedError(upload)
  const maxSize = upload.maxSize ?? getMaxMultipartBytes(await getOwnerLimits(upload.owner, services))
  const otherParts = uploadedParts.filter(({ number }) => !numbers.includes(number))
  if (getTotalSize(otherParts) >= maxSize) {
    await deleteMultipartUpload(upload, services)
    throw createFileTooLargeError(maxSize)
  }
  const target = { key: upload.key, uploadId: upload.partsId }
  const signedUrls = numbers.map(
    async (number) => [number, await files.multipart.signPartUrl(target, number, partUrlLifetimeS)] as const,
  )
  return new Map(await Promise.all(signedUrls))
}

interface PartReference {
  readonly number: number
  /** ETag with or without quotes. */
  readonly etag: string
}

/**
 * Joins the parts. Calling it twice is harmless.
 * @throws AppError INVALID_REQUEST for a part that differs from the uploaded one (`details.part`), INVALID_INPUT for an
 * empty file, UPLOAD_INCOMPLETE, FILE_TOO_LARGE; CONFLICT if the upload was aborted, or a part is sent again meanwhile.
 */
export async function completeMultipartUpload(
  upload: MultipartUpload,
  references: readonly PartReference[],
  services: Services,
): Promise<{ size: number; etag: string }> {
  const { key, partsId: uploadId } = upload
  const uploadedParts = await listUploadedParts(upload, services)
  if (uploadedParts) {
    const parts = matchParts(references, uploadedParts)
    const size = getTotalSize(parts)
    if (size > (upload.maxSize ?? size)) {
      await deleteMultipartUpload(upload, services)
      throw createFileTooLargeError(upload.maxSize ?? size, size)
    }
    requireDeclaredSize(upload, size)
    // The upload is kept, because its parts can be sent again.
    if (size === 0) throw createEmptyFileError('parts')
    if ((await services.files.multipart.complete({ key, uploadId }, parts)) === 'changed')
      throw createPartResentError(upload)
  }
  const storedObject = await services.files.head(key)
  if (!storedObject) throw createUploadClosedError(upload)
  await services.uploads.recordSize(upload, storedObject.size)
  return storedObject
}

/** Deletes the parts and the record. @throws AppError CONFLICT if a job already uses the upload. */
export async function abortMultipartUpload(upload: MultipartUpload, services: Services): Promise<void> {
  if (upload.jobId !== undefined)
    throw new AppError(
      'CONFLICT',
      `The upload ${upload.id} was already used by the job ${upload.jobId}. Delete the job to delete its file.`,
      { uploadId: upload.id, jobId: upload.jobId },
    )
  await deleteMultipartUpload(upload, services)
}

async function deleteMultipartUpload(
  { id, key, partsId: uploadId }: MultipartUpload,
  { files, uploads }: Services,
) {
  await files.multipart.abort({ key, uploadId })
  await files.delete([key])
  await uploads.delete([id])
}

const getTotalSize = (parts: readonly Pick<StoredPart, 'size'>[]) =>
  parts.reduce((sum, { size }) => sum + size, 0)

/** Compares the parts that the client named with the uploaded ones, and returns the uploaded parts. */
function matchParts(
  references: readonly PartReference[],
  uploadedParts: readonly StoredPart[],
): readonly StoredPart[] {
  const partsByNumber = new Map(uploadedParts.map((part) => [part.number, part]))
  const misplacedReference = references.find(
    ({ number }, index) => number <= (references[index - 1]?.number ?? 0),
  )
  if (misplacedReference)
    throw createInvalidPartError(
      misplacedReference.number,
      'list each part once, in the order of the part numbers',
    )
  return references.map(({ number, etag }, index) => {
    const uploadedPart = partsByNumber.get(number)
    if (!uploadedPart) throw createInvalidPartError(number, 'it was not uploaded. PUT it to its URL first')
    if (normalizeEtag(uploadedPart.etag) !== normalizeEtag(etag))
      throw createInvalidPartError(
        number,
        `its ETag is ${normalizeEtag(uploadedPart.etag)}, not ${normalizeEtag(etag).slice(0, 64)}`,
      )
    if (uploadedPart.size < partLimits.minBytes && index < references.length - 1)
      throw createInvalidPartError(
        number,
        `it has ${uploadedPart.size} bytes; all but the last need at least ${partLimits.minBytes}`,
      )
    return uploadedPart
  })
}

const normalizeEtag = (etag: string) => etag.replaceAll('"', '').toLowerCase()

const createInvalidPartError = (partNumber: number, problem: string) =>
  new AppError('INVALID_REQUEST', `parts: part ${partNumber}: ${problem}.`, {
    field: 'parts',
    part: partNumber,
  })

function requireDeclaredSize({ size: declaredSize }: MultipartUpload, size: number): void {
  if (declaredSize === undefined || size === declaredSize) return
  const details = { field: 'parts', expected: declaredSize, got: size }
  if (size < declaredSize)
    throw new AppError(
      'UPLOAD_INCOMPLETE',
      `The parts have ${size} bytes in total, but ${declaredSize} were declared. Send the missing parts.`,
      details,
    )
  throw new AppError(
    'INVALID_REQUEST',
    `parts: they have ${size} bytes in total, but only ${declaredSize} were declared.`,
    details,
  )
}

const createEmptyFileError = (field: string) =>
  new AppError('INVALID_INPUT', 'The file is empty, so there is nothing to convert.', { field })

const createPartResentError = ({ id }: MultipartUpload) =>
  new AppError(
    'CONFLICT',
    `A part of upload ${id} was sent again while the parts were being joined. Complete the upload with the ETags that GET /v1/uploads/multipart/${id} returns.`,
    { uploadId: id },
  )

const createUploadClosedError = ({ id }: MultipartUpload) =>
  new AppError('CONFLICT', `The upload ${id} was already completed or aborted.`, {
    uploadId: id,
  })
