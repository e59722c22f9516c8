import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { kept, promises } from './promises.ts'

test('what clients rely on of an operation changes only where somebody says so', async () => {
  const wayOut = 'Run `node test/functions/promises.ts`, and look whether clients can live with what changes.'
  assert.deepEqual(promises().split('\n'), (await readFile(kept, 'utf8')).split('\n'), wayOut)
})
