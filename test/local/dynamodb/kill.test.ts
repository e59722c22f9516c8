import { test } from 'node:test'
import { runKillRounds } from './kill-rounds.ts'

test('a program that is killed under eight writers keeps what it acknowledged, and nothing by half', async (t) => {
  t.diagnostic(await runKillRounds(t, 8))
})
