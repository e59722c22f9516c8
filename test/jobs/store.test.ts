import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TransactionWrite } from '../../lib/aws/table.ts'
import {
  getBucketCountKey,
  getFixedTasksKey,
  getJobKey,
  getJoinBucketKey,
  getWakeShard,
} from '../../lib/jobs/keys.ts'
import { JobStore } from '../../lib/jobs/store.ts'
import { createChunkRecord, type GraphRecords } from '../../lib/jobs/task-graph.ts'
import type { Job } from '../../lib/model/job.ts'
import { MemoryTable } from './memory-table.ts'
import {
  createExport,
  createRecords,
  createStoredImport,
  newTask,
  secondsLater,
  timestamp,
} from './records.ts'
import { createJob, createSinkGraph, manyFiles, twoTaskGraph } from './support/stored-jobs.ts'

for (const [size, tasks, moreFields] of [
  ['few tasks', twoTaskGraph, {}],
  ['many tasks', createSinkGraph(150), { tag: 'mine' }],
  ['many files', [...manyFiles, newTask('a', [0, 1]), createExport('out', [20])], {}],
] as const)
  test(`a job with ${size} is read exactly as it was stored, with its index keys`, async () => {
    const { table, store, records: ownRecords } = await createJob(tasks, moreFields)
    const wholeState = await store.getState('job_1')
    assert.deepEqual(wholeState, {
      job: ownRecords.job,
      fixed: ownRecords.fixed,
      tasks: ownRecords.tasks,
      chunks: [],
    })
    const item = await table.get(getJobKey('job_1'))
    const { wakeShard, listKey, tagKey } = item ?? {}
    assert.deepEqual(
      [wakeShard, listKey, tagKey],
      [getWakeShard('job_1'), 'anon_1#live', ownRecords.job.tag === null ? undefined : 'anon_1#mine'],
    )
    for (const record of table.items.filter(({ sk }) => sk !== 'JOB'))
      assert.equal(record['ttl'], ownRecords.ttl, `${record['sk']} has a TTL`)
    assert.equal((await table.get(getFixedTasksKey('job_1'))) !== undefined, ownRecords.isFixedSeparate)
    for (const task of ownRecords.tasks) {
      const storedTask = await store.getTask({ jobId: 'job_1', task: task.number })
      assert.deepEqual(storedTask, task)
    }
  })

test('creating the same job again succeeds, but creating another job with its id fails', async () => {
  for (const tasks of [twoTaskGraph, createSinkGraph(150)]) {
    const { store, records: ownRecords } = await createJob(tasks)
    assert.equal(await store.create(ownRecords), true)
    const createRecordsWith = (job: Partial<Job>): GraphRecords => ({
      ...ownRecords,
      job: { ...ownRecords.job, ...job },
    })
    assert.equal(await store.create(createRecordsWith({ requestId: 'req_2' })), false)
    assert.equal(await store.create(createRecordsWith({ createdAt: timestamp(1) })), false)
    assert.deepEqual(await store.getJob('job_1'), ownRecords.job)
  }
})

