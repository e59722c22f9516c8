// Run by `npm run test:slow`: the everyday suite stops a process after every fourth effect only.
import { test } from 'node:test'
import { wayStories } from './fallback-scenarios.ts'
import type { Outcome } from './job-outcome.ts'
import { type Story, seeded, walk } from './run-scenario.ts'
import { lostAnswers, silence } from './simulated-aws.ts'
import { openDatabase } from './test-table.ts'

const database = openDatabase()

/** A death, a silence and a kill are all three attempts of a task: then the engine after it has made the result. */
const byWhoeverIsLeft = (outcome: Outcome): Outcome => ({
  ...outcome,
  files: Object.fromEntries(
    Object.entries(outcome.files).map(([name, text]) => [name, text.replace('by ffmpeg', 'by imagemagick')]),
  ),
})
const killedOnce = 'a file of which too little comes through, and whose next engine is killed once'
const whileSilent: Readonly<Record<string, Story>> = {
  ...wayStories,
  [killedOnce]: { ...wayStories[killedOnce], alike: byWhoeverIsLeft },
}

for (const [circumstance, manner] of Object.entries({
  'the table behaves': undefined,
  'answers are lost': seeded((chance) => lostAnswers(0.3, chance)),
  'the table says nothing': seeded((chance) => silence(0.05, chance)),
}))
  for (const [name, story] of Object.entries(
    circumstance === 'the table says nothing' ? whileSilent : wayStories,
  ))
    test(`${name} ends alike wherever a process stops while ${circumstance}`, async (t) => {
      t.diagnostic(`${await walk(database, story, manner && { manner })} runs`)
    })
