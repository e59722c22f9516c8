// Run by `npm run test:aws`.
import { test } from 'node:test'
import { runKillRounds } from './kill-rounds.ts'

test('200 kills under eight writers lose nothing that was acknowledged', async (t) => {
  t.diagnostic(await runKillRounds(t, 200))
})
