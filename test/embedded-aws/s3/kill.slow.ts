// Run manually or by `npm run test:aws`: 200 kills take some minutes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runS3KillRounds } from './kill-rounds.ts'

test('S3 loses no acknowledged write when it is killed 200 times while eight clients write', async (t) => {
  const { acknowledged } = await runS3KillRounds(200)
  assert.ok(acknowledged > 1000)
  t.diagnostic(`${acknowledged} acknowledged changes`)
})
