import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { openS3Server } from '../../lib/embedded-aws/s3/server.ts'
import {
  getBlobPath,
  listBlobs,
  s3BlobsPath,
  s3DatabasePath,
} from '../../lib/local/commands/backup/s3-files.ts'
import { takeSnapshot } from '../../lib/local/commands/backup/snapshot.ts'
import { scratchFolder } from '../support/scratch-folder.ts'

test('a backup snapshot taken while objects are replaced contains exactly the files that its database refers to', async () => {
  const dir = scratchFolder('backup')
  const s3 = await openS3Server({ dir: join(dir, 's3'), credentials: [], region: 'eu-central-1' })
  await s3.close()
  const writer = spawn(process.execPath, [join(import.meta.dirname, 'replace-objects.ts'), dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(writer.stdout, 'data')
  try {
    for (let round = 0; round < 10; round++) {
      const target = join(dir, `.snapshot-${round}`)
      const { files } = await takeSnapshot(dir, target, new AbortController().signal)
      const database = new DatabaseSync(join(target, s3DatabasePath))
      const referencedBlobIds = [...listBlobs(database)].map(({ blobId: blob }) => blob)
      database.close()
      assert.equal(referencedBlobIds.length, 300)
      assert.deepEqual(
        referencedBlobIds.filter((blob) => !existsSync(join(target, getBlobPath(blob)))),
        [],
      )
      const linkedFiles = await readdir(join(target, s3BlobsPath), { recursive: true, withFileTypes: true })
      assert.equal(linkedFiles.filter((entry) => entry.isFile()).length, referencedBlobIds.length)
      assert.equal(files, referencedBlobIds.length)
    }
  } finally {
    const exit = once(writer, 'exit')
    writer.kill('SIGKILL')
    await exit
  }
})
