import { test } from 'node:test'
import { partStories } from './chunk-scenarios.ts'
import { seeded, walk } from './run-scenario.ts'
import { lostAnswers, silence } from './simulated-aws.ts'
import { openDatabase } from './test-table.ts'

const database = openDatabase()

const whole = partStories['a task in parts']

for (const [name, story] of Object.entries(partStories))
  test(`${name} ends alike whatever write, message or event is the last of its process`, async (t) => {
    t.diagnostic(`${await walk(database, story)} runs`)
  })

for (const [name, manner] of Object.entries({
  'answers are lost': seeded((chance) => lostAnswers(0.3, chance)),
  'the table says nothing': seeded((chance) => silence(0.05, chance)),
}))
  test(`a task in parts ends alike when ${name}`, async (t) => {
    t.diagnostic(`${await walk(database, whole, { manner, every: 3 })} runs`)
  })
