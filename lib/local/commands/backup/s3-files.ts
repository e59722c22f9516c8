// The files of the embedded S3 that a backup has to know.
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'

export const s3Database = join('s3', 'objects.sqlite')
export const s3Blobs = join('s3', 'blobs')

export const blobPath = (blob: string) => join(s3Blobs, blob.slice(0, 2), blob)

/** Lists the files of objects and parts. @throws for a name that is not one of ours, which could be any path */
export function* listBlobs(database: DatabaseSync): Generator<{ blob: string; size: number }> {
  const rows = database.prepare('SELECT blob, size FROM segment UNION SELECT blob, size FROM part')
  for (const row of rows.iterate()) {
    const blob = String(row['blob'])
    if (!/^[0-9a-f]{32}$/.test(blob)) throw new Error(`"${blob}" is not a file name of the embedded S3.`)
    yield { blob, size: Number(row['size']) }
  }
}
