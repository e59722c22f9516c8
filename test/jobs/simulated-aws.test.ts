import { test } from 'node:test'
import { stories } from './job-scenarios.ts'
import { seeded, walk } from './run-scenario.ts'
import { conflicts, lostAnswers, silence, together, unprocessed } from './simulated-aws.ts'
import { openDatabase } from './test-table.ts'

const database = openDatabase()

/** The others are told in `stops.slow.ts`. */
const told: readonly (keyof typeof stories)[] = [
  'a job of one task',
  'a diamond of six tasks',
  'a cancellation',
  'a deletion',
  'an upload that is no picture',
]

/** All that AWS does at once; `stops.slow.ts` has each by itself. */
const manner = seeded((chance) =>
  together(conflicts(0.1, chance), lostAnswers(0.3, chance), silence(0.02, chance), unprocessed(0.5, chance)),
)

for (const name of told)
  test(`${name} ends alike while writes conflict, answers are lost and batches are taken in part`, async (t) => {
    const runs = await walk(database, stories[name], { manner, every: 12, from: 3 })
    t.diagnostic(`${runs} runs`)
  })
