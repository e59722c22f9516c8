import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jobEndEmitter } from '../../lib/jobs/job-end-emitter.ts'
import type { Job } from '../../lib/model/job.ts'
import { waitUntil } from '../support/wait-until.ts'
import { createGraph, fanIn, singleTask } from './new-tasks.ts'
import { SimulatedService } from './simulated-service.ts'
import { openDatabase } from './test-table.ts'

const database = openDatabase()

test('a job with one task needs five writes and one read of the table, one message and two publications', async (t) => {
  // On a busy machine the job may take so long that its start is published separately.
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const service = new SimulatedService({ database, tableName: await database.makeTable() })
  await service.create(singleTask())
  await service.runToEnd()
  assert.deepEqual(
    service.calls.map(({ name, isWrite }) => [name, isWrite]),
    [
      ['Put', true],
      ['Put', true],
      ['Update', true],
      ['Get', false],
      ['Update', true],
      ['Update', true],
    ],
    'no transaction, which would cost twice as much',
  )
  assert.deepEqual(service.gate.effects, [
    'creator: Put JOB TASK#00001',
    'creator: Put JOB JOB',
    'creator: publish file.uploaded,job.created,job.queued',
    'creator: send image',
    'worker 1: Update JOB TASK#00001',
    'worker 1: object written',
    'worker 1: Update JOB TASK#00001',
    'worker 1: Update JOB JOB',
    'worker 1: publish job.started,job.completed',
    'worker 1: message deleted',
  ])
})

test('the only task of a started job ends with two writes', async () => {
  const service = new SimulatedService({
    database,
    tableName: await database.makeTable(),
    during: {
      a: ({ bus }) =>
        waitUntil(() => bus.events.some(({ event }) => event === 'job.started'), 'the start is published'),
    },
  })
  await service.create(createGraph({ a: { from: ['import'] } }))
  await service.runToEnd()
  assert.deepEqual(service.gate.effects.slice(4), [
    'worker 1: Update JOB TASK#00001',
    'worker 1: Update JOB JOB',
    'worker 1: publish job.started',
    'worker 1: object written',
    'worker 1: Update JOB TASK#00001',
    'worker 1: Update JOB JOB',
    'worker 1: publish job.started,job.completed',
    'worker 1: message deleted',
  ])
  assert.equal((await service.job())?.status, 'completed')
})

test('the last of several tasks ends its job in one write, before the message of the task is deleted', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const service = new SimulatedService({ database, tableName: await database.makeTable() })
  const endedJobs: Job[] = []
  jobEndEmitter.on(service.jobId, (job) => endedJobs.push(job))
  await service.create(createGraph({ a: { from: ['import'] }, b: { from: ['a'] } }))
  await service.runToEnd()
  // Checking a job that has ended does not end it again.
  await service.sweep()
  assert.deepEqual(
    endedJobs.map(({ status }) => status),
    ['completed'],
    'waiting requests in this process are notified once',
  )
  assert.deepEqual(service.gate.effects.slice(service.gate.effects.indexOf('worker 2: object written')), [
    'worker 2: object written',
    'worker 2: Update JOB TASK#00002',
    'worker 2: Update JOB JOB',
    'worker 2: Update JOB JOB',
    'worker 2: publish job.completed',
    'worker 2: message deleted',
    'sweep: Update JOB JOB',
  ])
})

const beatMs = 3000

test('the heartbeat of a task writes only the record of the task', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let writtenKeys: string[] = []
  const service = new SimulatedService({
    database,
    tableName: await database.makeTable(),
    during: {
      a: async ({ bus, gate }) => {
        await waitUntil(
          () => bus.events.some(({ event }) => event === 'job.started'),
          'the start is published',
        )
        const effectsBefore = gate.effects.length
        for (let beat = 1; beat <= 3; beat++) {
          t.mock.timers.tick(beatMs)
          await waitUntil(() => gate.effects.length === effectsBefore + beat, `there is a beat ${beat}`)
        }
        writtenKeys = gate.effects.slice(effectsBefore)
      },
    },
  })
  await service.create(createGraph({ a: { from: ['import'] }, b: { from: ['a'] } }))
  await service.runToEnd()
  assert.deepEqual(writtenKeys, Array(3).fill('worker 1: Update JOB TASK#00001'))
})

test('a job with more records than fit into a transaction is written in batches, and the job record comes last', async () => {
  const service = new SimulatedService({ database, tableName: await database.makeTable(), concurrency: 8 })
  await service.create(fanIn(120))
  const creationCalls = service.calls.filter(({ isWrite }) => isWrite)
  assert.ok(creationCalls.every(({ name, keys }) => keys.length <= (name === 'BatchWrite' ? 25 : 1)))
  assert.deepEqual(creationCalls.at(-1), { name: 'Put', keys: ['JOB JOB'], isWrite: true })
})

test('a process that dies while it stores a job in batches leaves no job, only records that have a TTL', async () => {
  const tableName = await database.makeTable()
  const service = new SimulatedService({ database, tableName, crashAfter: [3] })
  assert.equal(await service.create(fanIn(120)), undefined)
  assert.equal(await service.job(), undefined)
  const remainingItems = await database.scan(tableName)
  assert.ok(remainingItems.length > 25)
  assert.ok(remainingItems.every(({ ttl }) => typeof ttl === 'number'))
  assert.deepEqual(service.bus.events, [])
})
