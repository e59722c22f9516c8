// Run by hand or by `npm run test:aws`: two hundred kills take some minutes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runKillRounds } from './kill-rounds.ts'

test('two hundred times SIGKILL under eight writers lose nothing', async (t) => {
  const { acknowledged } = await runKillRounds(200)
  assert.ok(acknowledged > 1000)
  t.diagnostic(`${acknowledged} acknowledged changes`)
})
