import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BusEvent } from '../../events/index.ts'
import { JobLifecycle, type JobLifecycleDeps } from '../../lib/jobs/job-lifecycle.ts'
import type { Job, JobState, Task } from '../../lib/model/job.ts'
import { createMemoryJobs } from './memory-jobs.ts'
import {
  complete,
  createExport,
  createRecords,
  createStoredImport,
  file,
  newJob,
  newTask,
  secondsLater,
  start,
  timestamp,
} from './records.ts'

test('if two processes store progress with the same timestamp, the second publishes the progress stored by the first', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: start })
  const { job } = newJob([createStoredImport('in'), newTask('work', [0])])
  const firstFact = { at: start.toISOString(), percent: 40, stage: 'convert', taskName: 'first' }
  const storedJob = { ...job, numbers: { 0: 7 }, log: { 0: firstFact }, toldPercent: 40, running: { 0: 40 } }
  const publishedEvents: BusEvent[] = []
  const lifecycle = new JobLifecycle({
    store: { changeJob: async () => ({ applied: false, record: storedJob }) },
    bus: { publish: async (events: readonly BusEvent[]) => void publishedEvents.push(...events) },
    getSubscribers: async () => () => [],
  } as unknown as JobLifecycleDeps) // a stub with only the members that are used
  await lifecycle.publishProgress(job, 0, { percent: 40, stage: 'convert', taskName: 'second' })
  assert.deepEqual(
    publishedEvents.map(({ job }) => (job as { progress: object }).progress), // typed as in the event's schema
    [{ percent: 40, stage: 'convert', taskName: 'first' }],
  )
})

const twoTaskGraph = [
  createStoredImport('in'),
  newTask('a', [0]),
  newTask('b', [1]),
  createExport('out', [2]),
]

/** Creates a running job. Each call of the returned `lifecycle` acts for another process that works on the job. */
async function createRunningJob(tasks = twoTaskGraph, isStarted = true) {
  const ownJobs = createMemoryJobs()
  await ownJobs.jobs.create(createRecords(tasks))
  const readWholeState = async (): Promise<JobState> => {
    const state = await ownJobs.store.getState('job_1')
    assert.ok(state)
    return state
  }
  const readJob = async (): Promise<Job> => (await readWholeState()).job
  const lifecycle = (isRedelivered = true) =>
    new JobLifecycle({
      store: ownJobs.store,
      bus: ownJobs.bus,
      log: silentLog,
      getSubscribers: async () => () => [],
      isRedelivered,
    } as unknown as JobLifecycleDeps)
  if (isStarted) await lifecycle().start(await readJob(), { number: 1, name: 'a' })
  ownJobs.takeEvents()
  const changeTask = (number: number, set: Partial<Task>) =>
    ownJobs.store.changeTask({ jobId: 'job_1', task: number }, { set })
  return { ...ownJobs, readState: readWholeState, job: readJob, lifecycle, change: changeTask }
}
const silentLog = { info: () => undefined }
const progress = { percent: 40, stage: 'encoding', taskName: 'a' }

test('when two processes start a job, the first one determines its start time and first task', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: secondsLater(7) })
  const { lifecycle, job, bus, takeEvents, table } = await createRunningJob(twoTaskGraph, false)
  const queuedJob = await job()
  table.isLosingResponses = true
  const firstStart = await lifecycle().start(queuedJob, { number: 1, name: 'a' })
  t.mock.timers.setTime(secondsLater(8).getTime())
  const concurrentStart = await lifecycle().start(queuedJob, { number: 2, name: 'b' })
  t.mock.timers.setTime(secondsLater(7).getTime())
  const { status, startedAt, startedWith, stage, taskName, numbers, sequence, log } = await job()
  assert.deepEqual(
    [status, startedAt, startedWith, stage, taskName, numbers['started'], sequence],
    ['processing', timestamp(7), 1, 'convert', 'a', queuedJob.sequence + 1, queuedJob.sequence + 1],
  )
  assert.deepEqual(
    [log['started'], firstStart, concurrentStart],
    [{ at: timestamp(7) }, await job(), await job()],
  )
  const [event] = bus.publishedEvents as unknown as {
    job: { startedAt: string; tasks: Record<string, object> }
  }[]
  assert.deepEqual(
    [event?.job.startedAt, event?.job.tasks['a']],
    [timestamp(7), { operation: 'convert', status: 'processing' }],
  )
  assert.deepEqual(takeEvents(), ['job.started'])
  const simultaneousStart = await lifecycle().start(queuedJob, { number: 2, name: 'b' })
  assert.deepEqual([simultaneousStart?.startedWith, takeEvents()], [1, []])
  assert.equal(await lifecycle().start({ ...queuedJob, id: 'job_2' }, { number: 1, name: 'a' }), undefined)
})

