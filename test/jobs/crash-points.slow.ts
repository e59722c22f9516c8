import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAtRest, outcomeOf } from './job-outcome.ts'
import { stories } from './job-scenarios.ts'
import { fanIn } from './new-tasks.ts'
import { seeded, walk } from './run-scenario.ts'
import { chances, conflicts, lostAnswers, silence, together, unprocessed } from './simulated-aws.ts'
import { World } from './simulated-service.ts'
import { openDatabase } from './test-table.ts'

const database = openDatabase()

const manners = {
  'the table behaves': undefined,
  'writes meet transactions of others': seeded((chance) => conflicts(0.3, chance)),
  'every write is sent twice': seeded((chance) => lostAnswers(1, chance)),
  'answers are lost, and the write is sent again': seeded((chance) => lostAnswers(0.3, chance)),
  'answers are lost for good': seeded((chance) => silence(0.08, chance)),
  'batches are taken in part': seeded((chance) => unprocessed(0.8, chance)),
}

for (const [circumstance, manner] of Object.entries(manners))
  for (const [name, story] of Object.entries(stories))
    test(`${name} ends alike wherever a process stops while ${circumstance}`, async (t) => {
      const runs = await walk(database, story, manner && { manner })
      t.diagnostic(`${runs} runs`)
    })

test('a job of three hundred tasks ends whole though forty processes die on the way', async () => {
  const chance = chances(41)
  for (let time = 1; time <= 3; time++) {
    const stops = Array.from({ length: 40 }, () => 60 + Math.floor(chance() * 2000))
    const manner = together(conflicts(0.02, chance), lostAnswers(0.05, chance), unprocessed(0.3, chance))
    const tableName = await database.makeTable()
    const world = new World({ database, tableName, loops: 8, stops, manner })
    await world.create(fanIn(300))
    await world.settle()
    await assertAtRest(world)
    assert.equal((await outcomeOf(world)).status, 'completed')
  }
})
