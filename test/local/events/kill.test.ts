import assert from 'node:assert/strict'
import test from 'node:test'
import { runKillRounds } from './kill-rounds.ts'

test('what was acknowledged before a kill -9 is there after it', async () => {
  const { events, schedules } = await runKillRounds(4)
  assert.ok(events > 0 && schedules > 0)
})
