import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../lib/errors.ts'
import type { JobsDeps } from '../../lib/jobs/jobs.ts'
import { createChunkRecord, type NewTask } from '../../lib/jobs/task-graph.ts'
import type { Job, Task } from '../../lib/model/job.ts'
import { createMemoryJobs } from './memory-jobs.ts'
import {
  complete,
  createExport,
  createRecords,
  createStoredImport,
  fail,
  file,
  newTask,
  timestamp,
} from './records.ts'

/** Creates a job whose tasks are ended by the test, in any order. */
async function createJob(tasks: readonly NewTask[], moreDeps: Partial<JobsDeps> = {}) {
  const ownJobs = createMemoryJobs(moreDeps)
  const { jobs, store, takeSentTasks, takeEvents, bus } = ownJobs
  await jobs.create(createRecords(tasks))
  takeSentTasks()
  takeEvents()
  bus.publishedEvents.length = 0
  const ref = (number: number) => ({ jobId: 'job_1', task: number })
  const readExistingTask = async (number: number): Promise<Task> => {
    const one = await store.getTask(ref(number))
    assert.ok(one)
    return one
  }
  const readJob = async (): Promise<Job> => {
    const foundJob = await store.getJob('job_1')
    assert.ok(foundJob)
    return foundJob
  }
  const changeTask = (number: number, set: Partial<Task>) => store.changeTask(ref(number), { set })
  return {
    ...ownJobs,
    job: readJob,
    readTask: readExistingTask,
    change: changeTask,
    repeatEnd: async (number: number, isRepeat = false) =>
      jobs.completion.completeTask(await readExistingTask(number), { isRepeat }),
    end: async (number: number, set: Partial<Task> = complete(5, file(`${number}.png`))) => {
      await changeTask(number, set)
      await jobs.completion.completeTask(await readExistingTask(number), { isRepeat: false })
    },
  }
}
const diamondGraph = [
  createStoredImport('in'),
  newTask('a', [0]),
  newTask('b', [0]),
  newTask('both', [1, 2]),
  createExport('out', [3]),
]

test('a task is sent when its last input completes, and again if that completion is repeated', async () => {
  const { end, repeatEnd, change, takeSentTasks } = await createJob(diamondGraph)
  await end(1)
  assert.deepEqual(takeSentTasks(), [])
  await end(2)
  assert.deepEqual(takeSentTasks(), [3])
  await repeatEnd(2, true)
  assert.deepEqual(takeSentTasks(), [3], 'the message may have been lost')
  await change(3, { status: 'processing' })
  await repeatEnd(2, true)
  assert.deepEqual(takeSentTasks(), [])
})

test('the last task ends its job, and repeating the completion of that task publishes job.completed again', async () => {
  const { end, repeatEnd, takeEvents, job } = await createJob(diamondGraph)
  for (const number of [1, 2]) await end(number)
  assert.deepEqual([takeEvents(), (await job()).status], [[], 'queued'])
  await end(3)
  assert.deepEqual([takeEvents(), (await job()).status], [['job.started', 'job.completed'], 'completed'])
  await repeatEnd(3)
  assert.deepEqual(takeEvents(), [])
  await repeatEnd(3, true)
  assert.equal(takeEvents().at(-1), 'job.completed')
})

test('a failed task cancels all tasks that need its files', async () => {
  const { end, readTask, takeSentTasks, job } = await createJob([...diamondGraph, newTask('last', [3])])
  await end(1, fail(3, 'It is cut off.'))
  for (const number of [3, 5]) {
    const { status, code, endedBy, endedAt, startedAt } = await readTask(number)
    assert.deepEqual(
      [status, code, endedBy, startedAt],
      ['cancelled', 'INPUT_TASK_FAILED', 'skip', undefined],
    )
    assert.ok(endedAt)
  }
  assert.deepEqual([(await job()).status, takeSentTasks()], ['queued', []])
  await end(2)
  const { status, error } = await job()
  assert.deepEqual([status, error?.message, error?.details?.['task']], ['failed', 'It is cut off.', 'a'])
})

