import assert from 'node:assert/strict'
import test from 'node:test'
import { runEventBusKillRounds } from './kill-rounds.ts'

test('the event bus loses no acknowledged event when it is killed', async () => {
  const { events, changes } = await runEventBusKillRounds(4)
  assert.ok(events > 0 && changes > 0)
})
