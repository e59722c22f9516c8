import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createReadableFolder } from '../../lib/decoders/build-program.ts'
import { scratchFolder } from '../support/scratch-folder.ts'

const folder = scratchFolder('build-program')

test('a decoder process of another user can read the folder of its program', async () => {
  const readMode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)
  // The same umask as in the service.
  const umask = process.umask(0o077)
  try {
    await createReadableFolder(join(folder, 'cache', 'decoders'))
    await createReadableFolder(join(folder, 'cache', 'decoders'))
  } finally {
    process.umask(umask)
  }
  assert.deepEqual(
    await Promise.all(['cache', 'cache/decoders'].map((path) => readMode(join(folder, path)))),
    ['755', '755'],
  )
})
