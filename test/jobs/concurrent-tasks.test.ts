import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertNothingIsPending, getOutcome } from './job-outcome.ts'
import { fanIn } from './new-tasks.ts'
import {
  combineBehaviors,
  createRandom,
  lostResponses,
  partialBatches,
  writeConflicts,
} from './simulated-aws.ts'
import { SimulatedService } from './simulated-service.ts'
import { openDatabase } from './test-table.ts'

const database = openDatabase()

/** More than one bucket; large-graphs.slow.ts and crash-points.slow.ts use hundreds. */
const count = 130

test('more than a hundred tasks that end at the same time do not exhaust their write retries', async (t) => {
  const chance = createRandom(300)
  const tableBehavior = combineBehaviors(
    writeConflicts(0.05, chance),
    lostResponses(0.05, chance),
    partialBatches(0.3, chance),
  )
  const service = new SimulatedService({
    database,
    tableName: await database.makeTable(),
    concurrency: 64,
    tableBehavior,
  })
  await service.create(fanIn(count))
  const startedAt = performance.now()
  await service.runToEnd()
  const ms = performance.now() - startedAt
  t.diagnostic(`${(ms / (count + 1)).toFixed(1)} ms a task`)
  await assertNothingIsPending(service)
  assert.deepEqual(service.failures, [])
  assert.equal((await getOutcome(service)).status, 'completed')
  assert.equal(service.runs.length, count + 1, 'each task ran once')
  const jobWrites = service.gate.effects.filter((effect) => effect.endsWith(' JOB JOB'))
  // Creation, start, two buckets, end, and the time-based progress, for which all but one concurrent writes are
  // rejected.
  const maxWritesByTime = 4 * (1 + ms / 2000)
  assert.ok(
    jobWrites.length <= 6 + maxWritesByTime,
    `the record of the job is written ${jobWrites.length} times`,
  )
  // One progress event per two seconds over all processes; the next progress and the end repeat it, and a lost response
  // repeats it too.
  assert.ok(
    service.bus.published.length <= 24 + 4 * (ms / 2000),
    `${service.bus.published.length} publications`,
  )
})
