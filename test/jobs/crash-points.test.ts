import { test } from 'node:test'
import { jobScenarios } from './job-scenarios.ts'
import { testCrashPoints } from './run-scenario.ts'
import { openDatabase } from './test-table.ts'

const database = openDatabase()

/** Returns n, so that a process crashes after every nth effect; in `crash-points.slow.ts`, after every effect. */
const getCrashInterval = (name: string) =>
  name === 'a job of one task' ? 1 : name === 'a diamond of six tasks' ? 3 : 5

for (const [name, testedScenario] of Object.entries(jobScenarios))
  test(`the outcome of "${name}" is the same at each tested point where a process crashes`, async (t) => {
    const runs = await testCrashPoints(database, testedScenario, { everyNth: getCrashInterval(name) })
    t.diagnostic(`${runs} runs`)
  })
