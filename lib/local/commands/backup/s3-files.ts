// Finds the files of the embedded S3 that a backup must contain.
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'

export const s3DatabasePath = join('s3', 'objects.sqlite')
export const s3BlobsPath = join('s3', 'blobs')

export const getBlobPath = (blobId: string) => join(s3BlobsPath, blobId.slice(0, 2), blobId)

/** Lists the files of objects and parts. @throws for a name that the service did not create, which could be any path */
export function* listBlobs(database: DatabaseSync): Generator<{ blobId: string; size: number }> {
  const rows = database.prepare('SELECT blob, size FROM segment UNION SELECT blob, size FROM part')
  for (const row of rows.iterate()) {
    const blobId = String(row['blob'])
    if (!/^[0-9a-f]{32}$/.test(blobId)) throw new Error(`"${blobId}" is not a file name of the embedded S3.`)
    yield { blobId, size: Number(row['size']) }
  }
}
