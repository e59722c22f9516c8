import { randomBytes } from 'node:crypto'
import type { Files } from '../aws/files.ts'
import type { StoredFile } from '../model/job.ts'
import type { UploadRecord } from './uploads.ts'

/**
 * Whether a presigned URL can still overwrite the file of an upload. No part can be sent once a multipart upload is
 * complete, and there is no URL for files that the service fetched.
 */
export const isOverwritable = ({ partsId, importJobId }: UploadRecord): boolean =>
  partsId === undefined && importJobId === undefined

/**
 * Copies the file of an upload to a key that no URL was signed for, so that a later PUT changes nothing for its job.
 * The key is new each time: of several jobs that want the upload, only one gets it.
 * @throws AppError CONFLICT if the file was overwritten since it was checked, FILE_GONE if it was deleted.
 */
export async function takeUpload(file: StoredFile, files: Files): Promise<Pick<StoredFile, 'key' | 'etag'>> {
  // The same retention rule.
  const key = `${file.key.replace('uploads/', 'received/')}/${randomBytes(12).toString('hex')}`
  return { key, etag: await files.copy(file, key) }
}
