import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JobsDeps } from '../../lib/jobs/jobs.ts'
import { createMemoryJobs } from './memory-jobs.ts'
import {
  complete,
  createAwaitedUpload,
  createExport,
  createRecords,
  createStoredImport,
  file,
  newTask,
  secondsLater,
  timestamp,
} from './records.ts'
import { corruptUploadError, createJob } from './support/jobs.ts'

test('checking a job publishes its job.created event if its creator failed to publish it', async () => {
  const ownJobs = createMemoryJobs()
  ownJobs.bus.failNext(1)
  await ownJobs.jobs.create(createRecords([createAwaitedUpload('in'), newTask('work', [0])]))
  assert.deepEqual(ownJobs.takeEvents(), [])
  await ownJobs.jobs.wake('job_1', secondsLater(60))
  assert.deepEqual([ownJobs.takeEvents(), (await ownJobs.store.getJob('job_1'))?.log], [['job.created'], {}])
})

test('an unusable upload fails its task and job', async () => {
  const { jobs, job, readState, takeSentTasks } = await createJob([
    createAwaitedUpload('in'),
    newTask('work', [0]),
  ])
  const hasArrived = await jobs.completeUpload({ jobId: 'job_1', task: 0 }, { error: corruptUploadError })
  assert.equal(hasArrived, false)
  const [firstTask, secondTask] = (await readState()).tasks
  assert.deepEqual(
    [firstTask?.status, firstTask?.code, secondTask?.status],
    ['failed', corruptUploadError.code, 'cancelled'],
  )
  assert.deepEqual([(await job()).status, takeSentTasks()], ['failed', []])
  assert.equal(await jobs.completeUpload({ jobId: 'job_1', task: 7 }, { error: corruptUploadError }), false)
})

test('the upload that a job awaits is looked for every minute, and the job expires after an hour', async () => {
  const checkedTaskNumbers: number[] = []
  const checkForUpload: JobsDeps['checkForUpload'] = async ({ number }) =>
    void checkedTaskNumbers.push(number)
  const { wake, job, takeEvents } = await createJob([createAwaitedUpload('in'), newTask('work', [0])], {
    checkForUpload,
  })
  takeEvents()
  await wake(3600)
  assert.deepEqual([checkedTaskNumbers, (await job()).wakeAt], [[0], timestamp(3660)])
  await wake(3601)
  const { status, expiredFor } = await job()
  assert.deepEqual([status, expiredFor, takeEvents()], ['expired', 'upload_timeout', ['job.expired']])
})

test('a job whose upload is found when the job is checked is queued, even after the upload timeout', async () => {
  const { jobs, ...own } = await createJob([createAwaitedUpload('in'), newTask('work', [0])], {
    checkForUpload: async () =>
      void (await jobs.completeUpload({ jobId: 'job_1', task: 0 }, { file: file('a.png') })),
  })
  await own.wake(4000)
  assert.deepEqual([(await own.job()).status, own.takeSentTasks()], ['queued', [1]])
})

test('checking a pending job queues it if its upload task is already complete', async () => {
  const { changeTask, wake, job, takeSentTasks } = await createJob(
    [createAwaitedUpload('in'), newTask('work', [0])],
    {
      checkForUpload: () => assert.fail('the upload is already complete'),
    },
  )
  await changeTask(0, { status: 'completed', files: [file('a.png')], endedAt: timestamp(5) })
  await wake(60)
  assert.deepEqual([(await job()).status, takeSentTasks()], ['queued', [1]])
})

test('a live job is checked at intervals that grow with its age, from five minutes to an hour', async () => {
  const { wake, job } = await createJob()
  for (const [seconds, pause] of [
    [60, 300],
    [299, 300],
    [1000, 1000],
    [3700, 3600],
  ] as const) {
    await wake(seconds)
    assert.equal((await job()).wakeAt, timestamp(seconds + pause), `after ${seconds} s`)
  }
})