test('a task that cannot be planned fails with the reason, unless it has already ended', async () => {
  const route = async () => {
    throw new AppError('UNSUPPORTED_CONVERSION', 'No engine reads it.', { field: 'input' })
  }
  const { jobs, readTask, change, job } = await createJob(
    [createStoredImport('in'), newTask('a', [0]), newTask('b', [1])],
    {
      taskSender: { route, retryQueue: (queue) => queue },
    },
  )
  const [a, b] = [await readTask(1), await readTask(2)]
  assert.deepEqual(
    [a.status, a.code, a.message, a.details, a.endedBy],
    ['failed', 'UNSUPPORTED_CONVERSION', 'No engine reads it.', { field: 'input' }, 'plan'],
  )
  assert.deepEqual([b.status, (await job()).status], ['cancelled', 'failed'])
  await change(1, { status: 'completed', endedBy: 'lease_1' })
  await jobs.completion.sendTask(await readTask(1))
  assert.equal((await readTask(1)).status, 'completed')
})

test('tasks that are sent together go to their own queues, in the message group of their owner', async () => {
  const sentBatches: unknown[] = []
  const { jobs, queues, store } = await createJob(diamondGraph, {
    taskSender: {
      route: async ({ number }) => ({
        queue: number === 1 ? 'image' : 'av',
        message: { jobId: 'job_1', task: number },
      }),
      retryQueue: (queue) => queue,
    },
  })
  queues.send = async (queue, messages, group) =>
    void sentBatches.push([queue, messages.map(({ task: number }) => number), group])
  const state = await store.getState('job_1')
  assert.ok(state)
  await jobs.completion.sendTasks(state.tasks, state)
  assert.deepEqual(sentBatches, [
    ['image', [1], 'anon_1'],
    ['av', [2, 3], 'anon_1'],
  ])
})

test('a task with one input is sent with the input files, while a task with several inputs looks the files up', async () => {
  const inputsOfTask: unknown[] = []
  const { end } = await createJob(
    [createStoredImport('in'), newTask('a', [0]), newTask('b', [1]), newTask('c', [1, 0])],
    {
      taskSender: {
        route: async ({ number }, at) => {
          inputsOfTask.push([number, at?.tasks.map((task) => [task.number, task.status])])
          return { queue: 'image', message: { jobId: 'job_1', task: number } }
        },
        retryQueue: (queue) => queue,
      },
    },
  )
  inputsOfTask.length = 0
  await end(1)
  assert.deepEqual(inputsOfTask, [
    [2, [[1, 'completed']]],
    [3, undefined],
  ])
})

test('a completed import/url task publishes a file.uploaded event for each file, and a conversion publishes none', async () => {
  const fetchTask = newTask('fetch', [], { operation: 'import/url' })
  const { end, takeEvents, bus, repeatEnd, store } = await createJob([
    fetchTask,
    newTask('a', [0]),
    newTask('b', [1]),
  ])
  await end(0, complete(5, file('a.png'), file('b.png')))
  assert.deepEqual(takeEvents(), ['file.uploaded', 'file.uploaded'])
  await end(1)
  assert.deepEqual(takeEvents(), [])
  await store.deleteJob('job_1')
  await repeatEnd(0, true)
  assert.deepEqual([takeEvents(), bus.events.length], [[], 4], 'their owner is unknown')
})

test('only the process that published an event removes it from the job record when a task ends', async () => {
  for (const isSamePublisher of [true, false]) {
    const { jobs, end, readTask, job, ...own } = await createJob([...diamondGraph, newTask('beside', [0])])
    const firstTask = await readTask(1)
    const publisher = isSamePublisher
      ? jobs.completion
      : createMemoryJobs({ store: own.store }).jobs.completion
    const startedJob = await publisher.lifecycle.start(await job(), firstTask)
    assert.ok(startedJob)
    await publisher.lifecycle.publishProgress(startedJob, 1, { percent: 40, stage: 'convert', taskName: 'a' })
    const jobBefore = await job()
    assert.deepEqual([Object.keys(jobBefore.log).sort(), jobBefore.running], [['1', 'started'], { 1: 40 }])
    await end(1)
    const { log, running } = await job()
    assert.deepEqual([Object.keys(log).sort(), running], [isSamePublisher ? [] : ['1', 'started'], {}])
  }
})

