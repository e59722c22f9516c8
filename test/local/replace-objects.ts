// Replaces objects of an S3 folder as fast as it goes, as the server does it, until it is killed: node
// backup-churn.ts <folder>. Writes a line when it has begun.
import { randomBytes, randomInt } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { blobPath, s3Database } from '../../lib/local/backup/s3-files.ts'

const [, , dataDir = ''] = process.argv
const OBJECTS = 300

const database = new DatabaseSync(join(dataDir, s3Database), { timeout: 5000 })
database.exec('PRAGMA synchronous = OFF')
const replace = database.prepare(
  "INSERT OR REPLACE INTO segment (object, number, blob, size, checksum) VALUES (?, 1, ?, 1, '')",
)

const blobs: string[] = []
for (let at = 0; ; at = blobs.length < OBJECTS ? blobs.length : randomInt(OBJECTS)) {
  const blob = randomBytes(16).toString('hex')
  const path = join(dataDir, blobPath(blob))
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, 'x')
  replace.run(at, blob)
  const old = blobs[at]
  // Only after the commit, and then at once.
  if (old) rmSync(join(dataDir, blobPath(old)))
  blobs[at] = blob
  if (!old && blobs.length === OBJECTS) process.stdout.write('begun\n')
}