test('the first check of a job republishes job.created and job.queued, and later checks do not', async () => {
  const { wake, takeEvents, takeSentTasks } = await createJob()
  assert.deepEqual([takeEvents().length, takeSentTasks()], [2, [1]])
  await wake(60)
  assert.deepEqual(
    [takeEvents(), takeSentTasks()],
    [['job.created', 'job.queued'], [1]],
    'the message may have been lost',
  )
  await wake(360)
  assert.deepEqual([takeEvents(), takeSentTasks()], [[], [1]])
})

test('checking a job counts finished tasks that were missed, and ends the job after the last task', async () => {
  const { wake, changeTask, takeSentTasks, job, takeEvents } = await createJob()
  takeSentTasks()
  const completeFields = complete(2, file('a.png'))
  await changeTask(1, completeFields)
  await wake(60)
  assert.deepEqual([takeSentTasks(), (await job()).status], [[2], 'queued'])
  await changeTask(2, completeFields)
  takeEvents()
  await wake(360)
  assert.equal((await job()).status, 'completed')
  assert.deepEqual(takeEvents().slice(-2), ['job.started', 'job.completed'])
})

test('checking a job ends it if all of its tasks have ended and been counted', async () => {
  const { wake, changeTask, change, job } = await createJob()
  for (const number of [1, 2])
    await changeTask(number, {
      status: 'completed',
      files: [],
      endedAt: timestamp(59),
      startedAt: timestamp(58),
    })
  await change({}, ['open'])
  await wake(60)
  assert.equal((await job()).status, 'completed')
})

test('a completed job is next checked at its expiry, which publishes job.expired and deletes its tasks', async () => {
  const { wake, job, takeEvents, change, readState } = await createJob([
    createStoredImport('in'),
    createExport('out', [0]),
  ])
  takeEvents()
  const expiresAt = timestamp(5000)
  await change({ expiresAt, wakeAt: timestamp(1), endedAt: timestamp(0) }, ['unsaid'])
  await wake(4999)
  assert.deepEqual([(await job()).status, (await job()).wakeAt, takeEvents()], ['completed', expiresAt, []])
  await wake(5000)
  const remainingJob = await job()
  assert.deepEqual(
    [remainingJob.status, remainingJob.expiredFor, remainingJob.wakeAt],
    ['expired', 'retention', undefined],
  )
  assert.deepEqual(takeEvents(), ['file.deleted', 'job.expired'])
  assert.deepEqual((await readState()).tasks, [])
})

test('checking a job does not change its wakeAt if the job has been deleted in the meantime', async () => {
  const { jobs, job, change, store } = await createJob([createStoredImport('in'), createExport('out', [0])])
  await change({ wakeAt: timestamp(1), expiresAt: timestamp(5000) }, ['unsaid'])
  const staleJob = await job()
  await change({ deletedAt: timestamp(2), unsaid: true, wakeAt: timestamp(17) })
  const read = store.getJob.bind(store)
  store.getJob = async () => staleJob
  await jobs.wake('job_1', secondsLater(3))
  store.getJob = read
  assert.equal((await job()).wakeAt, timestamp(17))
})

test('deleting a job deletes all of its records and files, and deleting it again does nothing', async () => {
  const { jobs, table, takeEvents, files } = await createJob()
  takeEvents()
  files.objects.set('jobs/job_1/1/a', new Uint8Array([1]))
  assert.equal(await jobs.delete('job_1'), true)
  assert.deepEqual([table.items, [...files.objects.keys()]], [[], []])
  assert.deepEqual(takeEvents().slice(-2), ['job.cancelled', 'file.deleted'])
  assert.equal(await jobs.delete('job_1'), false)
})

test('checking a job finishes its interrupted deletion', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: secondsLater(50) })
  const { jobs, bus, table, job, wake, takeEvents } = await createJob()
  takeEvents()
  bus.failNext(1)
  await assert.rejects(jobs.delete('job_1'), /the bus rejected/)
  const { wakeAt, deletedAt } = await job()
  assert.deepEqual([deletedAt, wakeAt], [timestamp(50), timestamp(65)])
  await wake(100)
  assert.deepEqual(table.items, [])
  await wake(200)
})
