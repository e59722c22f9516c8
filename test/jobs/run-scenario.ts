import assert from 'node:assert/strict'
import { forEachConcurrently } from '../../lib/async/for-each-concurrently.ts'
import { defined } from '../../lib/validation/defined.ts'
import { assertNothingIsPending, getOutcome, type ObservedOutcome } from './job-outcome.ts'
import { createRandom, type TableBehavior } from './simulated-aws.ts'
import { SimulatedService, type SimulationOptions } from './simulated-service.ts'
import type { TestDatabase } from './test-table.ts'

/** What happens to a job, starting with its creation. */
export interface Scenario {
  readonly play: (service: SimulatedService) => Promise<void>
  readonly during?: SimulationOptions['during']
  readonly concurrency?: number
  /** Seconds that the scenario itself waits. */
  readonly extraS?: number
  /** Removes differences between valid outcomes. */
  readonly normalize?: (outcome: ObservedOutcome) => ObservedOutcome
}

/** Seconds for a redelivered message and one sweep; a job that needs a second sweep is too late. */
const maxDurationS = 200
/** Maximum number of concurrent runs. More than one, because a run waits for the table most of the time. */
const maxConcurrentRuns = 3

/**
 * Runs a scenario once per effect, from the creation of the job on, and kills the instance right after that effect. The
 * outcome must always be the same as without a crash.
 * @returns the number of runs.
 */
export async function testCrashPoints(
  database: TestDatabase,
  scenario: Scenario,
  {
    createTableBehavior: createBehavior,
    everyNth: every = 1,
    from,
  }: { createTableBehavior?: (seed: number) => TableBehavior; everyNth?: number; from?: number } = {},
): Promise<number> {
  const tableName = await database.makeTable()
  const run = async (crashAfter: number | undefined) => {
    const service = new SimulatedService({
      database,
      tableName,
      concurrency: scenario.concurrency ?? 2,
      ...defined({ during: scenario.during }),
      ...(crashAfter !== undefined && { crashAfter: [crashAfter] }),
      ...defined({ tableBehavior: createBehavior?.(crashAfter ?? 0) }),
    })
    const startedAt = service.time.now
    await scenario.play(service)
    await service.runToEnd()
    const elapsedS = (service.time.now - startedAt) / 1000
    if (!createBehavior)
      assert.ok(elapsedS < maxDurationS + (scenario.extraS ?? 0), `the scenario took ${elapsedS} s`)
    await assertNothingIsPending(service)
    const outcome = await getOutcome(service)
    return { service, outcome: scenario.normalize ? scenario.normalize(outcome) : outcome }
  }
  const { outcome: expectedOutcome, service: uninterrupted } = await run(undefined)
  // Before this effect, there is no job, only records that expire.
  const creationEffect = uninterrupted.gate.effects.findIndex((effect) => effect.endsWith('JOB JOB')) + 1
  // A crash point may come after the last effect of the uninterrupted run, because recovery adds effects.
  const crashPoints = Array.from(
    { length: Math.ceil(uninterrupted.gate.effects.length / every) },
    (_, index) => (from ?? creationEffect) + index * every,
  )
  await forEachConcurrently(crashPoints, maxConcurrentRuns, async (crashAfter) => {
    try {
      const { outcome } = await run(crashAfter)
      assert.deepEqual(outcome, expectedOutcome)
    } catch (error) {
      throw new Error(`crashed after effect ${crashAfter}, ${uninterrupted.gate.effects[crashAfter - 1]}`, {
        cause: error,
      })
    }
  })
  return crashPoints.length + 1
}

/** Creates a table behavior for each run, with a different random sequence for each seed. */
export const withSeed = (createBehavior: (random: () => number) => TableBehavior) => (seed: number) =>
  createBehavior(createRandom(seed + 1))
