import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createChunks,
  deleteChunks,
  deleteChunksOfEndedTask,
  findAwaitingTask,
  isStillNeeded,
  sendChunks,
} from '../../lib/jobs/run/chunks.ts'
import type { TaskServices } from '../../lib/jobs/run/task-services.ts'
import { createChunkRecord, getSpeculativeCopyNumber } from '../../lib/jobs/task-graph.ts'
import type { InputPlan, Task } from '../../lib/model/job.ts'
import { createMemoryJobs } from './memory-jobs.ts'
import { createRecords, createStoredImport, file, newTask, secondsLater, timestamp } from './records.ts'

const step = {
  operation: 'convert',
  engine: 'vips',
  image: 'image',
  from: 'gif',
  to: 'png',
  options: {},
} as const
const inputPlan: InputPlan = { steps: [step, step, step], step: 1, files: [file('a.gif')] }

/** Creates a task that waits for the chunks with these numbers. */
async function createSplitTask(open: readonly number[]) {
  const ownJobs = createMemoryJobs()
  await ownJobs.jobs.create(createRecords([createStoredImport('in'), newTask('a', [0]), newTask('b', [0])]))
  ownJobs.queues.dropAll()
  const ref = { jobId: 'job_1', task: 1 }
  const set: Partial<Task> = {
    status: 'processing',
    expandedBy: 1,
    partCount: 3,
    attempt: 0,
    startedAt: timestamp(1),
    ...(open.length > 0 && { open: new Set(open) }),
  }
  const { record } = await ownJobs.store.changeTask(ref, { set })
  assert.ok(record)
  const createChunk = (number: number, moreFields: Partial<Task> = {}, of = record): Task => ({
    ...createChunkRecord(of, number, {}, secondsLater(0)),
    ...moreFields,
  })
  return {
    ...ownJobs,
    ref,
    task: record,
    part: createChunk,
    services: ownJobs as unknown as TaskServices, // a stub with only the members that are used
    change: (overrides: Partial<Task>) => ownJobs.store.changeTask(ref, { set: overrides }),
    add: (...chunks: Task[]) => ownJobs.store.addChunks(chunks),
    numbers: async () => (await ownJobs.store.getChunks(record)).map((chunk) => chunk.part),
    keys: () => [...ownJobs.files.objects.keys()].sort(),
    keep: (...keys: string[]) => {
      for (const key of keys) ownJobs.files.objects.set(key, new Uint8Array([1]))
    },
  }
}

test('a stored chunk contains its options, the next step and its part of the file', async () => {
  const { task: split } = await createSplitTask([])
  const cutFile = file('cut.pdf', 'jobs/job_1/1/cut-0')
  const chunkSpecs = [{ spec: { from: 1 } }, { spec: { from: 2 }, file: cutFile }]
  const [firstChunk, secondChunk] = createChunks({ ...split, attempt: 2 }, inputPlan, chunkSpecs)
  const remainingPlan = { ...inputPlan, steps: [step, step] }
  assert.deepEqual(
    [firstChunk, secondChunk].map((chunk) => [chunk?.part, chunk?.spec, chunk?.pieces, chunk?.cut]),
    [
      [2000, { from: 1 }, [remainingPlan], undefined],
      [2001, { from: 2 }, [{ ...remainingPlan, files: [cutFile] }], cutFile.key],
    ],
  )
  assert.deepEqual(
    [firstChunk?.status, firstChunk?.attempt, firstChunk?.startedAt, firstChunk?.owner, firstChunk?.ttl],
    ['pending', 0, timestamp(1), 'anon_1', split.ttl],
  )
})

test('the chunks of a fallback route have other numbers than those of the previous route', async () => {
  const { task: split } = await createSplitTask([])
  const triedRoutes = [{ steps: [], error: { code: 'CORRUPT_FILE' as const, message: '' } }]
  const [chunk] = createChunks({ ...split, attempt: 1 }, { ...inputPlan, tried: triedRoutes }, [{ spec: {} }])
  assert.equal(chunk?.part, 11_000)
})

test('a task is split into at most five hundred chunks', async () => {
  const { task: split } = await createSplitTask([])
  const chunkSpecs = (count: number) => Array.from({ length: count }, () => ({ spec: {} }))
  assert.equal(createChunks(split, inputPlan, chunkSpecs(500)).length, 500)
  assert.throws(() => createChunks(split, inputPlan, chunkSpecs(501)), /at most 500 chunks, not 501/)
})

