import assert from 'node:assert/strict'
import test from 'node:test'
import { runKillRounds } from './kill-rounds.ts'

test('the event bus and the scheduler keep what they acknowledged before a kill', async () => {
  const { events, schedules } = await runKillRounds(4)
  assert.ok(events > 0 && schedules > 0)
})
