import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertNothingIsPending, getOutcome } from './job-outcome.ts'
import { jobScenarios } from './job-scenarios.ts'
import { fanIn } from './new-tasks.ts'
import { testCrashPoints, withSeed } from './run-scenario.ts'
import {
  combineBehaviors,
  createRandom,
  loseResponseOnce,
  loseResponses,
  processPartially,
  rejectWrites,
} from './simulated-aws.ts'
import { SimulatedService } from './simulated-service.ts'
import { openDatabase } from './test-table.ts'

const database = openDatabase()

const variants = {
  'the table works normally': undefined,
  'writes conflict with other transactions': withSeed((random) => rejectWrites(0.3, random)),
  'every write is sent twice': withSeed((random) => loseResponses(1, random)),
  'responses are lost and writes are repeated': withSeed((random) => loseResponses(0.3, random)),
  'one write gets no response': withSeed((random) => loseResponseOnce(0.08, random)),
  'batches are processed in part': withSeed((random) => processPartially(0.8, random)),
}

for (const [circumstance, variant] of Object.entries(variants))
  for (const [name, testedScenario] of Object.entries(jobScenarios))
    test(`while ${circumstance}, the outcome of "${name}" is the same wherever a process crashes`, async (t) => {
      const runs = await testCrashPoints(
        database,
        testedScenario,
        variant && { createTableBehavior: variant },
      )
      t.diagnostic(`${runs} runs`)
    })

test('a job of three hundred tasks completes even if forty processes die', async () => {
  const random = createRandom(41)
  for (let time = 1; time <= 3; time++) {
    const crashAfter = Array.from({ length: 40 }, () => 60 + Math.floor(random() * 2000))
    const tableBehavior = combineBehaviors(
      rejectWrites(0.02, random),
      loseResponses(0.05, random),
      processPartially(0.3, random),
    )
    const tableName = await database.makeTable()
    const service = new SimulatedService({ database, tableName, concurrency: 8, crashAfter, tableBehavior })
    await service.create(fanIn(300))
    await service.runToEnd()
    await assertNothingIsPending(service)
    assert.equal((await getOutcome(service)).status, 'completed')
  }
})
