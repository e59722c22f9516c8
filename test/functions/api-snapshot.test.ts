import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { createSnapshot, snapshotFile } from './api-snapshot.ts'

test('the API matches its recorded snapshot', async () => {
  const hint =
    'Run `node test/functions/api-snapshot.ts`, and look whether clients can live with what changes.'
  assert.deepEqual(createSnapshot().split('\n'), (await readFile(snapshotFile, 'utf8')).split('\n'), hint)
})
