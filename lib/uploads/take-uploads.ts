import { randomBytes } from 'node:crypto'
import type { Files } from '../aws/files.ts'
import type { StoredFile } from '../model/job.ts'
import type { UploadRecord } from './uploads.ts'

/**
 * Whether a presigned URL can still overwrite the file of an upload. Once a multipart upload is complete, no part can
 * be sent, and files that the service fetched have no URL.
 */
export const isOverwritable = ({ partsId, importJobId }: UploadRecord): boolean =>
  partsId === undefined && importJobId === undefined

/**
 * Copies the file of an upload to a key that no URL was signed for, so that a later PUT does not change the file of the
 * job. The key is new each time, because several jobs may try to take the upload and only one gets it.
 * @throws AppError CONFLICT if the file was overwritten since it was checked, FILE_GONE if it was deleted.
 */
export async function takeUpload(file: StoredFile, files: Files): Promise<Pick<StoredFile, 'key' | 'etag'>> {
  // The new key keeps the retention time that is part of the old one.
  const key = `${file.key.replace('uploads/', 'received/')}/${randomBytes(12).toString('hex')}`
  return { key, etag: await files.copy(file, key) }
}