test('the upload claims of a job are stored with the job, and all of them are released if one fails', async () => {
  const createKey = (name: string) => ({ pk: `UPLOAD#${name}`, sk: 'UPLOAD' })
  const createClaim = (name: string): TransactionWrite => ({
    update: createKey(name),
    change: { set: { jobId: 'job_1' } },
    if: { exists: true, absent: ['jobId'] },
  })
  /** A write that creates its record, unlike a claim. */
  const count: TransactionWrite = { update: createKey('count'), change: { set: { jobId: 'job_1' } }, if: {} }
  for (const tasks of [twoTaskGraph, createSinkGraph(150)]) {
    const table = new MemoryTable()
    const store = new JobStore(table)
    for (const name of ['a', 'b', 'c']) await table.put({ ...createKey(name), size: 1 })
    await table.update(createKey('b'), { set: { jobId: 'job_2' } })
    const ownRecords = createRecords(tasks)
    assert.equal(
      await store.create(ownRecords, [createClaim('a'), count, createClaim('b'), createClaim('c')]),
      false,
    )
    const findHolder = async (name: string) => (await table.get(createKey(name)))?.['jobId']
    assert.deepEqual(
      [await findHolder('a'), await findHolder('b'), await findHolder('c')],
      [undefined, 'job_2', undefined],
      `${tasks.length}`,
    )
    assert.equal(await store.getJob('job_1'), undefined)
    // With many records, a write that has created its record is not undone, unlike a claim.
    assert.equal(await findHolder('count'), tasks === twoTaskGraph ? undefined : 'job_1')
    assert.equal(await store.create(ownRecords, [createClaim('a'), count, createClaim('c')]), true)
    assert.deepEqual(
      [await findHolder('a'), await findHolder('count'), await findHolder('c')],
      Array(3).fill('job_1'),
    )
  }
})

test('if creating a job fails, an upload claim that another job has taken in the meantime is kept', async () => {
  const table = new MemoryTable()
  const key = { pk: 'UPLOAD#a', sk: 'UPLOAD' }
  await table.put({ ...key, size: 1 })
  const claimChange = { set: { jobId: 'job_1' } }
  const createClaim: TransactionWrite = { update: key, change: claimChange, if: { exists: true } }
  const writeToMissingRecord: TransactionWrite = {
    update: { ...key, pk: 'UPLOAD#b' },
    change: claimChange,
    if: { exists: true },
  }
  const update = table.update.bind(table)
  table.update = async (at, ...args) => {
    // Runs between the claim and its release.
    if (at.pk === 'UPLOAD#b') await update(key, { set: { jobId: 'job_2' } })
    return update(at, ...args)
  }
  assert.equal(
    await new JobStore(table).create(createRecords(createSinkGraph(150)), [
      createClaim,
      writeToMissingRecord,
    ]),
    false,
  )
  assert.equal((await table.get(key))?.['jobId'], 'job_2')
})

test('a job with few records is stored in one transaction, and many records are stored in batches before the job record', async () => {
  for (const [count, usesOneTransaction] of [
    [8, true],
    [9, false],
  ] as const) {
    const table = new MemoryTable()
    let batches = 0
    const writeAll = table.writeAll.bind(table)
    table.writeAll = async (...args) => {
      batches += 1
      assert.equal(await table.get(getJobKey('job_1')), undefined)
      return writeAll(...args)
    }
    const ownRecords = createRecords([
      createStoredImport('in'),
      ...Array.from({ length: count }, (_, at) => newTask(`t${at}`, [0])),
    ])
    const createClaim: TransactionWrite = {
      update: { pk: 'OTHER', sk: 'OTHER' },
      change: { set: { is: 1 } },
      if: {},
    }
    assert.equal(await new JobStore(table).create(ownRecords, [createClaim]), true)
    assert.equal(batches === 0, usesOneTransaction, `${count} tasks`)
  }
})

test('jobs are read by their ids in the requested order, and missing jobs are left out', async () => {
  const { store, records: ownRecords } = await createJob()
  await store.create(createRecords(twoTaskGraph, { id: 'job_2' }))
  assert.deepEqual(
    (await store.getJobs(['job_3', 'job_2', 'job_1'])).map(({ id }) => id),
    ['job_2', 'job_1'],
  )
  assert.deepEqual(await store.getJobs(['job_1']), [ownRecords.job])
  assert.deepEqual([await store.getJobs([]), await store.getJob('job_3')], [[], undefined])
  assert.deepEqual(await store.getJob('job_1'), ownRecords.job)
  assert.equal(await store.getState('job_3'), undefined)
})

