import { test } from 'node:test'
import { conflicts, lostAnswers, silence, together, unprocessed } from './imitated-aws.ts'
import { stories } from './stories.ts'
import { openDatabase } from './table-of-tests.ts'
import { seeded, walk } from './walk.ts'

const database = openDatabase()

/** All that AWS does at once; `stops.slow.ts` has each by itself. */
const manner = seeded((chance) =>
  together(conflicts(0.1, chance), lostAnswers(0.3, chance), silence(0.02, chance), unprocessed(0.5, chance)),
)

for (const [name, story] of Object.entries(stories))
  test(`${name} ends alike while writes conflict, answers are lost and batches are taken in part`, async (t) => {
    const runs = await walk(database, story, { manner, every: 12, from: 3 })
    t.diagnostic(`${runs} runs`)
  })
