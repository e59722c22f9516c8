import { isSameOwner } from '../accounts/same-owner.ts'
import { AppError } from '../errors.ts'
import { idPattern, quoteId } from '../ids.ts'
import type { Services } from '../services/services.ts'
import type { UploadRecord } from './uploads.ts'

/**
 * Returns an upload that has not expired and is open or belongs to this owner, including uploads from before signing
 * up.
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
    `You have no upload ${quoteId(uploadId)}; it may have expired. Upload the file again.`,
    { field },
  )
