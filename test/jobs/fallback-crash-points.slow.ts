// Run by `npm run test:slow`: the fast suite crashes a process after every fourth effect only.
import { test } from 'node:test'
import { fallbackScenarios } from './fallback-scenarios.ts'
import type { ObservedOutcome } from './job-outcome.ts'
import { type Scenario, testCrashPoints, withSeed } from './run-scenario.ts'
import { loseResponseOnce, loseResponses } from './simulated-aws.ts'
import { openDatabase } from './test-table.ts'

const database = openDatabase()

/**
 * Treats a result of ffmpeg like one of imagemagick: if a crash, a lost write and the kill use up the three attempts of
 * the task, ffmpeg makes the result instead of imagemagick.
 */
const normalizeEngine = (outcome: ObservedOutcome): ObservedOutcome => ({
  ...outcome,
  files: Object.fromEntries(
    Object.entries(outcome.files).map(([name, text]) => [name, text.replace('by ffmpeg', 'by imagemagick')]),
  ),
})
const killedOnceName = 'a file that loses content and whose next engine is killed once'
const scenarios: Readonly<Record<string, Scenario>> = {
  ...fallbackScenarios,
  [killedOnceName]: { ...fallbackScenarios[killedOnceName], normalize: normalizeEngine },
}

for (const [circumstance, createTableBehavior] of Object.entries({
  'the table works normally': undefined,
  'responses are lost': withSeed((random) => loseResponses(0.3, random)),
  'one write gets no response': withSeed((random) => loseResponseOnce(0.05, random)),
}))
  for (const [name, testedScenario] of Object.entries(
    circumstance === 'one write gets no response' ? scenarios : fallbackScenarios,
  ))
    test(`while ${circumstance}, the outcome of "${name}" is the same wherever a process crashes`, async (t) => {
      t.diagnostic(
        `${await testCrashPoints(database, testedScenario, createTableBehavior && { createTableBehavior })} runs`,
      )
    })
