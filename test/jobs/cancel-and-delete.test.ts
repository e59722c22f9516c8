import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { createChunkRecord } from '../../lib/jobs/task-graph.ts'
import { assertAtRest, outcomeOf } from './job-outcome.ts'
import { arrive, createAwaiting, fails, keysLeft, picture } from './job-scenarios.ts'
import { diamond, fanOutAndIn, graph, one } from './new-tasks.ts'
import { importedFile } from './no-op-engine.ts'
import { type During, World } from './simulated-service.ts'
import { openDatabase } from './test-table.ts'

const database = openDatabase()

async function newWorld(during: Readonly<Record<string, During>> = {}, loops = 2) {
  const tableName = await database.makeTable()
  return { tableName, world: new World({ database, tableName, loops, during }) }
}

type Act = (world: World) => Promise<void>

/** Brings a job into a state and lets clients act on it there. */
const states: Readonly<Record<string, { isLive: boolean; play: (act: Act) => Promise<Stage> }>> = {
  pending: {
    isLive: true,
    play: async (act) => {
      const stage = await newWorld()
      await createAwaiting(stage.world)
      await act(stage.world)
      return stage
    },
  },
  queued: {
    isLive: true,
    play: async (act) => {
      const stage = await newWorld()
      await stage.world.create(diamond())
      await act(stage.world)
      return stage
    },
  },
  processing: {
    isLive: true,
    play: async (act) => {
      const stage = await newWorld({ b: act })
      await stage.world.create(diamond())
      return stage
    },
  },
  completed: { isLive: false, play: (act) => ended(act) },
  failed: { isLive: false, play: (act) => ended(act, { a: fails }) },
  cancelled: {
    isLive: false,
    play: async (act) => {
      const stage = await newWorld()
      await stage.world.create(diamond())
      await stage.world.cancel()
      await act(stage.world)
      return stage
    },
  },
}

type Stage = Awaited<ReturnType<typeof newWorld>>

async function ended(act: Act, during: Readonly<Record<string, During>> = {}): Promise<Stage> {
  const stage = await newWorld(during)
  await stage.world.create(diamond())
  await stage.world.settle()
  await act(stage.world)
  return stage
}

const count = (answers: readonly (boolean | undefined)[]) => answers.filter((answer) => answer).length

for (const [state, { isLive, play }] of Object.entries(states)) {
  test(`of two clients that cancel a job that is ${state} at once, ${isLive ? 'one' : 'none'} does`, async (t) => {
    let answers: (boolean | undefined)[] = []
    const { world } = await play(async (one) => {
      // Both in one millisecond.
      t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
      answers = await Promise.all([one.cancel(), one.cancel()])
      t.mock.timers.reset()
    })
    await world.settle()
    await assertAtRest(world)
    const { status, events } = await outcomeOf(world)
    assert.equal(count(answers), isLive ? 1 : 0)
    assert.equal(status, isLive ? 'cancelled' : state)
    assert.equal(events.filter((event) => event === 'job.cancelled').length, status === 'cancelled' ? 1 : 0)
    assert.deepEqual(world.failures, [])
  })

  test(`of two clients that delete a job that is ${state} at once, one does, and nothing is left`, async (t) => {
    let answers: (boolean | undefined)[] = []
    const { world, tableName } = await play(async (one) => {
      // Both in one millisecond.
      t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
      answers = await Promise.all([one.delete(), one.delete()])
      t.mock.timers.reset()
    })
    await world.settle()
    await outcomeOf(world)
    assert.equal(count(answers), 1)
    assert.deepEqual(await database.scan(tableName), [])
    assert.deepEqual(keysLeft(world), [])
    assert.deepEqual(world.failures, [])
  })

  test(`a job that is ${state} and that one client cancels as another one deletes it is gone`, async () => {
    let answers: (boolean | undefined)[] = []
    const { world, tableName } = await play(async (one) => {
      answers = await Promise.all([one.cancel(), one.delete()])
    })
    await world.settle()
    const { events } = await outcomeOf(world)
    assert.equal(answers[1], true)
    const isCancelled = isLive || state === 'cancelled'
    assert.equal(events.filter((event) => event === 'job.cancelled').length, isCancelled ? 1 : 0)
    assert.deepEqual(await database.scan(tableName), [])
    assert.deepEqual(keysLeft(world), [])
  })
}

test('a file that arrives after its job was deleted, or cancelled and gone, does not stay', async () => {
  for (const end of ['delete', 'cancel'] as const) {
    const { world, tableName } = await newWorld()
    await createAwaiting(world)
    await world[end]()
    await arrive(world, picture)
    await world.settle()
    await expire(world)
    assert.deepEqual(keysLeft(world), [], end)
    const left = (await database.scan(tableName)).map(({ sk }) => sk)
    assert.deepEqual(left, end === 'delete' ? [] : ['JOB'])
  }
})

