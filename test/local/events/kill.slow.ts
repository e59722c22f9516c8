// Run by `npm run test:aws`.
import test from 'node:test'
import { runKillRounds } from './kill-rounds.ts'

test('what was acknowledged is there after 200 times kill -9', async (t) => {
  const { events, schedules, twice } = await runKillRounds(200)
  t.diagnostic(`${events} events (${twice} delivered twice) and ${schedules} schedules`)
})
