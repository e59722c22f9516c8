import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createChunkRecord,
  createGraphRecords,
  getChunkAttempt,
  getChunkNumber,
} from '../../lib/jobs/task-graph.ts'
import { FixedTask, Job, JoinBucket, Task } from '../../lib/model/job.ts'
import {
  createAwaitedUpload,
  createExport,
  createRecords,
  createStoredImport,
  newJob,
  newTask,
  secondsLater,
  start,
  timestamp,
} from './records.ts'

const createNumbers = (count: number, from = 0) => Array.from({ length: count }, (_, at) => at + from)
const createFanOut = (count: number) => createNumbers(count).map((at) => newTask(`work-${at}`, [0]))

test('a conversion is stored as a job with one task record, and its import and export are part of the job record', () => {
  const { job, fixed, isFixedSeparate, tasks, joinBuckets, dependentPages } = createRecords([
    createStoredImport('in'),
    newTask('work', [0]),
    createExport('out', [1]),
  ])
  assert.deepEqual(
    tasks.map(({ number, name, open, outs, fed }) => ({ number, name, open, outs, fed })),
    [{ number: 1, name: 'work', open: undefined, outs: [], fed: true }],
  )
  assert.deepEqual(
    fixed.map(({ number, status }) => ({ number, status })),
    [
      { number: 0, status: 'completed' },
      { number: 2, status: 'pending' },
    ],
  )
  assert.deepEqual([joinBuckets, dependentPages, isFixedSeparate], [[], [], false])
  assert.deepEqual([job.open, job.units, job.total], [new Set([1]), 1, 3])
  assert.deepEqual([job.status, job.sequence, job.numbers], ['queued', 2, { created: 1, queued: 2 }])
  assert.deepEqual([job.queuedAt, job.wakeAt], [timestamp(0), timestamp(60)])
})

test('the records of a job and its tasks contain the fields of the request, and no optional fields that were not sent', () => {
  const workTask = newTask('work', [0], { spec: { quality: 7 }, continueOnError: true })
  const requestFields = {
    keyId: 'key_1',
    retryOf: 'job_0',
    failFast: true,
    hasWebhook: true,
    inOneList: true,
    tag: 'a',
  } as const
  const { job, tasks, ttl } = createRecords([createStoredImport('in'), workTask], requestFields)
  assert.deepEqual(Job.parse(job), job, 'and the table gives all of it back')
  const { display, fixed, ...otherFields } = job
  assert.deepEqual(display, {
    source: null,
    target: { format: 'webp' },
    operations: ['convert'],
    pollS: 2,
  })
  assert.equal(fixed?.length, 1)
  assert.deepEqual(otherFields, {
    id: 'job_1',
    owner: 'anon_1',
    requestId: 'req_1',
    status: 'queued',
    retentionS: 3600,
    require: 'all',
    ...requestFields,
    total: 2,
    open: new Set([1]),
    units: 1,
    running: {},
    warnings: [],
    sequence: 2,
    numbers: { created: 1, queued: 2 },
    log: {},
    createdAt: timestamp(0),
    queuedAt: timestamp(0),
    expiresAt: timestamp(3600),
    wakeAt: timestamp(60),
  })
  assert.deepEqual(tasks, [
    {
      jobId: 'job_1',
      owner: 'anon_1',
      number: 1,
      name: 'work',
      operation: 'convert',
      spec: { quality: 7 },
      ins: [0],
      outs: [],
      fed: true,
      continueOnError: true,
      status: 'pending',
      percent: 0,
      attempt: 0,
      files: [],
      warnings: [],
      createdAt: timestamp(0),
      ttl,
    },
  ])
  const plainRecords = createRecords([createAwaitedUpload('in'), newTask('work', [0])])
  const optionalFields = ['keyId', 'retryOf', 'failFast', 'hasWebhook', 'inOneList', 'queuedAt', 'undefined']
  assert.deepEqual(
    optionalFields.filter((name) => name in plainRecords.job),
    [],
  )
  assert.deepEqual(plainRecords.job.log, { created: { at: timestamp(0) } })
  const [upload, taker] = plainRecords.tasks
  assert.deepEqual([upload?.uploadId, upload?.form, upload?.fed, upload?.outs], ['upl_1', {}, false, ['1']])
  assert.ok(taker && !('uploadId' in taker) && !('continueOnError' in taker) && !('bucketed' in taker))
})

