import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertNothingIsPending, getOutcome } from './job-outcome.ts'
import { fanIn } from './new-tasks.ts'
import {
  combineBehaviors,
  createRandom,
  loseResponses,
  processPartially,
  rejectWrites,
} from './simulated-aws.ts'
import { SimulatedService } from './simulated-service.ts'
import { openDatabase } from './test-table.ts'

const database = openDatabase()

/** Number of parallel tasks. They fill more than one bucket; large-graphs.slow.ts and crash-points.slow.ts run more. */
const count = 130

test('more than a hundred tasks that end at the same time do not exhaust their write retries', async (t) => {
  const random = createRandom(300)
  const tableBehavior = combineBehaviors(
    rejectWrites(0.05, random),
    loseResponses(0.05, random),
    processPartially(0.3, random),
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
  // The job is written at its creation, start and end, once for each bucket of 100 tasks, and at intervals
  // for its progress. Of concurrent progress writes, all but one are rejected.
  const maxWritesByTime = 4 * (1 + ms / 2000)
  assert.ok(
    jobWrites.length <= 6 + maxWritesByTime,
    `the record of the job is written ${jobWrites.length} times`,
  )
  // All processes together publish one progress event per two seconds. It is published again with the next progress,
  // at the end of the job, and when a response was lost.
  assert.ok(
    service.bus.publishedEvents.length <= 24 + 4 * (ms / 2000),
    `${service.bus.publishedEvents.length} publications`,
  )
})