test('a fail-fast job cancels its running tasks after the first failure', async () => {
  const ownJobs = createMemoryJobs()
  await ownJobs.jobs.create(createRecords(diamondGraph, { failFast: true }))
  const ref = { jobId: 'job_1', task: 1 }
  await ownJobs.store.changeTask(
    { ...ref, task: 2 },
    { set: { status: 'processing', leaseId: 'l', leaseUntil: timestamp(9) } },
  )
  const { record } = await ownJobs.store.changeTask(ref, { set: fail(5, 'It is cut off.') })
  assert.ok(record)
  await ownJobs.jobs.completion.completeTask(record, { isRepeat: false })
  const state = await ownJobs.store.getState('job_1')
  assert.equal(state?.job.status, 'failed')
  assert.deepEqual(
    state?.tasks.map(({ status, leaseId, leaseUntil }) => [status, leaseId, leaseUntil]),
    [
      ['failed', undefined, undefined],
      ['cancelled', undefined, undefined],
      ['cancelled', undefined, undefined],
    ],
  )
})

test('a completed chunk publishes progress or sends its task to be joined; a failed chunk retries or fails the task', async () => {
  const split = async () => {
    const ownJob = await createJob([createStoredImport('in'), newTask('a', [0]), newTask('b', [1])])
    await ownJob.jobs.completion.lifecycle.start(await ownJob.job(), await ownJob.readTask(1))
    // The start is long enough ago for progress to be published.
    await ownJob.store.changeJob('job_1', { set: { 'log.started': { at: timestamp(0) } } })
    await ownJob.change(1, {
      status: 'processing',
      expandedBy: 1,
      partCount: 2,
      open: new Set([1000, 1001]),
    })
    ownJob.takeEvents()
    const base = await ownJob.readTask(1)
    const endChunk = async (chunkNumber: number, set: Partial<Task>) => {
      const chunk = { ...createChunkRecord(base, chunkNumber, {}, new Date()), ...set }
      await ownJob.store.addChunks([chunk])
      await ownJob.jobs.completion.completeTask(chunk, { isRepeat: false })
    }
    return { ...ownJob, endChunk }
  }
  const completedSplit = await split()
  await completedSplit.endChunk(1000, { status: 'completed' })
  assert.deepEqual(
    [completedSplit.takeSentTasks(), completedSplit.takeEvents(), (await completedSplit.job()).running],
    [[], ['job.progress'], { 1: 45 }],
  )
  await completedSplit.endChunk(1001, { status: 'completed' })
  assert.deepEqual([completedSplit.takeSentTasks(), completedSplit.takeEvents()], [[1], []])
  const unreadableSplit = await split()
  await unreadableSplit.endChunk(1000, fail(5, 'It timed out.'))
  // After an unreadable chunk, the task is sent again for another engine. After a timeout, as below, the task fails.
  assert.deepEqual(
    [unreadableSplit.takeSentTasks(), (await unreadableSplit.readTask(1)).status],
    [[1], 'pending'],
  )
  const timedOutSplit = await split()
  await timedOutSplit.endChunk(1000, { ...fail(5, 'It timed out.'), code: 'TIMEOUT' })
  assert.deepEqual(
    [
      timedOutSplit.takeSentTasks(),
      (await timedOutSplit.job()).status,
      (await timedOutSplit.readTask(2)).status,
    ],
    [...[[], 'failed', 'cancelled']],
  )
})

test('the progress of a large job is calculated from its join buckets', async () => {
  const manyTasks = Array.from({ length: 150 }, (_, at) => newTask(`t${at}`, [0]))
  const { end, takeEvents, job } = await createJob([createStoredImport('in'), ...manyTasks])
  // The start of the job is not published yet.
  await end(101)
  assert.deepEqual([takeEvents(), (await job()).running], [[], {}], 'it has not started')
  const otherJob = await createJob([createStoredImport('in'), ...manyTasks])
  await otherJob.jobs.completion.lifecycle.start(await otherJob.job(), { number: 101, name: 't100' })
  await otherJob.store.changeJob('job_1', { set: { 'log.started': { at: timestamp(0) } } })
  otherJob.takeEvents()
  await otherJob.end(101)
  assert.deepEqual([otherJob.takeEvents(), (await otherJob.job()).running], [['job.progress'], { 1: 1 }])
})
