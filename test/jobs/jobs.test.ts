import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JobsDeps } from '../../lib/jobs/jobs.ts'
import type { Job, JobState, Task } from '../../lib/model/job.ts'
import { memoryJobs } from './memory-jobs.ts'
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

const two = [
  createStoredImport('in'),
  newTask('first', [0]),
  newTask('second', [1]),
  createExport('out', [2]),
]

/** A created job, with its current records and published events. */
async function createJob(tasks = two, more: Partial<JobsDeps> = {}) {
  const own = memoryJobs(more)
  assert.equal(await own.jobs.create(createRecords(tasks)), true)
  const job = async (): Promise<Job> => {
    const found = await own.store.getJob('job_1')
    assert.ok(found)
    return found
  }
  const whole = async (): Promise<JobState> => {
    const found = await own.store.getState('job_1')
    assert.ok(found)
    return found
  }
  return {
    ...own,
    job,
    whole,
    change: (set: Partial<Job>, remove: string[] = []) => own.store.changeJob('job_1', { set, remove }),
    changeTask: (number: number, set: Partial<Task>) =>
      own.store.changeTask({ jobId: 'job_1', task: number }, { set }),
    wake: (seconds: number) => own.jobs.wake('job_1', secondsLater(seconds)),
  }
}
const lost = { operation: 'import/upload', code: 'CORRUPT_FILE', message: 'It is not an image.' } as const

test('a new job is published, and its ready tasks are sent', async () => {
  const { takeEvents, takeSentTasks, job } = await createJob([...two, newTask('beside', [0])])
  assert.deepEqual(takeEvents(), ['job.created', 'job.queued'])
  assert.deepEqual(takeSentTasks(), [1, 4])
  assert.equal((await job()).status, 'queued')
})

test('a job without work ends immediately', async () => {
  const { takeEvents, job } = await createJob([createStoredImport('in'), createExport('out', [0])])
  assert.deepEqual(takeEvents(), ['job.created', 'job.queued', 'job.started', 'job.completed'])
  const { result, startedAt } = await job()
  assert.deepEqual([result?.files.length, startedAt], [1, undefined])
})

test('a job is not created when another write of the transaction fails, and nothing is published', async () => {
  const { jobs, store, takeEvents, takeSentTasks } = memoryJobs()
  const claim = {
    update: { pk: 'UPLOAD#upl_1', sk: 'UPLOAD' },
    change: { set: { jobId: 'job_1' } },
    if: { exists: true },
  }
  assert.equal(await jobs.create(createRecords(two), [claim]), false)
  assert.deepEqual([await store.getJob('job_1'), takeEvents(), takeSentTasks()], [undefined, [], []])
})

test('a job that waits for an upload is published once and sends nothing', async () => {
  const { takeEvents, takeSentTasks, job, wake } = await createJob([
    createAwaitedUpload('in'),
    newTask('work', [0]),
  ])
  assert.deepEqual([takeEvents(), takeSentTasks()], [['job.created'], []])
  assert.deepEqual((await job()).log, {})
  await wake(60)
  assert.deepEqual(takeEvents(), [], 'it is known to be published')
})

test('a job is cancelled once, with its tasks, and its retention starts then', async (t) => {
  const { jobs, job, takeEvents, wake } = await createJob()
  takeEvents()
  t.mock.timers.enable({ apis: ['Date'], now: secondsLater(100) })
  const before = await job()
  const state = await jobs.cancel('job_1', 'user')
  assert.ok(state?.tasks.every(({ status }) => status === 'cancelled'))
  const { status, cancelledBy, endedAt, expiresAt, wakeAt, unsaid, numbers, sequence, ...rest } = await job()
  assert.deepEqual(
    [status, cancelledBy, endedAt, expiresAt],
    ['cancelled', 'user', timestamp(100), timestamp(3700)],
  )
  assert.deepEqual([wakeAt, unsaid, rest.deletedAt], [expiresAt, undefined, undefined])
  assert.deepEqual([numbers['ended'], sequence], [before.sequence + 1, before.sequence + 1])
  assert.equal(takeEvents().at(-1), 'job.cancelled')
  assert.equal(await jobs.cancel('job_1', 'system'), undefined)
  assert.equal(await jobs.cancel('job_2', 'user'), undefined, 'the job does not exist')
  assert.equal((await job()).cancelledBy, 'user')
  await wake(200)
  assert.deepEqual(takeEvents(), [])
})

test('the sweep soon publishes a cancellation that was not published', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: secondsLater(100) })
  const { jobs, job, bus, takeEvents, wake, table } = await createJob()
  takeEvents()
  bus.failTimes(1)
  await assert.rejects(jobs.cancel('job_1', 'user'), /the bus rejected/)
  const { wakeAt, unsaid } = await job()
  assert.deepEqual([wakeAt, unsaid], [timestamp(115), true])
  const item = table.items.find(({ sk }) => sk === 'JOB')
  assert.equal(item?.['listKey'], 'anon_1#cancelled')
  await wake(115)
  assert.equal(takeEvents().at(-1), 'job.cancelled')
  assert.equal((await job()).unsaid, undefined)
})

