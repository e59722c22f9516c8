// Run by `npm run test:aws`.
import { test } from 'node:test'
import { runSqsKillRounds } from './kill-rounds.ts'

test('SQS loses no acknowledged request when it is killed 200 times while eight clients write', async (t) => {
  t.diagnostic(await runSqsKillRounds(t, 200))
})