test('in a diamond-shaped job, each task lists its inputs and its dependents', () => {
  const { tasks, job } = createRecords([
    createStoredImport('in'),
    newTask('left', [0]),
    newTask('right', [0]),
    newTask('both', [1, 2]),
    newTask('last', [3, 0]),
    createExport('out', [4]),
  ])
  const shape = tasks.map(({ number, open, outs, fed }) => ({ number, open, outs, fed }))
  assert.deepEqual(shape, [
    { number: 1, open: undefined, outs: ['3'], fed: true },
    { number: 2, open: undefined, outs: ['3'], fed: true },
    { number: 3, open: new Set([1, 2]), outs: ['4'], fed: false },
    { number: 4, open: new Set([3]), outs: [], fed: true },
  ])
  assert.deepEqual(job.open, new Set([1, 2, 3, 4]))
})

test('a job that waits for an upload is pending, and the tasks that use the upload wait for it', () => {
  const { job, tasks } = createRecords([
    createAwaitedUpload('in'),
    newTask('work', [0]),
    createExport('out', [1]),
  ])
  assert.deepEqual([job.status, job.waiting, job.sequence], ['pending', new Set([0]), 1])
  assert.equal(job.queuedAt, undefined)
  assert.deepEqual(tasks[0]?.uploadId, 'upl_1')
  assert.deepEqual(tasks[1]?.open, new Set([0]))
})

test('the open tasks of a job are stored by number, or in buckets of a hundred if there are more than a hundred', () => {
  const recordsOf100Tasks = createRecords([createStoredImport('in'), ...createFanOut(99)])
  assert.equal(recordsOf100Tasks.job.open?.size, 99)
  assert.deepEqual(recordsOf100Tasks.joinBuckets, [])
  assert.ok(recordsOf100Tasks.tasks.every(({ bucketed }) => bucketed === undefined))

  const moreRecords = createRecords([createStoredImport('in'), ...createFanOut(250)])
  assert.deepEqual([moreRecords.job.open, moreRecords.job.units], [new Set([0, 1, 2]), 3])
  assert.deepEqual(
    moreRecords.joinBuckets.map(({ task, bucketNumber, bucket }) => [
      task,
      bucketNumber,
      bucket.size,
      bucket.open?.size,
    ]),
    [
      ['count', 0, 99, 99],
      ['count', 1, 100, 100],
      ['count', 2, 51, 51],
    ],
  )
  assert.deepEqual(moreRecords.joinBuckets[2]?.bucket.open, new Set(createNumbers(51, 200)))
  assert.ok(moreRecords.tasks.every(({ bucketed }) => bucketed))
})

test('a bucket of tasks that need no work is not counted among the open buckets of its job', () => {
  const { job, joinBuckets } = createRecords([
    ...createNumbers(120).map((at) => createStoredImport(`in-${at}`)),
    newTask('work', [0]),
  ])
  assert.deepEqual([job.open, job.units], [new Set([1]), 1])
  assert.deepEqual(
    joinBuckets.map(({ bucketNumber, bucket }) => [bucketNumber, bucket.open]),
    [[1, new Set([120])]],
  )
})

test('a task with more than a hundred inputs waits for join buckets of a hundred inputs each', () => {
  const count = 250
  const { tasks, joinBuckets } = createRecords([
    createStoredImport('in'),
    ...createFanOut(count),
    newTask('join', createNumbers(count, 1)),
  ])
  const joinTask = tasks.at(-1)
  assert.deepEqual([joinTask?.open, joinTask?.fed], [new Set([0, 1, 2]), false])
  const ownBuckets = joinBuckets.filter(({ task }) => task === count + 1)
  assert.deepEqual(
    ownBuckets.map(({ bucketNumber, bucket }) => [bucketNumber, bucket.size]),
    [
      [0, 100],
      [1, 100],
      [2, 50],
    ],
  )
  assert.deepEqual(tasks[0]?.outs, [`${count + 1}#0`])
  assert.deepEqual(tasks[100]?.outs, [`${count + 1}#1`])
  assert.deepEqual(tasks[249]?.outs, [`${count + 1}#2`])
  // Every input is in the join bucket that its own record names.
  for (const { number, outs } of tasks.slice(0, -1)) {
    const at = Number(outs[0]?.split('#')[1])
    assert.ok(ownBuckets[at]?.bucket.open?.has(number), `task ${number}`)
  }
})

test('a task with exactly a hundred inputs waits for them directly', () => {
  const { tasks } = createRecords([
    createStoredImport('in'),
    ...createFanOut(100),
    newTask('join', createNumbers(100, 1)),
  ])
  assert.equal(tasks.at(-1)?.open?.size, 100)
  assert.deepEqual(tasks[0]?.outs, ['101'])
})

