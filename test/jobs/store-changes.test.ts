import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyJob, jobEndEmitter } from '../../lib/jobs/job-end-emitter.ts'
import { getJobKey, getTaskKey } from '../../lib/jobs/keys.ts'
import { getProgressUnit, toTaskRef } from '../../lib/jobs/store.ts'
import { createChunkRecord } from '../../lib/jobs/task-graph.ts'
import type { Job, Task } from '../../lib/model/job.ts'
import type { MemoryTable } from './memory-table.ts'
import { complete, createRecords, file, newTask, secondsLater, timestamp } from './records.ts'
import { createJob, createSinkGraph, manyFiles, twoTaskGraph } from './support/stored-jobs.ts'

/** All stored keys. */
const listKeys = ({ items }: MemoryTable) => items.map(({ pk, sk }) => `${pk} ${sk}`).sort()

test('getChunks returns the chunks of a task in order, and deleteChunks deletes only the specified chunks', async () => {
  const { store, records: ownRecords, table } = await createJob()
  const [a, b] = ownRecords.tasks
  assert.ok(a && b)
  const chunks = [10_000, 1000, 1002].map((chunkNumber) =>
    createChunkRecord(a, chunkNumber, {}, secondsLater(0)),
  )
  await store.addChunks([...chunks, createChunkRecord(b, 1001, {}, secondsLater(0))])
  const listNumbers = async (of: Task) => (await store.getChunks(of)).map(({ part }) => part)
  assert.deepEqual([await listNumbers(a), await listNumbers(b)], [[1000, 1002, 10_000], [1001]])
  const wholeState = await store.getState('job_1')
  assert.deepEqual(
    wholeState?.chunks.map(({ number, part }) => [number, part]),
    [
      [1, 1000],
      [1, 1002],
      [1, 10_000],
      [2, 1001],
    ],
  )
  assert.deepEqual(
    chunks.map(toTaskRef),
    [10_000, 1000, 1002].map((chunkNumber) => ({ jobId: 'job_1', task: 1, part: chunkNumber })),
  )
  await store.deleteChunks(chunks.slice(0, 2))
  assert.deepEqual([await listNumbers(a), await listNumbers(b)], [[1002], [1001]])
  assert.ok(await table.get(getTaskKey({ jobId: 'job_1', task: 1 })))
})

test('changing a missing record does not create it', async () => {
  const { store, table } = await createJob()
  const itemsBefore = table.items
  const notApplied = { applied: false, record: undefined }
  assert.deepEqual(await store.changeJob('job_2', { set: { unsaid: true } }), notApplied)
  assert.deepEqual(await store.changeTask({ jobId: 'job_2', task: 1 }, { set: { percent: 1 } }), notApplied)
  assert.deepEqual(
    await store.changeJoinBucket({ pk: 'JOB#job_2', sk: 'LATCH#count' }, { set: { size: 1 } }),
    notApplied,
  )
  const percentCondition = { condition: { equal: { percent: 1 } } }
  const { applied, record } = await store.changeTask(
    { jobId: 'job_1', task: 1 },
    { set: { percent: 2 } },
    percentCondition,
  )
  assert.deepEqual([applied, record?.percent, table.items], [false, 0, itemsBefore])
})

test('jobEndEmitter emits the end of a job once, and only if the end was stored', async () => {
  const { store } = await createJob()
  const receivedEnds: unknown[] = []
  const receive = (by: string) => (job: Job) => void receivedEnds.push([by, job.id, job.status])
  const [ofJob, anyTask] = [receive('job'), receive('any')]
  jobEndEmitter.on('job_1', ofJob)
  jobEndEmitter.on(anyJob, anyTask)
  await store.changeJob('job_1', { set: { status: 'processing' } })
  await store.changeJob('job_1', { set: { status: 'completed' } }, { condition: { absent: ['id'] } })
  assert.deepEqual(receivedEnds, [])
  await store.changeJob('job_1', { set: { status: 'completed' } })
  await store.changeJob('job_1', { set: { unsaid: true } })
  assert.deepEqual(receivedEnds.splice(0), [
    ['job', 'job_1', 'completed'],
    ['any', 'job_1', 'completed'],
  ])

  jobEndEmitter.off('job_1', ofJob)
  jobEndEmitter.off(anyJob, anyTask)
})

test('deleteTasks deletes all records of a job except the job record, which deleteJob deletes', async () => {
  for (const tasks of [twoTaskGraph, createSinkGraph(250), [...manyFiles, newTask('a', [0])], []]) {
    const { store, table, records: ownRecords } = await createJob(tasks)
    const [firstTask] = ownRecords.tasks
    if (firstTask) await store.addChunks([createChunkRecord(firstTask, 1000, {}, secondsLater(0))])
    const otherRecords = createRecords(twoTaskGraph, { id: 'job_2' })
    await store.create(otherRecords)
    const state = await store.getState('job_1')
    assert.ok(state)
    await store.deleteTasks(state)
    const keysOfOtherJob = ['JOB#job_2 JOB', 'JOB#job_2 TASK#00001', 'JOB#job_2 TASK#00002']
    assert.deepEqual(listKeys(table), ['JOB#job_1 JOB', ...keysOfOtherJob])
    await store.deleteJob('job_1')
    assert.deepEqual(listKeys(table), keysOfOtherJob)
  }
})

test('the tombstone of an expired job contains its status but none of its content', async () => {
  const { store, table, records: ownRecords } = await createJob(twoTaskGraph, { tag: 'mine', keyId: 'key_1' })
  await store.changeTask({ jobId: 'job_1', task: 1 }, { set: complete(5, file('a.png')) })
  const expiryFields = { status: 'expired', expiredAt: timestamp(9), expiredFor: 'retention' } as const
  const { record } = await store.changeJob('job_1', {
    set: { ...expiryFields, stage: 'convert', unsaid: true },
  })
  assert.ok(record)
  await store.writeTombstone(record, 77)
  const remainingJob = await store.getJob('job_1')
  const { id, owner, requestId, tag, display, retentionS, require, total, units, sequence } = ownRecords.job
  const { createdAt, expiresAt } = ownRecords.job
  assert.deepEqual(remainingJob, {
    id,
    owner,
    requestId,
    tag,
    display,
    retentionS,
    require,
    total,
    units,
    sequence,
    createdAt,
    expiresAt,
    ...expiryFields,
    filesTold: true,
    warnings: [],
    fixed: [],
    numbers: {},
    log: {},
    running: {},
  })
  const item = await table.get(getJobKey('job_1'))
  assert.deepEqual([item?.['ttl'], item?.['wakeShard'], item?.['listKey']], [77, undefined, undefined])
})

test('progress is stored per task in jobs of up to a hundred tasks, and per bucket of tasks in larger jobs', () => {
  assert.deepEqual(
    [
      getProgressUnit({ total: 100 }, 99),
      getProgressUnit({ total: 101 }, 99),
      getProgressUnit({ total: 101 }, 100),
    ],
    [...[99, 0, 1]],
  )
})