test('the inputs of a task are read with its job record, unless the caller passes that record', async () => {
  const {
    table,
    store,
    records: ownRecords,
  } = await createJob([createStoredImport('in'), newTask('a', [0]), newTask('b', [0, 1])])
  const [a, b] = ownRecords.tasks
  assert.ok(a && b)
  const requestedKeys: string[] = []
  const getAll = table.getAll.bind(table)
  table.getAll = async (keys) => {
    requestedKeys.push(...keys.map(({ sk }) => sk))
    return getAll(keys)
  }
  const inputs = { job: ownRecords.job, fixed: ownRecords.fixed, tasks: [], chunks: [] }
  assert.deepEqual(await store.getInputs(a), inputs)
  assert.deepEqual(requestedKeys.splice(0), ['JOB'], 'a file that is there from the start has no record')
  assert.deepEqual(await store.getInputs(b), { ...inputs, tasks: [a] })
  assert.deepEqual(requestedKeys.splice(0), ['JOB', 'TASK#00000', 'TASK#00001'])
  assert.deepEqual(await store.getInputs(b, ownRecords.job), { ...inputs, tasks: [a] })
  assert.deepEqual(requestedKeys.splice(0), ['TASK#00000', 'TASK#00001'])
  // A chunk is always `fed`, whatever the inputs of its task are.
  const chunk = createChunkRecord(b, 1000, {}, secondsLater(0))
  assert.deepEqual((await store.getInputs({ ...chunk, ins: [1] }))?.tasks, [a])
  assert.equal(await store.getInputs({ ...a, jobId: 'job_2' }), undefined)
})

test('imports stored in a separate record are read only if the task uses one of them', async () => {
  const {
    table,
    store,
    records: ownRecords,
  } = await createJob([...manyFiles, newTask('a', [0, 1]), newTask('b', [20])])
  const [a, b] = ownRecords.tasks
  assert.ok(a && b)
  assert.deepEqual((await store.getInputs(a))?.fixed, ownRecords.fixed)
  assert.deepEqual((await store.getInputs(b))?.fixed, [])
  await table.delete(getFixedTasksKey('job_1'))
  assert.deepEqual((await store.getInputs(a))?.fixed, [])
})

test('all dependents of a task are found, even if there are many', async () => {
  const manyTasks = Array.from({ length: 1100 }, (_, at) => newTask(`t${at}`, [1]))
  const { store, records: ownRecords } = await createJob([
    createStoredImport('in'),
    newTask('root', [0]),
    ...manyTasks,
  ])
  const [root, leaf] = ownRecords.tasks
  assert.ok(root && leaf)
  const outs = await store.getDependents(root)
  assert.deepEqual(
    outs,
    Array.from({ length: 1100 }, (_, at) => String(at + 2)),
  )
  assert.deepEqual(await store.getDependents(leaf), [])
  const [task] = (await createJob()).records.tasks
  assert.ok(task)
  assert.deepEqual(await store.getDependents(task), ['2'])
})

test('open tasks of a large job, and open inputs of a large join, are stored in buckets', async () => {
  const { store } = await createJob(createSinkGraph(150))
  const removeOpen = (number: number) => ({ exclude: { open: new Set([number]) } })
  const countedBucket = await store.changeJoinBucket(getBucketCountKey('job_1', 1), removeOpen(100))
  assert.deepEqual(
    [countedBucket.record?.size, countedBucket.record?.open?.size, countedBucket.record?.open?.has(101)],
    [52, 51, true],
  )
  const joinedBucket = await store.changeJoinBucket(getJoinBucketKey('job_1', 151, 1), removeOpen(101))
  assert.deepEqual(
    [joinedBucket.record?.size, joinedBucket.record?.open?.size, joinedBucket.record?.open?.has(102)],
    [50, 49, true],
  )
})

test('tasks of a job are read by their numbers', async () => {
  const { store, records: ownRecords } = await createJob()
  assert.deepEqual(await store.getTasks('job_1', [2, 9, 1]), ownRecords.tasks.toReversed())
})