test('job progress is not published if its percent is unchanged or the job has ended, and stale progress does not reduce it', async () => {
  const { lifecycle, job, takeEvents, store } = await createRunningJob()
  const ownLifecycle = lifecycle()
  await ownLifecycle.publishProgress(await job(), 1, { ...progress, percent: 0 })
  assert.deepEqual(takeEvents(), ['job.progress'], 'the first progress of a task')
  assert.equal((await ownLifecycle.publishProgress(await job(), 1, progress))?.toldPercent, 20)
  assert.equal(
    await ownLifecycle.publishProgress(await job(), 1, { ...progress, percent: 41 }),
    undefined,
    'the percent of the job is unchanged',
  )
  const staleJob = await job()
  await ownLifecycle.publishProgress(await job(), 1, { ...progress, percent: 120 })
  const { toldPercent, running } = await job()
  assert.deepEqual([toldPercent, running, takeEvents()], [49, { 1: 99 }, ['job.progress', 'job.progress']])
  await ownLifecycle.publishProgress(staleJob, 1, { ...progress, percent: 60 })
  assert.equal((await job()).toldPercent, 49)
  takeEvents()
  await store.changeJob('job_1', { set: { status: 'completed' } })
  await ownLifecycle.publishProgress(await job(), 2, { ...progress, percent: 90 })
  assert.deepEqual([(await job()).toldPercent, takeEvents()], [49, []])
})

test('the percent of a job.progress event includes the progress of other running tasks', async () => {
  const { lifecycle, job, bus } = await createRunningJob([...twoTaskGraph, newTask('beside', [0])])
  const ownLifecycle = lifecycle()
  await ownLifecycle.publishProgress(await job(), 1, { ...progress, percent: 60 })
  await ownLifecycle.publishProgress(await job(), 4, {
    ...progress,
    percent: 60,
    taskName: 'beside',
    stage: 'reading',
  })
  const lastEvent = bus.publishedEvents.at(-1) as unknown as { job: { progress: object } }
  assert.deepEqual(lastEvent.job.progress, { percent: 40, stage: 'reading', taskName: 'beside' })
  const { running, stage, taskName, log } = await job()
  assert.deepEqual([running, stage, taskName], [{ 1: 60, 4: 60 }, 'reading', 'beside'])
  assert.deepEqual(Object.keys(log).sort(), ['1', '4', 'started'])
})

test('a process that replaces the stored progress of another process first publishes that progress again', async () => {
  const { lifecycle, job, takeEvents } = await createRunningJob()
  const [ownLifecycle, otherLifecycle] = [lifecycle(), lifecycle()]
  await ownLifecycle.publishProgress(await job(), 1, progress)
  await ownLifecycle.publishProgress(await job(), 1, { ...progress, percent: 60 })
  assert.deepEqual(takeEvents(), ['job.progress', 'job.progress'])
  await otherLifecycle.publishProgress(await job(), 1, { ...progress, percent: 80 })
  assert.deepEqual(takeEvents(), ['job.progress', 'job.progress'])
})

test('progress that is based on an outdated job record does not replace newer stored progress', async () => {
  const { lifecycle, job, takeEvents } = await createRunningJob()
  const jobBefore = await job()
  await lifecycle().publishProgress(jobBefore, 1, { ...progress, percent: 40 })
  const firstJob = await job()
  await lifecycle().publishProgress(jobBefore, 1, { ...progress, percent: 80 })
  assert.deepEqual(await job(), firstJob)
  takeEvents()
  await lifecycle().publishProgress(
    { ...firstJob, log: { ...firstJob.log, 1: { at: timestamp(-5), percent: 1 } } },
    1,
    {
      ...progress,
      percent: 80,
    },
  )
  assert.deepEqual(await job(), firstJob)
})

