import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { findUnpublishedEventsOfEndedJob } from '../../lib/jobs/events.ts'
import { createMemoryJobs } from './memory-jobs.ts'
import {
  createAwaitedUpload,
  createExport,
  createRecords,
  createStoredImport,
  file,
  newTask,
  secondsLater,
  timestamp,
} from './records.ts'
import { corruptUploadError, createJob, twoTaskGraph } from './support/jobs.ts'

test('creating a job publishes job.created and job.queued and sends the ready tasks', async () => {
  const { takeEvents, takeSentTasks, job } = await createJob([...twoTaskGraph, newTask('beside', [0])])
  assert.deepEqual(takeEvents(), ['job.created', 'job.queued'])
  assert.deepEqual(takeSentTasks(), [1, 4])
  assert.equal((await job()).status, 'queued')
})

test('the tasks of a new job are sent after its events are published, even if publishing fails', async () => {
  const subscribers = Promise.withResolvers<() => []>()
  const { jobs, bus, takeEvents, takeSentTasks } = createMemoryJobs({
    getSubscribers: () => subscribers.promise,
  })
  const creation = jobs.create(createRecords(twoTaskGraph))
  await pause(20)
  assert.deepEqual([takeEvents(), takeSentTasks()], [[], []])
  bus.failNext(1)
  subscribers.resolve(() => [])
  assert.equal(await creation, true)
  assert.deepEqual(takeSentTasks(), [1])
})

test('a job is accepted even if its tasks could not be sent, and checking the job later sends them', async () => {
  const { jobs, queues, takeSentTasks } = createMemoryJobs()
  const send = queues.send.bind(queues)
  queues.send = () => Promise.reject(new Error('the queue is unavailable'))
  assert.equal(await jobs.create(createRecords(twoTaskGraph)), true)
  queues.send = send
  await jobs.wake('job_1', secondsLater(60))
  assert.deepEqual(takeSentTasks(), [1])
})

test('a job is accepted even if its creation can neither be published nor logged, and checking it publishes it and sends its tasks', async () => {
  const { jobs, store, bus, takeEvents, takeSentTasks } = createMemoryJobs()
  const changeJob = store.changeJob.bind(store)
  store.changeJob = () => Promise.reject(new Error('the table is unavailable'))
  bus.failNext(1)
  assert.equal(await jobs.create(createRecords(twoTaskGraph)), true)
  store.changeJob = changeJob
  assert.deepEqual([takeEvents(), takeSentTasks()], [[], []], 'the job must not end before the check')
  await jobs.wake('job_1', secondsLater(60))
  assert.deepEqual([takeEvents(), takeSentTasks()], [['job.created', 'job.queued'], [1]])
})

test('the unpublished events of an ended job include job.created and job.queued if publishing them failed', async () => {
  const { jobs, store, bus } = createMemoryJobs()
  bus.failNext(1)
  assert.equal(await jobs.create(createRecords(twoTaskGraph)), true)
  const state = await store.getState('job_1')
  assert.ok(state)
  const names = findUnpublishedEventsOfEndedJob({
    ...state,
    job: {
      ...state.job,
      status: 'cancelled',
      startedAt: timestamp(1),
      numbers: { ...state.job.numbers, started: 3 },
    },
  }).map(({ event }) => event)
  assert.deepEqual(names.slice(0, 2), ['job.created', 'job.queued'])
})

test('a job without work ends immediately', async () => {
  const { takeEvents, job } = await createJob([createStoredImport('in'), createExport('out', [0])])
  assert.deepEqual(takeEvents(), ['job.created', 'job.queued', 'job.started', 'job.completed'])
  const { result, startedAt } = await job()
  assert.deepEqual([result?.files.length, startedAt], [1, undefined])
})

test('a job is not created if another write of its transaction fails', async () => {
  const { jobs, store, takeEvents, takeSentTasks } = createMemoryJobs()
  const claim = {
    update: { pk: 'UPLOAD#upl_1', sk: 'UPLOAD' },
    change: { set: { jobId: 'job_1' } },
    if: { exists: true },
  }
  assert.equal(await jobs.create(createRecords(twoTaskGraph), [claim]), false)
  assert.deepEqual([await store.getJob('job_1'), takeEvents(), takeSentTasks()], [undefined, [], []])
})

