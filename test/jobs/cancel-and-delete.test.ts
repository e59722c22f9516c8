import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { createChunkRecord } from '../../lib/jobs/task-graph.ts'
import { assertNothingIsPending, getOutcome } from './job-outcome.ts'
import {
  createJobAwaitingUpload,
  listRemainingKeys,
  onePixelPng,
  receiveUploadTwice,
  throwCorruptFile,
} from './job-scenarios.ts'
import { createGraph, diamond, fanOutAndIn, singleTask } from './new-tasks.ts'
import { importedFile } from './no-op-engine.ts'
import { type DuringTask, SimulatedService } from './simulated-service.ts'
import { openDatabase } from './test-table.ts'

const database = openDatabase()

async function createService(hooksByTask: Readonly<Record<string, DuringTask>> = {}, concurrency = 2) {
  const tableName = await database.makeTable()
  return {
    tableName,
    service: new SimulatedService({ database, tableName, concurrency, during: hooksByTask }),
  }
}

type Action = (service: SimulatedService) => Promise<void>

/** For each job state, a function that puts a job into this state and lets clients act on it. */
const states: Readonly<Record<string, { isLive: boolean; play: (action: Action) => Promise<Stage> }>> = {
  pending: {
    isLive: true,
    play: async (action) => {
      const stage = await createService()
      await createJobAwaitingUpload(stage.service)
      await action(stage.service)
      return stage
    },
  },
  queued: {
    isLive: true,
    play: async (action) => {
      const stage = await createService()
      await stage.service.create(diamond())
      await action(stage.service)
      return stage
    },
  },
  processing: {
    isLive: true,
    play: async (action) => {
      const stage = await createService({ b: action })
      await stage.service.create(diamond())
      return stage
    },
  },
  completed: { isLive: false, play: (action) => playAfterEnd(action) },
  failed: { isLive: false, play: (action) => playAfterEnd(action, { a: throwCorruptFile }) },
  cancelled: {
    isLive: false,
    play: async (action) => {
      const stage = await createService()
      await stage.service.create(diamond())
      await stage.service.cancel()
      await action(stage.service)
      return stage
    },
  },
}

type Stage = Awaited<ReturnType<typeof createService>>

async function playAfterEnd(
  action: Action,
  hooksByTask: Readonly<Record<string, DuringTask>> = {},
): Promise<Stage> {
  const stage = await createService(hooksByTask)
  await stage.service.create(diamond())
  await stage.service.runToEnd()
  await action(stage.service)
  return stage
}

const count = (answers: readonly (boolean | undefined)[]) => answers.filter((answer) => answer).length

for (const [state, { isLive, play }] of Object.entries(states)) {
  test(`when two clients cancel a ${state} job at the same time, ${isLive ? 'one' : 'neither'} succeeds`, async (t) => {
    let answers: (boolean | undefined)[] = []
    const { service } = await play(async (simulated) => {
      // Both clients act in the same millisecond.
      t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
      answers = await Promise.all([simulated.cancel(), simulated.cancel()])
      t.mock.timers.reset()
    })
    await service.runToEnd()
    await assertNothingIsPending(service)
    const { status, events } = await getOutcome(service)
    assert.equal(count(answers), isLive ? 1 : 0)
    assert.equal(status, isLive ? 'cancelled' : state)
    assert.equal(events.filter((event) => event === 'job.cancelled').length, status === 'cancelled' ? 1 : 0)
    assert.deepEqual(service.failures, [])
  })

  test(`when two clients delete a ${state} job at the same time, one succeeds and no data is left`, async (t) => {
    let answers: (boolean | undefined)[] = []
    const { service, tableName } = await play(async (simulated) => {
      // Both clients act in the same millisecond.
      t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
      answers = await Promise.all([simulated.delete(), simulated.delete()])
      t.mock.timers.reset()
    })
    await service.runToEnd()
    await getOutcome(service)
    assert.equal(count(answers), 1)
    assert.deepEqual(await database.scan(tableName), [])
    assert.deepEqual(listRemainingKeys(service), [])
    assert.deepEqual(service.failures, [])
  })

  test(`a ${state} job that is cancelled and deleted at the same time is deleted`, async () => {
    let answers: (boolean | undefined)[] = []
    const { service, tableName } = await play(async (simulated) => {
      answers = await Promise.all([simulated.cancel(), simulated.delete()])
    })
    await service.runToEnd()
    const { events } = await getOutcome(service)
    assert.equal(answers[1], true)
    const isCancelled = isLive || state === 'cancelled'
    assert.equal(events.filter((event) => event === 'job.cancelled').length, isCancelled ? 1 : 0)
    assert.deepEqual(await database.scan(tableName), [])
    assert.deepEqual(listRemainingKeys(service), [])
  })
}

test('a file that arrives after its job was deleted or cancelled is deleted', async () => {
  for (const end of ['delete', 'cancel'] as const) {
    const { service, tableName } = await createService()
    await createJobAwaitingUpload(service)
    await service[end]()
    await receiveUploadTwice(service, onePixelPng)
    await service.runToEnd()
    await expire(service)
    assert.deepEqual(listRemainingKeys(service), [], end)
    const remainingSortKeys = (await database.scan(tableName)).map(({ sk }) => sk)
    assert.deepEqual(remainingSortKeys, end === 'delete' ? [] : ['JOB'])
  }
})

