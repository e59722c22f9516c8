import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../lib/errors.ts'
import { checkStraggler, isStraggler } from '../../lib/jobs/run/stragglers.ts'
import {
  getOriginalChunkNumber,
  getSpeculativeCopyNumber,
  isSpeculativeCopy,
} from '../../lib/jobs/task-graph.ts'
import type { Task } from '../../lib/model/job.ts'
import { defined } from '../../lib/validation/defined.ts'
import { silentLog } from '../embedded-aws/dynamodb/start-dynamodb.ts'
import { waitUntil } from '../support/wait-until.ts'
import { createChunkedGraph, findLeftovers } from './chunk-scenarios.ts'
import { assertNoSweeps, assertNothingIsPending, getOutcome } from './job-outcome.ts'
import { newJob } from './records.ts'
import { type DuringTask, SimulatedService } from './simulated-service.ts'
import { openDatabase } from './test-table.ts'

const database = openDatabase()

const createChunk = (ranMs: number | undefined, moreFields: Partial<Task> = {}): Task => ({
  jobId: 'job_1',
  number: 0,
  part: 1000,
  name: '',
  operation: 'convert',
  spec: {},
  ins: [],
  outs: [],
  fed: true,
  status: ranMs === undefined ? 'processing' : 'completed',
  percent: 0,
  attempt: 1,
  files: [],
  warnings: [],
  createdAt: '',
  ttl: 0,
  ...defined({ ranMs }),
  ...moreFields,
})
const cutFields = { cut: 'piece' }

test('a chunk is a straggler if most chunks are complete and it takes over four times their median duration', () => {
  const completedChunks = [6, 8, 7].map((seconds) => createChunk(seconds * 1000, cutFields))
  const lateChunk = createChunk(undefined, cutFields)
  assert.equal(isStraggler(lateChunk, 28_001, [...completedChunks, lateChunk], 4), true)
  assert.equal(isStraggler(lateChunk, 28_000, [...completedChunks, lateChunk], 4), false)
  assert.equal(isStraggler(lateChunk, 60_000, [...completedChunks, lateChunk], 7), false, 'most are at work')
  const quickChunks = completedChunks.map((completedChunk) => ({ ...completedChunk, ranMs: 100 }))
  assert.equal(
    isStraggler(lateChunk, 19_000, quickChunks, 4),
    false,
    'another worker would first have to begin',
  )
  assert.equal(isStraggler(lateChunk, 20_000, quickChunks, 4), true)
})

test('a chunk without completed similar chunks does not count as a straggler', () => {
  const completedChunks = [6, 7, 8].map((seconds) => createChunk(seconds * 1000, cutFields))
  assert.equal(isStraggler(createChunk(undefined), 600_000, completedChunks, 4), false)
  assert.equal(isStraggler(createChunk(undefined, cutFields), 600_000, completedChunks.slice(0, 1), 2), false)
  const failedChunks = completedChunks.map((completedChunk) => ({
    ...completedChunk,
    status: 'failed' as const,
  }))
  assert.equal(isStraggler(createChunk(undefined, cutFields), 600_000, failedChunks, 4), false)
})

test('checking for a straggler reads no records before the chunk has run for 20 seconds', async () => {
  const run = { services: {} } as Parameters<typeof checkStraggler>[1] // any access fails
  const { job } = newJob([])
  assert.equal(
    await checkStraggler({ chunk: createChunk(undefined), job, ranMs: 19_999 }, run, silentLog),
    true,
  )
  await assert.rejects(checkStraggler({ chunk: createChunk(undefined), job, ranMs: 20_000 }, run, silentLog))
})

/** Checks the fifth of six chunks as if it had run for a minute. */
async function checkFifthChunk(service: SimulatedService): Promise<boolean | undefined> {
  const { job, chunks } = await service.state()
  const fifth = chunks.find(({ part: number = 0 }) => getOriginalChunkNumber(number) % 1000 === 4)
  assert.ok(fifth)
  return service.asInstance('worker', (services) =>
    checkStraggler({ chunk: fifth, job, ranMs: 60_000 }, { services }, silentLog),
  )
}

const findCopies = async (service: SimulatedService) =>
  (await service.state()).chunks.filter(({ part: number = 0 }) => isSpeculativeCopy(number))