test('only the pending chunks of the current attempt of a task are sent', async () => {
  const { task: split, part, add, services, queues, jobs } = await createSplitTask([1000, 1001, 1002])
  const otherTask = await jobs.store.getTask({ jobId: 'job_1', task: 2 })
  assert.ok(otherTask)
  await add(part(1000), part(1001, { status: 'processing' }), part(1002, { status: 'completed' }), part(2000))
  await add(part(1000, {}, otherTask))
  await sendChunks(split, services)
  assert.deepEqual(
    queues.bodies.map((body) => JSON.parse(body)),
    [{ jobId: 'job_1', task: 1, part: 1000 }],
  )
  queues.dropAll()
  await sendChunks({ ...split, jobId: 'job_2' }, services)
  assert.deepEqual(queues.bodies, [])
})

test('deleting chunks deletes their results and the input files cut for them, but not chunks of a later attempt', async () => {
  const { task: split, part, add, services, numbers, keys, keep } = await createSplitTask([])
  keep('a', 'b', 'c', 'd')
  await add(part(1000, { files: [file('a')], cut: 'b' }), part(2000, { files: [file('c')] }))
  await deleteChunks(split, services, 1)
  assert.deepEqual([await numbers(), keys()], [[2000], ['c', 'd']])
  await deleteChunks(split, services)
  assert.deepEqual([await numbers(), keys()], [[], ['d']])
  await deleteChunks(split, services)
})

test('the chunks of a task are deleted when the task ends or its route fails', async () => {
  const finishChunks = async (
    selectTask: (own: Awaited<ReturnType<typeof createSplitTask>>) => Task,
    moreFields: Partial<Task>,
  ) => {
    const ownTask = await createSplitTask([1000, 1001])
    await ownTask.add(ownTask.part(1000), ownTask.part(1001), ownTask.part(2000))
    await ownTask.change(moreFields)
    await deleteChunksOfEndedTask(selectTask(ownTask), ownTask.services)
    return ownTask.numbers()
  }
  const getSplitTask = ({ task: split }: Awaited<ReturnType<typeof createSplitTask>>) => split
  const firstChunk = ({ part }: Awaited<ReturnType<typeof createSplitTask>>) => part(1000)
  assert.deepEqual(await finishChunks(getSplitTask, { status: 'failed' }), [])
  assert.deepEqual(await finishChunks(firstChunk, { status: 'failed' }), [])
  assert.deepEqual(await finishChunks(firstChunk, {}), [1000, 1001, 2000], 'the others continue')
  assert.deepEqual(
    await finishChunks(firstChunk, { expandedBy: 2 }),
    [2000],
    'the task takes another route by now',
  )
  assert.deepEqual(
    await finishChunks((own) => ({ ...own.part(1000), jobId: 'job_2' }), {}),
    [1000, 1001, 2000],
  )
  const getUnsplitTask = ({ task: split }: Awaited<ReturnType<typeof createSplitTask>>): Task => {
    const { expandedBy: _, ...one } = split
    return one
  }
  assert.deepEqual(
    await finishChunks(getUnsplitTask, { status: 'completed' }),
    [1000, 1001, 2000],
    'the task has no chunks',
  )
  assert.deepEqual(await finishChunks(getSplitTask, {}), [1000, 1001, 2000], 'the task is not over')
})

test('a chunk and its speculative copy are needed as long as the task waits for the chunk', async () => {
  const { part, services, change, task: split } = await createSplitTask([1000])
  const findAwaitingNumber = async (number: number) =>
    (await findAwaitingTask(part(number), services))?.number
  assert.deepEqual(
    [await findAwaitingNumber(1000), await findAwaitingNumber(1001), await findAwaitingNumber(2000)],
    [1, 1, undefined],
  )
  const isChunkNeeded = (number: number) => isStillNeeded(part(number), services)
  assert.deepEqual(
    [
      await isChunkNeeded(1000),
      await isChunkNeeded(getSpeculativeCopyNumber(1000)),
      await isChunkNeeded(1001),
      await isChunkNeeded(2000),
    ],
    [true, true, false, false],
  )
  await change({ status: 'failed' })
  assert.deepEqual([await findAwaitingNumber(1000), await isChunkNeeded(1000)], [undefined, false])
  assert.equal(await findAwaitingTask({ ...split, jobId: 'job_2' }, services), undefined)
})
