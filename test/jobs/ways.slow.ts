// Run by `npm run test:slow`: the everyday suite stops a process after every fourth effect only.
import { test } from 'node:test'
import { lostAnswers, silence } from './imitated-aws.ts'
import { openDatabase } from './table-of-tests.ts'
import { seeded, walk } from './walk.ts'
import { wayStories } from './way-stories.ts'

const database = openDatabase()

for (const [circumstance, manner] of Object.entries({
  'the table behaves': undefined,
  'answers are lost': seeded((chance) => lostAnswers(0.3, chance)),
  'the table says nothing': seeded((chance) => silence(0.05, chance)),
}))
  for (const [name, story] of Object.entries(wayStories))
    test(`${name} ends alike wherever a process stops while ${circumstance}`, async (t) => {
      t.diagnostic(`${await walk(database, story, manner && { manner })} runs`)
    })
