import { test } from 'node:test'
import { stories } from './stories.ts'
import { openDatabase } from './table-of-tests.ts'
import { walk } from './walk.ts'

const database = openDatabase()

/** Those that are told with a stop after each effect every day; `stops.slow.ts` does so with all. */
const whole: readonly string[] = ['a job of one task', 'a diamond of six tasks']

for (const [name, story] of Object.entries(stories))
  test(`${name} ends alike whatever write, message or event is the last of its process`, async (t) => {
    const runs = await walk(database, story, { every: whole.includes(name) ? 1 : 5 })
    t.diagnostic(`${runs} runs`)
  })