async function expire(service: SimulatedService): Promise<void> {
  service.time.moveTo(service.time.now + 3_700_000)
  await service.sweep()
  await service.runToEnd()
}

/** Creates a job with every kind of record: buckets, join buckets, pages of dependents and chunks. */
async function createLargeJob() {
  const stage = await createService()
  const { service } = stage
  await service.create(fanOutAndIn(120))
  const { tasks } = await service.state()
  const chunks = tasks.slice(0, 2).map((task, at) => ({
    ...createChunkRecord(task, 1000 + at, {}, new Date()),
    status: 'completed' as const,
    files: [{ ...importedFile, key: `jobs/${service.jobId}/${at}` }],
  }))
  await service.services().jobs.store.addChunks(chunks)
  for (const { files } of chunks) service.files.objects.set(files[0]?.key ?? '', new Uint8Array([1]))
  const kinds = new Set((await database.scan(stage.tableName)).map(({ sk }) => String(sk).split('#')[0]))
  assert.deepEqual([...kinds].sort(), ['EDGES', 'JOB', 'LATCH', 'PART', 'TASK'])
  return stage
}

test('after the retention time of a job, only its tombstone remains, and the tombstone has a TTL', async () => {
  const { service, tableName } = await createLargeJob()
  const allItems = await database.scan(tableName)
  assert.deepEqual(
    allItems.filter(({ sk, ttl }) => sk !== 'JOB' && ttl === undefined),
    [],
    'every record has a TTL',
  )
  await service.cancel()
  await expire(service)
  const remainingItems = await database.scan(tableName)
  assert.deepEqual(
    remainingItems.map(({ sk, status, wakeAt, listKey }) => ({ sk, status, wakeAt, listKey })),
    [{ sk: 'JOB', status: 'expired', wakeAt: undefined, listKey: undefined }],
  )
  assert.equal(typeof remainingItems[0]?.['ttl'], 'number')
  assert.deepEqual(listRemainingKeys(service), [])
  const { events } = await getOutcome(service)
  assert.equal(events.at(-1), 'job.expired')
})

test('deleting a large job leaves no data behind', async () => {
  const { service, tableName } = await createLargeJob()
  assert.equal(await service.delete(), true)
  await service.runToEnd()
  assert.deepEqual(await database.scan(tableName), [])
  assert.deepEqual(listRemainingKeys(service), [])
  await getOutcome(service)
})

test('a job deletion that a crash interrupts during a sweep is completed within two minutes', async () => {
  let isDue = false
  const tableName = await database.makeTable()
  const service: SimulatedService = new SimulatedService({
    database,
    tableName,
    tableBehavior: async (command, send) => {
      if (isDue && command instanceof UpdateCommand) {
        isDue = false
        // The process crashes right after marking the job as deleted.
        service.gate.crashAfter(service.gate.effects.length + 1)
        assert.equal(await service.delete(), undefined)
      }
      return send(command)
    },
  })
  await service.create(singleTask())
  await service.runToEnd()
  const timeBefore = service.time.now
  isDue = true
  await service.sweep()
  assert.equal(typeof (await service.job())?.deletedAt, 'string')
  await service.runToEnd()
  assert.deepEqual(await database.scan(tableName), [])
  assert.ok(service.time.now - timeBefore < 120_000)
})

test('two sweeps of the same expired job publish the same events', async () => {
  const { service } = await createService()
  await service.create(singleTask())
  await service.runToEnd()
  service.time.moveTo(service.time.now + 3_700_000)
  await Promise.all([service.sweep(), service.sweep()])
  // Simulates a third sweep that had also found the job.
  await service.sweep()
  const { status, events } = await getOutcome(service)
  assert.equal(status, 'expired')
  assert.deepEqual(events.slice(-3), ['file.deleted', 'file.deleted', 'job.expired'])
})

test('a failed branch of a job does not stop the other branch, but cancels the tasks that need both branches', async () => {
  const { service } = await createService({ bad: throwCorruptFile })
  await service.create(
    createGraph({
      bad: { from: ['import'] },
      good: { from: ['import'] },
      best: { from: ['good'] },
      join: { from: ['bad', 'good'] },
      last: { from: ['join'] },
    }),
  )
  await service.runToEnd()
  await assertNothingIsPending(service)
  const { status, error, tasks } = await getOutcome(service)
  assert.deepEqual([status, error], ['failed', 'CORRUPT_FILE'])
  assert.deepEqual(tasks, {
    import: 'completed',
    bad: 'failed CORRUPT_FILE',
    good: 'completed',
    best: 'completed',
    join: 'cancelled INPUT_TASK_FAILED',
    last: 'cancelled INPUT_TASK_FAILED',
    export: 'cancelled',
  })
})

test('a task whose job is cancelled while the task runs ends as cancelled, and its results are deleted', async () => {
  const { service } = await createService({
    a: async (simulated) => {
      await simulated.cancel()
    },
  })
  await service.create(singleTask())
  await service.runToEnd()
  assert.deepEqual((await getOutcome(service)).tasks['a'], 'cancelled')
  assert.deepEqual(listRemainingKeys(service), [])
})