test('a job that waits for an upload publishes job.created once and sends no tasks', async () => {
  const { takeEvents, takeSentTasks, job, wake } = await createJob([
    createAwaitedUpload('in'),
    newTask('work', [0]),
  ])
  assert.deepEqual([takeEvents(), takeSentTasks()], [['job.created'], []])
  assert.deepEqual((await job()).log, {})
  await wake(60)
  assert.deepEqual(takeEvents(), [], 'it is known to be published')
})

test('cancelling a job cancels its tasks and starts its retention time, and cancelling it again does nothing', async (t) => {
  const { jobs, job, takeEvents, wake } = await createJob()
  takeEvents()
  t.mock.timers.enable({ apis: ['Date'], now: secondsLater(100) })
  const jobBefore = await job()
  const state = await jobs.cancel('job_1', 'user')
  assert.ok(state?.tasks.every(({ status }) => status === 'cancelled'))
  const { status, cancelledBy, endedAt, expiresAt, wakeAt, unsaid, numbers, sequence, ...rest } = await job()
  assert.deepEqual(
    [status, cancelledBy, endedAt, expiresAt],
    ['cancelled', 'user', timestamp(100), timestamp(3700)],
  )
  assert.deepEqual([wakeAt, unsaid, rest.deletedAt], [expiresAt, undefined, undefined])
  assert.deepEqual([numbers['ended'], sequence], [jobBefore.sequence + 1, jobBefore.sequence + 1])
  assert.equal(takeEvents().at(-1), 'job.cancelled')
  assert.equal(await jobs.cancel('job_1', 'system'), undefined)
  assert.equal(await jobs.cancel('job_2', 'user'), undefined, 'the job does not exist')
  assert.equal((await job()).cancelledBy, 'user')
  await wake(200)
  assert.deepEqual(takeEvents(), [])
})

test('checking a cancelled job publishes its job.cancelled event if publishing it failed before', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: secondsLater(100) })
  const { jobs, job, bus, takeEvents, wake, table } = await createJob()
  takeEvents()
  bus.failNext(1)
  await assert.rejects(jobs.cancel('job_1', 'user'), /the bus rejected/)
  const { wakeAt, unsaid } = await job()
  assert.deepEqual([wakeAt, unsaid], [timestamp(115), true])
  const item = table.items.find(({ sk }) => sk === 'JOB')
  assert.equal(item?.['listKey'], 'anon_1#cancelled')
  await wake(115)
  assert.equal(takeEvents().at(-1), 'job.cancelled')
  assert.equal((await job()).unsaid, undefined)
})

test('the file.downloaded event of a job without subscribers is not published', async () => {
  const { jobs, job, bus, change } = await createJob()
  const jobBefore = await job()
  bus.publishedEvents.length = 0
  const downloadDetails = { isSigned: true, ip: '127.0.0.1' }
  await jobs.publishDownload(jobBefore, file('a.png'), downloadDetails)
  assert.deepEqual([bus.publishedEvents.length, (await job()).sequence], [0, jobBefore.sequence])
  await change({ hasWebhook: true })
  await jobs.publishDownload(await job(), file('a.png'), downloadDetails)
  assert.deepEqual([bus.publishedEvents.length, (await job()).sequence], [1, jobBefore.sequence + 1])
})

test('each file.downloaded event has its own sequence number, and none is published for a deleted or expired job', async () => {
  const { jobs, job, bus, change } = await createJob(twoTaskGraph, {
    getSubscribers: async () => () => ['webhooks'],
  })
  const jobBefore = await job()
  bus.publishedEvents.length = 0
  const downloadDetails = { isSigned: true, ip: '127.0.0.1' }
  await jobs.publishDownload(jobBefore, file('a.png'), downloadDetails)
  await jobs.publishDownload(jobBefore, file('a.png'), downloadDetails)
  assert.deepEqual(
    bus.publishedEvents.map(({ event, sequence }) => [event, sequence]),
    [
      ['file.downloaded', jobBefore.sequence + 1],
      ['file.downloaded', jobBefore.sequence + 2],
    ],
  )
  await change({ deletedAt: timestamp(5) })
  await jobs.publishDownload(jobBefore, file('a.png'), downloadDetails)
  await jobs.publishDownload({ ...jobBefore, id: 'job_2' }, file('a.png'), downloadDetails)
  await change({ status: 'expired' }, ['deletedAt'])
  await jobs.publishDownload(jobBefore, file('a.png'), downloadDetails)
  assert.equal(bus.publishedEvents.length, 2)
  assert.equal((await job()).sequence, jobBefore.sequence + 2)
})