test('the progress of a large job is published at most every two seconds, whichever process reports it', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: secondsLater(100) })
  const manyTasks = [
    createStoredImport('in'),
    ...Array.from({ length: 150 }, (_, at) => newTask(`t${at}`, [0])),
  ]
  const { lifecycle, readState, takeEvents, job } = await createRunningJob(manyTasks)
  const [firstTask] = (await readState()).tasks
  assert.ok(firstTask)
  const [ownLifecycle, otherLifecycle] = [lifecycle(), lifecycle()]
  const publishAt = (one: JobLifecycle, atMs: number, percent: number) => {
    t.mock.timers.setTime(secondsLater(100).getTime() + atMs)
    return one.publishUnitProgress(firstTask, 0, percent)
  }
  await publishAt(ownLifecycle, 1999, 10)
  assert.deepEqual(takeEvents(), [], 'its start was just published')
  await publishAt(ownLifecycle, 3998, 10)
  assert.deepEqual(takeEvents(), [], 'this process has just checked')
  await publishAt(ownLifecycle, 3999, 20)
  assert.deepEqual([takeEvents(), (await job()).running], [['job.progress'], { 0: 20 }])
  const { stage, taskName } = await job()
  assert.deepEqual([stage, taskName], ['convert', 't0'])
  await publishAt(otherLifecycle, 5998, 30)
  assert.deepEqual(takeEvents(), [])
  await publishAt(lifecycle(), 5999, 30.9)
  assert.deepEqual([takeEvents().at(-1), (await job()).running], ['job.progress', { 0: 30 }])
  await lifecycle().publishUnitProgress({ ...firstTask, jobId: 'job_2' }, 0, 50)
  assert.deepEqual(takeEvents(), [])
})

test('the wakeAt of an ended job is its expiry, unless its end event is unpublished and no message will be redelivered', async () => {
  for (const isRedelivered of [true, false]) {
    const { lifecycle, change, job, takeEvents, bus } = await createRunningJob()
    for (const number of [1, 2]) await change(number, complete(5, file('a.png')))
    bus.failNext(1)
    await assert.rejects(lifecycle(isRedelivered).finish('job_1'), /the bus rejected/)
    const { status, unsaid, wakeAt, expiresAt, endedAt } = await job()
    assert.deepEqual([status, unsaid], ['completed', isRedelivered ? undefined : true])
    const inS = (Date.parse(wakeAt ?? '') - Date.parse(endedAt ?? '')) / 1000
    if (isRedelivered) assert.equal(wakeAt, expiresAt, 'its message is delivered again')
    else assert.ok(inS >= 15 && inS < 30, `${inS} s`)
    await lifecycle().finish('job_1')
    assert.deepEqual(takeEvents(), [], 'the job is over')
    await lifecycle().republishEnd('job_1')
    assert.equal(takeEvents().at(-1), 'job.completed')
    assert.deepEqual([(await job()).unsaid, (await job()).wakeAt], [undefined, expiresAt])
  }
})

test('republishing the outcome of a job does not change the job if it has been deleted in the meantime', async () => {
  const { lifecycle, store, job, readState, takeEvents } = await createRunningJob()
  await store.changeJob('job_1', {
    set: {
      status: 'cancelled',
      endedAt: timestamp(5),
      unsaid: true,
      deletedAt: timestamp(6),
      wakeAt: timestamp(7),
    },
  })
  await lifecycle().republishEnd('job_1')
  assert.equal(takeEvents().at(-1), 'job.cancelled')
  const { unsaid, wakeAt } = await job()
  assert.deepEqual([unsaid, wakeAt], [true, timestamp(7)])
  assert.ok(
    (await readState()).tasks.every(({ status, endedBy }) => status === 'cancelled' && endedBy === 'cancel'),
  )
})

test('no end event is published for a missing, unfinished or expired job', async () => {
  const { lifecycle, store, takeEvents } = await createRunningJob()
  await lifecycle().republishEnd('job_2')
  await lifecycle().finish('job_2')
  await lifecycle().republishEnd('job_1')
  await store.changeJob('job_1', { set: { status: 'expired', endedAt: timestamp(5) } })
  await lifecycle().republishEnd('job_1')
  assert.deepEqual(takeEvents(), [])
})

test('cancelling a job keeps ended tasks and cancels all other tasks and their chunks', async () => {
  const { lifecycle, readState, change, store } = await createRunningJob()
  const state = await readState()
  await change(1, { ...complete(5, file('a.png')), endedBy: 'lease_1' })
  const [firstTask] = state.tasks
  assert.ok(firstTask)
  const chunk: Task = { ...firstTask, number: 2, part: 1000 }
  await store.addChunks([chunk])
  await lifecycle().cancelTasks({ ...state, chunks: [chunk] })
  const { tasks, chunks } = await readState()
  assert.deepEqual(
    [...tasks, ...chunks].map(({ status, endedBy }) => [status, endedBy]),
    [
      ['completed', 'lease_1'],
      ['cancelled', 'cancel'],
      ['cancelled', 'cancel'],
    ],
  )
})

