import { test } from 'node:test'
import { chunkScenarios } from './chunk-scenarios.ts'
import { testCrashPoints, withSeed } from './run-scenario.ts'
import { loseResponseOnce, loseResponses } from './simulated-aws.ts'
import { openDatabase } from './test-table.ts'

const database = openDatabase()

const chunkedScenario = chunkScenarios['a chunked task']

for (const [name, story] of Object.entries(chunkScenarios))
  test(`the outcome of "${name}" is the same wherever a process crashes`, async (t) => {
    t.diagnostic(`${await testCrashPoints(database, story)} runs`)
  })

for (const [name, variant] of Object.entries({
  'responses are lost': withSeed((random) => loseResponses(0.3, random)),
  'one write gets no response': withSeed((random) => loseResponseOnce(0.05, random)),
}))
  test(`the outcome of a chunked task is the same if a process crashes and ${name}`, async (t) => {
    t.diagnostic(
      `${await testCrashPoints(database, chunkedScenario, { createTableBehavior: variant, everyNth: 3 })} runs`,
    )
  })
