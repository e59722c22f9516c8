import { isSameOwner } from '../accounts/same-owner.ts'
import { isVisibleToKey, type JobReader } from '../accounts/visible-to-key.ts'
import { AppError } from '../errors.ts'
import { idPattern, quoteId } from '../ids.ts'
import type { Services } from '../services/services.ts'
import type { UploadRecord } from './uploads.ts'

/**
 * Returns an upload that has not expired and that the reader may use: an anonymous upload, or one that belongs to the
 * reader, including uploads from before they signed up. A public key can only use uploads that it started.
 * @throws AppError UPLOAD_NOT_FOUND
 */
export async function requireOwnUpload(
  uploadId: string,
  field: string,
  reader: JobReader,
  services: Services,
): Promise<UploadRecord> {
  const upload = idPattern('upl').test(uploadId) ? await services.uploads.get(uploadId) : undefined
  const isValid = upload !== undefined && upload.expiresAt >= new Date().toISOString()
  if (isValid && (upload.open || (await isReadable(upload, reader, services)))) return upload
  throw createUploadNotFoundError(uploadId, field)
}

async function isReadable(
  { owner, keyId }: UploadRecord,
  reader: JobReader,
  services: Services,
): Promise<boolean> {
  if (!(await isSameOwner(owner, reader.ownerId, services))) return false
  return keyId === undefined || isVisibleToKey({ keyId: keyId ?? undefined }, reader)
}

export const createUploadNotFoundError = (uploadId: string, field: string) =>
  new AppError(
    'UPLOAD_NOT_FOUND',
    `You have no upload ${quoteId(uploadId)}; it may have expired. Upload the file again.`,
    { field },
  )