test('each download is published with its own sequence number, but not after a deletion', async () => {
  const { jobs, job, bus, change } = await createJob()
  const before = await job()
  bus.published.length = 0
  const facts = { signed: true, ip: '127.0.0.1' }
  await jobs.publishDownload(before, file('a.png'), facts)
  await jobs.publishDownload(before, file('a.png'), facts)
  assert.deepEqual(
    bus.published.map(({ event, sequence }) => [event, sequence]),
    [
      ['file.downloaded', before.sequence + 1],
      ['file.downloaded', before.sequence + 2],
    ],
  )
  await change({ deletedAt: timestamp(5) })
  await jobs.publishDownload(before, file('a.png'), facts)
  await jobs.publishDownload({ ...before, id: 'job_2' }, file('a.png'), facts)
  await change({ status: 'expired' }, ['deletedAt'])
  await jobs.publishDownload(before, file('a.png'), facts)
  assert.equal(bus.published.length, 2)
  assert.equal((await job()).sequence, before.sequence + 2)
})

test('an uploaded file is published, with or without a job', async () => {
  const { jobs, bus } = memoryJobs()
  await jobs.publishUpload({
    owner: 'anon_1',
    file: file('a.png'),
    occurredAt: timestamp(0),
    via: 'presigned',
  })
  const [event] = bus.published as unknown as { event: string; file: { filename: string } }[]
  assert.deepEqual([event?.event, event?.file.filename], ['file.uploaded', 'a.png'])
})

test('the last awaited upload queues the job and sends its ready tasks', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: secondsLater(100) })
  const { jobs, job, whole, takeEvents, takeSentTasks } = await createJob([
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
  const [arrived] = (await whole()).tasks
  const { status, percent, files, startedAt, endedAt, endedBy, form } = arrived ?? {}
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
  assert.equal((await whole()).tasks[1]?.files[0]?.filename, 'b.png', 'the first file counts')
  assert.deepEqual([takeSentTasks(), takeEvents()], [[], []], 'nothing new')
})

test('a job is queued once although its last upload is reported twice at once', async () => {
  const { jobs, job, bus } = await createJob([createAwaitedUpload('in'), newTask('work', [0])])
  const tell = () => jobs.completeUpload({ jobId: 'job_1', task: 0 }, { file: file('a.png') })
  assert.deepEqual(await Promise.all([tell(), tell()]), [true, true])
  const { sequence, numbers } = await job()
  assert.deepEqual([sequence, numbers['queued']], [2, 2])
  assert.deepEqual(
    bus.events.map(({ event }) => event),
    ['job.created', 'job.queued'],
  )
})

test('repeating a completion also repeats the completions that followed from it', async () => {
  for (const [endedBy, last] of [
    ['skip', 'cancelled'],
    ['plan', 'cancelled'],
    ['cancel', 'pending'],
  ] as const) {
    const { jobs, changeTask, whole, store, takeSentTasks } = await createJob([
      ...[createAwaitedUpload('in'), newTask('work', [0]), newTask('more', [1])],
    ])
    await changeTask(0, { status: 'failed', endedAt: timestamp(5) })
    await store.changeTask(
      { jobId: 'job_1', task: 1 },
      { set: { status: 'cancelled', endedBy, endedAt: timestamp(5) }, exclude: { open: new Set([0]) } },
    )
    assert.equal(await jobs.completeUpload({ jobId: 'job_1', task: 0 }, { error: lost }), false)
    assert.equal((await whole()).tasks[2]?.status, last, endedBy)
    assert.deepEqual(takeSentTasks(), [])
  }
})

test('the sweep publishes a job whose creator could not', async () => {
  const own = memoryJobs()
  own.bus.failTimes(1)
  await assert.rejects(
    own.jobs.create(createRecords([createAwaitedUpload('in'), newTask('work', [0])])),
    /the bus rejected/,
  )
  await own.jobs.wake('job_1', secondsLater(60))
  assert.deepEqual([own.takeEvents(), (await own.store.getJob('job_1'))?.log], [['job.created'], {}])
})

test('an unusable upload fails its task and job', async () => {
  const { jobs, job, whole, takeSentTasks } = await createJob([
    createAwaitedUpload('in'),
    newTask('work', [0]),
  ])
  const arrived = await jobs.completeUpload({ jobId: 'job_1', task: 0 }, { error: lost })
  assert.equal(arrived, false)
  const [first, second] = (await whole()).tasks
  assert.deepEqual([first?.status, first?.code, second?.status], ['failed', lost.code, 'cancelled'])
  assert.deepEqual([(await job()).status, takeSentTasks()], ['failed', []])
  assert.equal(await jobs.completeUpload({ jobId: 'job_1', task: 7 }, { error: lost }), false)
})