test('up to 32 dependents of a task are stored in its record, and more dependents in pages of a thousand', () => {
  const source = newTask('source', [0])
  const createDependents = (count: number) => createNumbers(count).map((at) => newTask(`taker-${at}`, [1]))
  const fewRecords = createRecords([createStoredImport('in'), source, ...createDependents(32)])
  assert.equal(fewRecords.tasks[0]?.outs.length, 32)
  assert.deepEqual([fewRecords.tasks[0]?.edgePages, fewRecords.dependentPages], [undefined, []])

  const manyRecords = createRecords([createStoredImport('in'), source, ...createDependents(2500)])
  assert.deepEqual([manyRecords.tasks[0]?.outs, manyRecords.tasks[0]?.edgePages], [[], 3])
  assert.deepEqual(
    manyRecords.dependentPages.map(({ task, page, outs }) => [task, page, outs.length]),
    [
      [1, 0, 1000],
      [1, 1, 1000],
      [1, 2, 500],
    ],
  )
  assert.deepEqual(manyRecords.dependentPages.flatMap(({ outs }) => outs).map(Number), createNumbers(2500, 2))
})

test('the imports and exports of a job are stored in a separate record if they are too large for the job record', () => {
  const fewFixed = createRecords([createStoredImport('in'), newTask('work', [0]), createExport('out', [1])])
  assert.deepEqual([fewFixed.isFixedSeparate, fewFixed.job.fixed], [false, fewFixed.fixed])
  const manyFixed = createRecords([
    ...createNumbers(20).map((at) => createStoredImport(`in-${at}`)),
    newTask('work', createNumbers(20)),
  ])
  assert.deepEqual(
    [manyFixed.isFixedSeparate, manyFixed.job.fixed, manyFixed.fixed.length],
    [true, undefined, 20],
  )
})

test('the record of a job with a thousand tasks is smaller than 1 KB, not counting its import and export tasks', () => {
  const { job } = createRecords([
    createStoredImport('in'),
    ...createFanOut(998),
    newTask('join', createNumbers(998, 1)),
  ])
  const { fixed: _fixed, ...rest } = job
  assert.ok(JSON.stringify({ ...rest, open: [...(job.open ?? [])] }).length < 1000)
})

test('the TTL of task records is two weeks after the expiry of their job', () => {
  const { ttl, tasks } = createRecords([createStoredImport('in'), ...createFanOut(250)])
  assert.equal(ttl, start.getTime() / 1000 + 3600 + 14 * 24 * 3600)
  assert.ok(tasks.every((task) => task.ttl === ttl))
})

test('records of small and large jobs match their schemas', () => {
  for (const request of [
    [createStoredImport('in'), newTask('work', [0]), createExport('out', [1])],
    [
      createAwaitedUpload('in'),
      ...createFanOut(150),
      newTask('join', createNumbers(150, 1), { continueOnError: true }),
    ],
  ]) {
    const { job, fixed, tasks, joinBuckets } = createRecords(request)
    assert.deepEqual(Job.strict().parse(job), job)
    for (const fixedTask of fixed) assert.deepEqual(FixedTask.strict().parse(fixedTask), fixedTask)
    for (const task of tasks) assert.deepEqual(Task.strict().parse(task), task)
    for (const { bucket } of joinBuckets) assert.deepEqual(JoinBucket.strict().parse(bucket), bucket)
  }
})

test('a chunk is ready immediately, has no dependents and uses its task’s TTL', () => {
  const { tasks } = newJob([createStoredImport('in'), newTask('work', [0], { spec: { options: {} } })])
  const [wholeTask] = tasks
  assert.ok(wholeTask)
  const piece = { steps: [], step: 0, files: [] }
  const splitTask = { ...wholeTask, startedAt: timestamp(3) }
  const chunk = createChunkRecord(
    splitTask,
    getChunkNumber(2, 7),
    { spec: { pages: '1-50' }, pieces: [piece] },
    secondsLater(9),
  )
  assert.deepEqual(Task.strict().parse(chunk), chunk)
  assert.deepEqual([chunk.number, chunk.part, chunk.spec], [1, 2007, { pages: '1-50' }])
  assert.equal(getChunkAttempt(chunk.part ?? 0), 2)
  assert.deepEqual([chunk.pieces, chunk.createdAt], [[piece], timestamp(9)])
  assert.equal(chunk.startedAt, timestamp(3), 'its time began with that of its task')
  assert.deepEqual([chunk.outs, chunk.open, chunk.fed, chunk.ttl], [[], undefined, true, wholeTask.ttl])
})

test('the same job request always creates the same records', () => {
  const request = {
    ...createRecords([]).job,
    tasks: [createStoredImport('in'), ...createFanOut(250)],
    failFast: false,
    retryOf: undefined,
  }
  assert.deepEqual(createGraphRecords(request, start), createGraphRecords(request, start))
})
