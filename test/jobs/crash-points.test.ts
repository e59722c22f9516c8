import { test } from 'node:test'
import { stories } from './job-scenarios.ts'
import { walk } from './run-scenario.ts'
import { openDatabase } from './test-table.ts'

const database = openDatabase()

/** With a stop after each effect, or each of so many; `stops.slow.ts` tells all of them with each. */
const everyOf = (name: string) =>
  name === 'a job of one task' ? 1 : name === 'a diamond of six tasks' ? 3 : 5

for (const [name, story] of Object.entries(stories))
  test(`${name} ends alike whatever write, message or event is the last of its process`, async (t) => {
    const runs = await walk(database, story, { every: everyOf(name) })
    t.diagnostic(`${runs} runs`)
  })