async function expire(world: World): Promise<void> {
  world.time.moveTo(world.time.now + 3_700_000)
  await world.sweep()
  await world.settle()
}

/** A job with every kind of record: buckets, latches, pages of edges and parts. */
async function largeJob() {
  const stage = await newWorld()
  const { world } = stage
  await world.create(fanOutAndIn(120))
  const { tasks } = await world.state()
  const parts = tasks.slice(0, 2).map((task, at) => ({
    ...createChunkRecord(task, 1000 + at, {}, new Date()),
    ...{ status: 'completed' as const, files: [{ ...importedFile, key: `jobs/${world.jobId}/${at}` }] },
  }))
  await world.services().jobs.store.addChunks(parts)
  for (const { files } of parts) world.files.objects.set(files[0]?.key ?? '', new Uint8Array([1]))
  const kinds = new Set((await database.scan(stage.tableName)).map(({ sk }) => String(sk).split('#')[0]))
  assert.deepEqual([...kinds].sort(), ['EDGES', 'JOB', 'LATCH', 'PART', 'TASK'])
  return stage
}

test('after its retention the tombstone of a job is all that is left, and goes by itself', async () => {
  const { world, tableName } = await largeJob()
  const all = await database.scan(tableName)
  assert.deepEqual(
    all.filter(({ sk, ttl }) => sk !== 'JOB' && ttl === undefined),
    [],
    'whatever becomes of the job, the table drops its records some day',
  )
  await world.cancel()
  await expire(world)
  const left = await database.scan(tableName)
  assert.deepEqual(
    left.map(({ sk, status, wakeAt, listKey }) => ({ sk, status, wakeAt, listKey })),
    [{ sk: 'JOB', status: 'expired', wakeAt: undefined, listKey: undefined }],
  )
  assert.equal(typeof left[0]?.['ttl'], 'number')
  assert.deepEqual(keysLeft(world), [])
  const { events } = await outcomeOf(world)
  assert.equal(events.at(-1), 'job.expired')
})

test('of a large job that is deleted nothing is left', async () => {
  const { world, tableName } = await largeJob()
  assert.equal(await world.delete(), true)
  await world.settle()
  assert.deepEqual(await database.scan(tableName), [])
  assert.deepEqual(keysLeft(world), [])
  await outcomeOf(world)
})

test('a deletion that stops while the sweep looks at its job is made up for soon, not after its retention', async () => {
  let isDue = false
  const tableName = await database.makeTable()
  const world: World = new World({
    ...{ database, tableName },
    manner: async (command, send) => {
      if (isDue && command instanceof UpdateCommand) {
        isDue = false
        // It is marked as deleted, and nothing more.
        world.gate.stopAt(world.gate.effects.length + 1)
        assert.equal(await world.delete(), undefined)
      }
      return send(command)
    },
  })
  await world.create(one())
  await world.settle()
  const before = world.time.now
  isDue = true
  await world.sweep()
  assert.equal(typeof (await world.job())?.deletedAt, 'string')
  await world.settle()
  assert.deepEqual(await database.scan(tableName), [])
  assert.ok(world.time.now - before < 120_000)
})

test('two sweeps that find the same job at the end of its retention tell the same', async () => {
  const { world } = await newWorld()
  await world.create(one())
  await world.settle()
  world.time.moveTo(world.time.now + 3_700_000)
  await Promise.all([world.sweep(), world.sweep()])
  // One more had it on its list.
  await world.sweep()
  const { status, events } = await outcomeOf(world)
  assert.equal(status, 'expired')
  assert.deepEqual(events.slice(-3), ['file.deleted', 'file.deleted', 'job.expired'])
})

test('a branch that fails leaves the one beside it to its end, and what needs both without input', async () => {
  const { world } = await newWorld({ bad: fails })
  await world.create(
    graph({
      bad: { from: ['import'] },
      good: { from: ['import'] },
      best: { from: ['good'] },
      join: { from: ['bad', 'good'] },
      last: { from: ['join'] },
    }),
  )
  await world.settle()
  await assertAtRest(world)
  const { status, error, tasks } = await outcomeOf(world)
  assert.deepEqual([status, error], ['failed', 'CORRUPT_FILE'])
  assert.deepEqual(tasks, {
    ...{ import: 'completed', bad: 'failed CORRUPT_FILE', good: 'completed', best: 'completed' },
    ...{ join: 'cancelled INPUT_TASK_FAILED', last: 'cancelled INPUT_TASK_FAILED', export: 'cancelled' },
  })
})

test('a cancelled task stops at its next sign of life, and what it made is deleted', async () => {
  const { world } = await newWorld({
    a: async (one) => {
      await one.cancel()
    },
  })
  await world.create(one())
  await world.settle()
  assert.deepEqual((await outcomeOf(world)).tasks['a'], 'cancelled')
  assert.deepEqual(keysLeft(world), [])
})
