import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAtRest, outcomeOf } from './job-outcome.ts'
import { fanIn } from './new-tasks.ts'
import { chances, conflicts, lostAnswers, together, unprocessed } from './simulated-aws.ts'
import { World } from './simulated-service.ts'
import { openDatabase } from './test-table.ts'

const database = openDatabase()

/** A bucket of them and some more; graphs.slow.ts and stops.slow.ts have hundreds. */
const count = 130

test('of more tasks than one set holds that end together none runs out of tries', async (t) => {
  const chance = chances(300)
  const manner = together(conflicts(0.05, chance), lostAnswers(0.05, chance), unprocessed(0.3, chance))
  const world = new World({ database, tableName: await database.makeTable(), loops: 64, manner })
  await world.create(fanIn(count))
  const begun = performance.now()
  await world.settle()
  const ms = performance.now() - begun
  t.diagnostic(`${(ms / (count + 1)).toFixed(1)} ms a task`)
  await assertAtRest(world)
  assert.deepEqual(world.failures, [])
  assert.equal((await outcomeOf(world)).status, 'completed')
  assert.equal(world.runs.length, count + 1, 'each task ran once')
  const ofJob = world.gate.effects.filter((effect) => effect.endsWith(' JOB JOB'))
  // Its creation, start, two buckets and end, and what the clock makes write: of several who want to tell how far it
  // is at once, all but one are refused.
  const byClock = 4 * (1 + ms / 2000)
  assert.ok(ofJob.length <= 6 + byClock, `the record of the job is written ${ofJob.length} times`)
  // One in two seconds, however many processes there are; what one of them told, the next one and the end
  // repeat, and one whose answer was lost tells again.
  assert.ok(world.bus.published.length <= 24 + 4 * (ms / 2000), `${world.bus.published.length} publications`)
})
