import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../lib/errors.ts'
import type { Task } from '../../lib/jobs/job.ts'
import { checkStraggler, isStraggler } from '../../lib/jobs/run/stragglers.ts'
import { isSpeculativeCopy, originalChunkOf, speculativeCopyOf } from '../../lib/jobs/task-graph.ts'
import { silentLog } from '../local/dynamodb/start-dynamodb.ts'
import { until } from '../wait-until.ts'
import { leftovers, split } from './chunk-scenarios.ts'
import { assertAtRest, assertPrompt, outcomeOf } from './job-outcome.ts'
import { newJob } from './records.ts'
import { type During, World } from './simulated-service.ts'
import { openDatabase } from './test-table.ts'

const database = openDatabase()

const part = (ranMs: number | undefined, wishes: Partial<Task> = {}): Task => ({
  ...{ jobId: 'job_1', number: 0, part: 1000, name: '', operation: 'convert', spec: {}, ins: [], outs: [] },
  ...{ fed: true, status: ranMs === undefined ? 'processing' : 'completed', percent: 0, attempt: 1 },
  ...{ files: [], warnings: [], createdAt: '', ttl: 0, ...(ranMs !== undefined && { ranMs }), ...wishes },
})
const cut = { cut: 'piece' }

test('a part is a straggler when most are over and it takes four times as long as those like it', () => {
  const made = [6, 8, 7].map((seconds) => part(seconds * 1000, cut))
  const late = part(undefined, cut)
  assert.equal(isStraggler(late, 28_001, [...made, late], 4), true)
  assert.equal(isStraggler(late, 28_000, [...made, late], 4), false)
  assert.equal(isStraggler(late, 60_000, [...made, late], 7), false, 'most are at work')
  const quick = made.map((one) => ({ ...one, ranMs: 100 }))
  assert.equal(isStraggler(late, 19_000, quick, 4), false, 'another worker would first have to begin')
  assert.equal(isStraggler(late, 20_000, quick, 4), true)
})

test('one of a kind is no straggler, nor is one that only failures stand beside', () => {
  const made = [6, 7, 8].map((seconds) => part(seconds * 1000, cut))
  assert.equal(isStraggler(part(undefined), 600_000, made, 4), false)
  assert.equal(isStraggler(part(undefined, cut), 600_000, made.slice(0, 1), 2), false)
  const failed = made.map((one) => ({ ...one, status: 'failed' as const }))
  assert.equal(isStraggler(part(undefined, cut), 600_000, failed, 4), false)
})

test('of a part that is young nothing is asked, however often its worker shows signs of life', async () => {
  const run = { services: {} } as Parameters<typeof checkStraggler>[1] // whatever is asked of it fails
  const { job } = newJob([])
  assert.equal(await checkStraggler({ chunk: part(undefined), job, ranMs: 19_999 }, run, silentLog), true)
  await assert.rejects(checkStraggler({ chunk: part(undefined), job, ranMs: 20_000 }, run, silentLog))
})

/** What the fifth of six parts learns when its worker looks after it, as if it had taken a minute. */
async function look(world: World): Promise<boolean | undefined> {
  const { job, chunks } = await world.state()
  const fifth = chunks.find(({ part: number = 0 }) => originalChunkOf(number) % 1000 === 4)
  assert.ok(fifth)
  return world.as('worker', (services) =>
    checkStraggler({ chunk: fifth, job, ranMs: 60_000 }, { services }, silentLog),
  )
}

const twins = async (world: World) =>
  (await world.state()).chunks.filter(({ part: number = 0 }) => isSpeculativeCopy(number))
const openParts = async (world: World) => (await world.state()).tasks[1]?.open?.size ?? 0

async function played(during: During, circumstances: Partial<ConstructorParameters<typeof World>[0]> = {}) {
  const world = new World({
    ...{ database, tableName: await database.makeTable(), loops: 2, ...circumstances },
    during: { 'letter part 5': during },
  })
  await world.create(split(1))
  await world.settle()
  await assertAtRest(world)
  assertPrompt(world)
  const { status, files } = await outcomeOf(world)
  assert.deepEqual([status, files], ['completed', { 'source.png': 'last' }])
  assert.deepEqual(await leftovers(world), [])
  assert.deepEqual(world.failures, [])
  assert.equal(world.runs.filter((run) => run === 'letter joined').length, 1)
  return world.runs.filter((run) => run === 'letter part 5').length
}

test('what another worker makes of a straggler counts when it is there first', async () => {
  const told: (boolean | undefined)[] = []
  const hangs: During = async (world, { attempt }) => {
    if (attempt > 1) return
    await until(async () => (await openParts(world)) === 1, 'the others are over')
    told.push(await look(world), await look(world))
    assert.ok((await twins(world)).length <= 1)
    await until(async () => (await openParts(world)) === 0, 'the twin is over')
    told.push(await look(world))
  }
  assert.equal(await played(hangs), 2)
  assert.deepEqual(told.slice(0, 2), [true, true])
  assert.notEqual(told[2], true)
})

test('a straggler that fails while another worker makes it too ends nothing', async () => {
  const failed = async (world: World) =>
    (await world.state()).chunks.filter(({ status }) => status === 'failed').map(({ part: number }) => number)
  const fails: During = async (world, { attempt }) => {
    if (attempt > 1) {
      await until(async () => (await failed(world)).includes(1004), 'the first one has failed')
      return
    }
    await until(async () => (await openParts(world)) === 1, 'the others are over')
    assert.equal(await look(world), true)
    throw new AppError('TIMEOUT', 'It took longer than it may.')
  }
  assert.equal(await played(fails), 2)
})

test('a straggler that is there before its twin has begun is made once', async () => {
  const isSlow: During = async (world) => {
    assert.equal(await look(world), true)
    assert.deepEqual(
      (await twins(world)).map(({ part: number, status }) => [number, status]),
      [[speculativeCopyOf(1004), 'pending']],
    )
  }
  assert.equal(await played(isSlow, { loops: 1 }), 1)
})

test('a straggler has no twin where no other worker is free', async () => {
  let load = 1
  const isSlow: During = async (world) => {
    load = 4
    assert.equal(await look(world), true)
    assert.deepEqual(await twins(world), [])
  }
  const world = new World({
    ...{ database, tableName: await database.makeTable(), loops: 1, parallel: 4 },
    during: { 'letter part 5': isSlow },
  })
  world.queues.load = async () => load
  await world.create(split(1))
  await world.settle()
  assert.equal((await outcomeOf(world)).status, 'completed')
  assert.deepEqual(world.failures, [])
})

test('the message of a part comes back as soon as its lease has ended, however early its worker died', async () => {
  const leftS: number[] = []
  const world = new World({
    ...{ database, tableName: await database.makeTable(), loops: 1, visibilityS: 5400 },
    during: {
      'letter part 3': async ({ queues, time }) => {
        leftS.push(((queues.nextAt ?? Infinity) - time.now) / 1000)
      },
    },
  })
  await world.create(split())
  await world.settle()
  assert.equal(leftS.length, 1)
  assert.ok((leftS[0] ?? Infinity) <= 16, `${leftS[0]} s`)
})
