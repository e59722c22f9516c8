// Run by `npm run test:aws`.
import { test } from 'node:test'
import { runSqsKillRounds } from './kill-rounds.ts'

test('SQS loses no acknowledged request in 200 kills under 8 writers', async (t) => {
  t.diagnostic(await runSqsKillRounds(t, 200))
})
