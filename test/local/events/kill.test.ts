import assert from 'node:assert/strict'
import test from 'node:test'
import { crashRounds } from './kill-rounds.ts'

test('what was acknowledged before a kill -9 is there after it', async () => {
  const { events, schedules } = await crashRounds(4)
  assert.ok(events > 0 && schedules > 0)
})
