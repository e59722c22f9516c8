// Where the embedded S3 keeps objects, as far as a backup has to know.
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'

export const s3Database = join('s3', 'objects.sqlite')
export const s3Blobs = join('s3', 'blobs')

export const blobPath = (blob: string) => join(s3Blobs, blob.slice(0, 2), blob)

/** The files that objects and parts consist of. @throws when a name is none of ours, which could lead anywhere. */
export function* listBlobs(database: DatabaseSync): Generator<{ blob: string; size: number }> {
  const rows = database.prepare('SELECT blob, size FROM segment UNION SELECT blob, size FROM part')
  for (const row of rows.iterate()) {
    const blob = String(row['blob'])
    if (!/^[0-9a-f]{32}$/.test(blob)) throw new Error(`"${blob}" is no name of a file of the embedded S3.`)
    yield { blob, size: Number(row['size']) }
  }
}