const countOpenChunks = async (service: SimulatedService) => (await service.state()).tasks[1]?.open?.size ?? 0

async function playWith(
  during: DuringTask,
  options: Partial<ConstructorParameters<typeof SimulatedService>[0]> = {},
) {
  const service = new SimulatedService({
    database,
    tableName: await database.makeTable(),
    concurrency: 2,
    ...options,
    during: { 'string part 5': during },
  })
  await service.create(createChunkedGraph(1))
  await service.runToEnd()
  await assertNothingIsPending(service)
  assertNoSweeps(service)
  const { status, files } = await getOutcome(service)
  assert.deepEqual([status, files], ['completed', { 'source.png': 'last' }])
  assert.deepEqual(await findLeftovers(service), [])
  assert.deepEqual(service.failures, [])
  assert.equal(service.runs.filter((run) => run === 'string joined').length, 1)
  return service.runs.filter((run) => run === 'string part 5').length
}

test('the result of the speculative copy of a straggler is used if the copy finishes first', async () => {
  const results: (boolean | undefined)[] = []
  const hang: DuringTask = async (service, { attempt }) => {
    if (attempt > 1) return
    await waitUntil(async () => (await countOpenChunks(service)) === 1, 'the others are over')
    results.push(await checkFifthChunk(service), await checkFifthChunk(service))
    assert.ok((await findCopies(service)).length <= 1)
    await waitUntil(async () => (await countOpenChunks(service)) === 0, 'the copy is complete')
    results.push(await checkFifthChunk(service))
  }
  assert.equal(await playWith(hang), 2)
  assert.deepEqual(results.slice(0, 2), [true, true])
  assert.notEqual(results[2], true)
})

test('a straggler that fails while its speculative copy runs does not fail the task', async () => {
  const findFailed = async (service: SimulatedService) =>
    (await service.state()).chunks
      .filter(({ status }) => status === 'failed')
      .map(({ part: number }) => number)
  const failOriginal: DuringTask = async (service, { attempt }) => {
    if (attempt > 1) {
      await waitUntil(async () => (await findFailed(service)).includes(1004), 'the first one has failed')
      return
    }
    await waitUntil(async () => (await countOpenChunks(service)) === 1, 'the others are over')
    assert.equal(await checkFifthChunk(service), true)
    throw new AppError('TIMEOUT', 'The chunk exceeded its time limit.')
  }
  assert.equal(await playWith(failOriginal), 2)
})

test('a straggler that finishes before its speculative copy starts is processed once', async () => {
  const moveTimeAhead: DuringTask = async (service) => {
    assert.equal(await checkFifthChunk(service), true)
    assert.deepEqual(
      (await findCopies(service)).map(({ part: number, status }) => [number, status]),
      [[getSpeculativeCopyNumber(1004), 'pending']],
    )
  }
  assert.equal(await playWith(moveTimeAhead, { concurrency: 1 }), 1)
})

test('a straggler gets no speculative copy if no other worker is idle', async () => {
  let load = 1
  const moveTimeAhead: DuringTask = async (service) => {
    load = 4
    assert.equal(await checkFifthChunk(service), true)
    assert.deepEqual(await findCopies(service), [])
  }
  const service = new SimulatedService({
    database,
    tableName: await database.makeTable(),
    concurrency: 1,
    parallel: 4,
    during: { 'string part 5': moveTimeAhead },
  })
  service.queues.load = async () => load
  await service.create(createChunkedGraph(1))
  await service.runToEnd()
  assert.equal((await getOutcome(service)).status, 'completed')
  assert.deepEqual(service.failures, [])
})

test('the message of a running chunk is hidden for at most 16 seconds, even if its queue has a longer timeout', async () => {
  const hiddenForS: number[] = []
  const service = new SimulatedService({
    database,
    tableName: await database.makeTable(),
    concurrency: 1,
    visibilityS: 5400,
    during: {
      'string part 3': async ({ queues, time }) => {
        hiddenForS.push(((queues.nextAt ?? Infinity) - time.now) / 1000)
      },
    },
  })
  await service.create(createChunkedGraph())
  await service.runToEnd()
  assert.equal(hiddenForS.length, 1)
  assert.ok((hiddenForS[0] ?? Infinity) <= 16, `${hiddenForS[0]} s`)
})