test('a job checks for awaited uploads every minute, for an hour', async () => {
  const looked: number[] = []
  const checkForUpload: JobsDeps['checkForUpload'] = async ({ number }) => void looked.push(number)
  const { wake, job, takeEvents } = await createJob([createAwaitedUpload('in'), newTask('work', [0])], {
    checkForUpload,
  })
  takeEvents()
  await wake(3600)
  assert.deepEqual([looked, (await job()).wakeAt], [[0], timestamp(3660)])
  await wake(3601)
  const { status, expiredFor } = await job()
  assert.deepEqual([status, expiredFor, takeEvents()], ['expired', 'upload_timeout', ['job.expired']])
})

test('an upload that is found by the check ends the wait, even if it is late', async () => {
  const { jobs, ...own } = await createJob([createAwaitedUpload('in'), newTask('work', [0])], {
    checkForUpload: async () =>
      void (await jobs.completeUpload({ jobId: 'job_1', task: 0 }, { file: file('a.png') })),
  })
  await own.wake(4000)
  assert.deepEqual([(await own.job()).status, own.takeSentTasks()], ['queued', [1]])
})

test('the sweep completes an upload task whose notification was lost', async () => {
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

test('the check interval of a live job is its age, from five minutes to an hour', async () => {
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

test('only the first check of a job publishes its creation again', async () => {
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

test('the sweep counts finished tasks that were not counted, and ends the job after the last one', async () => {
  const { wake, changeTask, takeSentTasks, job, takeEvents } = await createJob()
  takeSentTasks()
  const done = complete(2, file('a.png'))
  await changeTask(1, done)
  await wake(60)
  assert.deepEqual([takeSentTasks(), (await job()).status], [[2], 'queued'])
  await changeTask(2, done)
  takeEvents()
  await wake(360)
  assert.equal((await job()).status, 'completed')
  assert.deepEqual(takeEvents().slice(-2), ['job.started', 'job.completed'])
})

test('the sweep ends a job whose tasks are all over and counted', async () => {
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

test('a job that is over is checked when it expires, and is deleted then', async () => {
  const { wake, job, takeEvents, change, whole } = await createJob([
    createStoredImport('in'),
    createExport('out', [0]),
  ])
  takeEvents()
  const expiresAt = timestamp(5000)
  await change({ expiresAt, wakeAt: timestamp(1), endedAt: timestamp(0) }, ['unsaid'])
  await wake(4999)
  assert.deepEqual([(await job()).status, (await job()).wakeAt, takeEvents()], ['completed', expiresAt, []])
  await wake(5000)
  const left = await job()
  assert.deepEqual([left.status, left.expiredFor, left.wakeAt], ['expired', 'retention', undefined])
  assert.deepEqual(takeEvents(), ['file.deleted', 'job.expired'])
  assert.deepEqual((await whole()).tasks, [])
})

test('a check keeps the earlier check time of a job that was deleted meanwhile', async () => {
  const { jobs, job, change, store } = await createJob([createStoredImport('in'), createExport('out', [0])])
  await change({ wakeAt: timestamp(1), expiresAt: timestamp(5000) }, ['unsaid'])
  const stale = await job()
  await change({ deletedAt: timestamp(2), unsaid: true, wakeAt: timestamp(17) })
  const read = store.getJob.bind(store)
  store.getJob = async () => stale
  await jobs.wake('job_1', secondsLater(3))
  store.getJob = read
  assert.equal((await job()).wakeAt, timestamp(17))
})

test('deleting a job removes all its data, once', async () => {
  const { jobs, table, takeEvents, files } = await createJob()
  takeEvents()
  files.objects.set('jobs/job_1/1/a', new Uint8Array([1]))
  assert.equal(await jobs.delete('job_1'), true)
  assert.deepEqual([table.items, [...files.objects.keys()]], [[], []])
  assert.deepEqual(takeEvents().slice(-2), ['job.cancelled', 'file.deleted'])
  assert.equal(await jobs.delete('job_1'), false)
})

test('the sweep finishes an interrupted deletion', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: secondsLater(50) })
  const { jobs, bus, table, job, wake, takeEvents } = await createJob()
  takeEvents()
  bus.failTimes(1)
  await assert.rejects(jobs.delete('job_1'), /the bus rejected/)
  const { wakeAt, deletedAt } = await job()
  assert.deepEqual([deletedAt, wakeAt], [timestamp(50), timestamp(65)])
  await wake(100)
  assert.deepEqual(table.items, [])
  await wake(200)
})