test('if a job starts while another process ends it, its start gets a single sequence number', async () => {
  const { lifecycle, store, job, readState, takeEvents, change } = await createRunningJob(twoTaskGraph, false)
  for (const number of [1, 2]) await change(number, complete(5, file('a.png')))
  const staleState = await readState()
  const read = store.getState.bind(store)
  let isRead = false
  store.getState = async (id) => {
    if (isRead) return read(id)
    isRead = true
    await lifecycle().start(staleState.job, { number: 1, name: 'a' })
    return staleState
  }
  await lifecycle().finish('job_1')
  const { status, numbers, sequence } = await job()
  assert.deepEqual(
    [status, numbers, sequence],
    ['completed', { created: 1, queued: 2, started: 3, ended: 4 }, 4],
  )
  assert.deepEqual(takeEvents().filter((name) => name === 'job.completed').length, 1)
})

test('the progress of a task is not published if another task has raised the percent of the job in the meantime', async () => {
  const { lifecycle, job, takeEvents } = await createRunningJob([...twoTaskGraph, newTask('beside', [0])])
  const jobBefore = await job()
  await lifecycle().publishProgress(jobBefore, 4, { ...progress, percent: 90, taskName: 'beside' })
  takeEvents()
  const lateResult = await lifecycle().publishProgress(jobBefore, 1, { ...progress, percent: 60 })
  assert.deepEqual([lateResult, takeEvents()], [await job(), []])
  assert.deepEqual((await job()).running, { 4: 90 })
})

test('the outcome of a job is published once even if the first response to each table write is lost', async () => {
  const { lifecycle, change, takeEvents, table, job } = await createRunningJob()
  for (const number of [1, 2]) await change(number, complete(5, file('a.png')))
  table.isLosingResponses = true
  await lifecycle(false).finish('job_1')
  const { sequence, numbers, unsaid } = await job()
  assert.deepEqual([sequence, numbers['ended'], unsaid], [4, 4, undefined])
  assert.equal(takeEvents().filter((name) => name === 'job.completed').length, 1)
})

test('republishing the outcome of a job does not change its wakeAt if the job has expired in the meantime', async () => {
  const { lifecycle, store, readState } = await createRunningJob(
    [createStoredImport('in'), createExport('out', [0])],
    false,
  )
  const staleState = await readState()
  await store.changeJob('job_1', { set: { status: 'expired', unsaid: true, wakeAt: timestamp(9) } })
  store.getState = async () => ({ ...staleState, job: { ...staleState.job, unsaid: true } })
  await lifecycle().republishEnd('job_1')
  const remainingJob = await store.getJob('job_1')
  assert.deepEqual([remainingJob?.wakeAt, remainingJob?.unsaid], [timestamp(9), true])
})

test('chunks left after all tasks of a job have ended are cancelled with a timestamp, and cancelled only once', async () => {
  const { lifecycle, readState, store, table, change } = await createRunningJob()
  for (const number of [1, 2]) await change(number, complete(5, file('a.png')))
  const [firstTask] = (await readState()).tasks
  assert.ok(firstTask)
  await store.addChunks([{ ...firstTask, status: 'processing', endedAt: undefined, part: 1000 }])
  const over = await lifecycle().endAllTasks(await readState())
  const [chunk] = over.chunks
  assert.equal(chunk?.status, 'cancelled')
  assert.ok(chunk.endedAt)
  const itemsBefore = table.items
  let writes = 0
  const changeTask = store.changeTask.bind(store)
  store.changeTask = async (...args) => {
    writes += 1
    return changeTask(...args)
  }
  await lifecycle().cancelTasks(over)
  assert.deepEqual([table.items, writes], [itemsBefore, 0])
  const missingJobState = { ...over, job: { ...over.job, id: 'job_2' }, tasks: [firstTask], chunks: [] }
  assert.deepEqual(
    await lifecycle().endAllTasks({ ...missingJobState, tasks: [{ ...firstTask, status: 'pending' }] }),
    {
      ...missingJobState,
      tasks: [{ ...firstTask, status: 'pending' }],
    },
  )
})
