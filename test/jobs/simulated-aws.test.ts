import { test } from 'node:test'
import { jobScenarios } from './job-scenarios.ts'
import { testCrashPoints, withSeed } from './run-scenario.ts'
import {
  combineBehaviors,
  loseResponseOnce,
  loseResponses,
  processPartially,
  rejectWrites,
} from './simulated-aws.ts'
import { openDatabase } from './test-table.ts'

const database = openDatabase()

/** The other scenarios run in `crash-points.slow.ts`. */
const scenarios: readonly (keyof typeof jobScenarios)[] = [
  'a job of one task',
  'a diamond of six tasks',
  'a cancellation',
  'a deletion',
  'an upload that is not an image',
]

/** All failures of AWS at the same time; `crash-points.slow.ts` tests each separately. */
const createTableBehavior = withSeed((random) =>
  combineBehaviors(
    rejectWrites(0.1, random),
    loseResponses(0.3, random),
    loseResponseOnce(0.02, random),
    processPartially(0.5, random),
  ),
)

for (const name of scenarios)
  test(`the scenario "${name}" has the same outcome despite crashes, write conflicts, lost responses and partial batches`, async (t) => {
    const runs = await testCrashPoints(database, jobScenarios[name], {
      createTableBehavior,
      everyNth: 12,
      from: 3,
    })
    t.diagnostic(`${runs} runs`)
  })
