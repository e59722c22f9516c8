// Replaces objects in an S3 folder as fast as possible, like the server, until it is killed: node replace-objects.ts
// <folder>. Prints a line once all objects exist.
import { randomBytes, randomInt } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { getBlobPath, s3DatabasePath } from '../../lib/local/commands/backup/s3-files.ts'

const [, , dataDir = ''] = process.argv
const OBJECTS = 300

const database = new DatabaseSync(join(dataDir, s3DatabasePath), { timeout: 5000 })
database.exec('PRAGMA synchronous = OFF')
const replace = database.prepare(
  "INSERT OR REPLACE INTO segment (object, number, blob, size, checksum) VALUES (?, 1, ?, 1, '')",
)

const blobs: string[] = []
for (let at = 0; ; at = blobs.length < OBJECTS ? blobs.length : randomInt(OBJECTS)) {
  const blob = randomBytes(16).toString('hex')
  const path = join(dataDir, getBlobPath(blob))
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, 'x')
  replace.run(at, blob)
  const oldBlob = blobs[at]
  // As in the server, the old file is deleted only after the commit, but then immediately.
  if (oldBlob) rmSync(join(dataDir, getBlobPath(oldBlob)))
  blobs[at] = blob
  if (!oldBlob && blobs.length === OBJECTS) process.stdout.write('started\n')
}
