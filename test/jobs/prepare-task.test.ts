import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../lib/ids.ts'
import { ConcurrencySlots } from '../../lib/jobs/run/concurrency-slots.ts'
import { prepareTask } from '../../lib/jobs/run/prepare-task.ts'
import { createChunkRecord } from '../../lib/jobs/task-graph.ts'
import type { Task } from '../../lib/model/job.ts'
import type { Services } from '../../lib/services/services.ts'
import { chain, createRecords, singleTask } from './new-tasks.ts'
import { importedFile } from './no-op-engine.ts'
import { SimulatedService } from './simulated-service.ts'
import { openDatabase } from './test-table.ts'

const database = openDatabase()

/** Creates a service with a job of two consecutive tasks, whose messages are lost. */
async function newService() {
  const service = new SimulatedService({ database, tableName: await database.makeTable() })
  await service.create(chain(2))
  service.queues.dropAll()
  const prepare = (task: number, services = service.services()) =>
    prepareTask({ jobId: service.jobId, task }, services)
  const { store } = service.services().jobs
  const changeTask = (task: number, set: Partial<Task>) =>
    store.changeTask({ jobId: service.jobId, task }, { set })
  return { service, prepare, change: changeTask }
}
const listQueued = ({ queues }: SimulatedService) =>
  queues.bodies.map((body) => {
    const { task, part } = JSON.parse(body)
    return part === undefined ? task : `${task} part ${part}`
  })
const over: Partial<Task> = { status: 'completed', files: [importedFile], endedAt: new Date().toISOString() }

test('preparing a task sends it, unless the task is missing or its job has ended', async () => {
  const { service, prepare } = await newService()
  await prepare(1)
  assert.deepEqual(listQueued(service), [1])
  service.queues.dropAll()
  await prepare(9)
  await service.cancel()
  await prepare(1)
  assert.deepEqual(listQueued(service), [])
})

test('preparing a finished task sends its dependents', async () => {
  const { service, prepare, change } = await newService()
  await change(1, over)
  await prepare(1)
  assert.deepEqual(listQueued(service), [2])
})

test('preparing a finished task deletes its leftover chunks', async () => {
  const { service, prepare, change } = await newService()
  const [task] = (await service.state()).tasks
  assert.ok(task)
  await service.services().jobs.store.addChunks([createChunkRecord(task, 1000, {}, new Date())])
  await change(1, { ...over, expandedBy: 1 })
  await prepare(1)
  assert.deepEqual((await service.state()).chunks, [])
})

test('preparing a split task sends its pending chunks', async () => {
  const { service, prepare, change } = await newService()
  const [task] = (await service.state()).tasks
  assert.ok(task)
  const step = {
    operation: 'watermark',
    engine: 'vips',
    image: 'image',
    from: 'png',
    to: 'png',
    options: {},
  } as const
  const pieces = [{ steps: [step], step: 0, files: [importedFile] }]
  const [runningTask, ...chunks] = [1000, 1001, 1002].map((number) =>
    createChunkRecord(task, number, { pieces }, new Date()),
  )
  assert.ok(runningTask)
  await service.services().jobs.store.addChunks([{ ...runningTask, status: 'processing' }, ...chunks])
  await change(1, { status: 'processing', expandedBy: 1, partCount: 3, open: new Set([1000, 1002]) })
  await prepare(1)
  assert.deepEqual(listQueued(service), ['1 part 1002'])
})

test('preparing a task of a job that has ended passes the concurrency slot of the job to the next job', async () => {
  for (const isCancelled of [true, false]) {
    const { service, prepare, change } = await newService()
    const ownServices = service.services()
    const planWithOneJob = { ...ownServices.plans['self-hosted'], concurrentJobs: 1 }
    const services: Services = {
      ...ownServices,
      plans: { ...ownServices.plans, 'self-hosted': planWithOneJob },
    }
    const slots = new ConcurrencySlots(services)
    const nextRecords = createRecords(newId('job'), singleTask())
    await ownServices.jobs.store.create(nextRecords)
    const { job } = await service.state()
    assert.equal(await slots.acquire(job, { jobId: job.id, task: 1 }, 'image'), true)
    assert.equal(await slots.acquire(nextRecords.job, { jobId: nextRecords.job.id, task: 1 }, 'image'), false)
    const { wakeAt } = (await ownServices.table.get({ pk: `SLOTS#${job.owner}`, sk: 'SLOTS' })) ?? {}
    const inS = (Date.parse(String(wakeAt)) - Date.now()) / 1000
    assert.ok(inS > 50 && inS <= 60, `waiting tasks are checked in ${inS} s`)
    await prepare(1, services)
    service.queues.dropAll()
    if (isCancelled) await service.cancel()
    else {
      await change(1, over)
      await prepare(1, services)
      service.queues.dropAll()
      await change(2, over)
    }
    await prepare(2, services)
    const sentJobIds = service.queues.bodies.map((body) => JSON.parse(body).jobId)
    assert.deepEqual(sentJobIds, [nextRecords.job.id], `${isCancelled}`)
  }
})
