import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { kept, promises } from './api-snapshot.ts'

test('what clients rely on of an operation changes only where somebody says so', async () => {
  const wayOut =
    'Run `node test/functions/api-snapshot.ts`, and look whether clients can live with what changes.'
  assert.deepEqual(promises().split('\n'), (await readFile(kept, 'utf8')).split('\n'), wayOut)
})