test('a file uploaded without a job is published in a file.uploaded event', async () => {
  const { jobs, bus } = createMemoryJobs()
  await jobs.publishUpload({
    owner: 'anon_1',
    file: file('a.png'),
    occurredAt: timestamp(0),
    via: 'presigned',
  })
  const [event] = bus.publishedEvents as unknown as { event: string; file: { filename: string } }[]
  assert.deepEqual([event?.event, event?.file.filename], ['file.uploaded', 'a.png'])
})

test('the last awaited upload queues the job and sends its ready tasks', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: secondsLater(100) })
  const { jobs, job, readState, takeEvents, takeSentTasks } = await createJob([
    ...[
      createAwaitedUpload('one'),
      createAwaitedUpload('other'),
      newTask('work', [0]),
      newTask('both', [0, 1]),
    ],
  ])
  takeEvents()
  const ref = (number: number) => ({ jobId: 'job_1', task: number })
  assert.equal(await jobs.completeUpload(ref(0), { file: file('a.png') }), true)
  const [arrivedTask] = (await readState()).tasks
  const { status, percent, files, startedAt, endedAt, endedBy, form } = arrivedTask ?? {}
  assert.deepEqual(
    { status, percent, files, startedAt, endedAt, endedBy, form },
    {
      status: 'completed',
      percent: 100,
      files: [file('a.png')],
      startedAt: timestamp(100),
      endedAt: timestamp(100),
      endedBy: 'upload',
      form: undefined,
    },
  )
  assert.deepEqual([(await job()).status, takeSentTasks(), takeEvents()], ['pending', [], []])
  t.mock.timers.setTime(secondsLater(200).getTime())
  assert.equal(await jobs.completeUpload(ref(1), { file: file('b.png') }), true)
  const { wakeAt, queuedAt, waiting, numbers, sequence, ...rest } = await job()
  assert.deepEqual(
    [rest.status, queuedAt, wakeAt, waiting, numbers, sequence],
    ['queued', timestamp(200), timestamp(260), undefined, { created: 1, queued: 2 }, 2],
  )
  assert.deepEqual([takeSentTasks(), takeEvents()], [[2, 3], ['job.queued']])
  assert.equal(await jobs.completeUpload(ref(1), { file: file('c.png') }), true)
  assert.equal((await readState()).tasks[1]?.files[0]?.filename, 'b.png', 'the first file counts')
  assert.deepEqual([takeSentTasks(), takeEvents()], [[], []], 'nothing new')
})

test('a job is queued once even if its last upload is reported twice at the same time', async () => {
  const { jobs, job, bus } = await createJob([createAwaitedUpload('in'), newTask('work', [0])])
  const reportUpload = () => jobs.completeUpload({ jobId: 'job_1', task: 0 }, { file: file('a.png') })
  assert.deepEqual(await Promise.all([reportUpload(), reportUpload()]), [true, true])
  const { sequence, numbers } = await job()
  assert.deepEqual([sequence, numbers['queued']], [2, 2])
  assert.deepEqual(
    bus.events.map(({ event }) => event),
    ['job.created', 'job.queued'],
  )
})

test('repeating the completion of a failed task also cancels the dependents of its skipped dependents', async () => {
  for (const [endedBy, lastEvent] of [
    ['skip', 'cancelled'],
    ['plan', 'cancelled'],
    ['cancel', 'pending'],
  ] as const) {
    const { jobs, changeTask, readState, store, takeSentTasks } = await createJob([
      ...[createAwaitedUpload('in'), newTask('work', [0]), newTask('more', [1])],
    ])
    await changeTask(0, { status: 'failed', endedAt: timestamp(5) })
    await store.changeTask(
      { jobId: 'job_1', task: 1 },
      { set: { status: 'cancelled', endedBy, endedAt: timestamp(5) }, exclude: { open: new Set([0]) } },
    )
    assert.equal(await jobs.completeUpload({ jobId: 'job_1', task: 0 }, { error: corruptUploadError }), false)
    assert.equal((await readState()).tasks[2]?.status, lastEvent, endedBy)
    assert.deepEqual(takeSentTasks(), [])
  }
})
