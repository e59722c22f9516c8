// Run by `npm run test:aws`.
import test from 'node:test'
import { runEventBusKillRounds } from './kill-rounds.ts'

test('the event bus loses no acknowledged event when it is killed 200 times', async (t) => {
  const { events, changes, duplicateCount } = await runEventBusKillRounds(200)
  t.diagnostic(`${events} events (${duplicateCount} delivered twice) and ${changes} changes of rules`)
})
