import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SignatureRejectedError } from '../../lib/aws/signed-files.ts'
import { AppError } from '../../lib/errors.ts'
import { TransientError } from '../../lib/jobs/failure.ts'
import { doneOutcome, type TaskHandler, WorkerStoppedError } from '../../lib/jobs/run/claimed-task.ts'
import { ConcurrencySlots } from '../../lib/jobs/run/concurrency-slots.ts'
import { LeaseLostError } from '../../lib/jobs/run/lease.ts'
import { runTask } from '../../lib/jobs/run/run-task.ts'
import type { TaskRun } from '../../lib/jobs/run/task-run.ts'
import { createChunkRecord } from '../../lib/jobs/task-graph.ts'
import { createLog } from '../../lib/log.ts'
import type { Task } from '../../lib/model/job.ts'
import type { Services } from '../../lib/services/services.ts'
import { createMemoryJobs } from './memory-jobs.ts'
import {
  complete,
  createRecords,
  createStoredImport,
  file,
  newTask,
  secondsLater,
  timestamp,
} from './records.ts'

const log = createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined })
const config = { ANONYMOUS_PLAN: 'free' }

/** Creates a job with two tasks. The returned `run` handles a message for the first of them. */
async function createJob(concurrentJobs: number | null = null) {
  const ownJobs = createMemoryJobs()
  const { jobs, table, queues, files } = ownJobs
  await jobs.create(createRecords([createStoredImport('in'), newTask('a', [0]), newTask('b', [1])]))
  queues.dropAll()
  ownJobs.takeEvents()
  const services = { jobs, table, queues, files, log, config, plans: { free: { concurrentJobs } } }
  const ref = { jobId: 'job_1', task: 1 }
  return {
    ...ownJobs,
    ref,
    slots: new ConcurrencySlots(services as unknown as Services), // a stub with only the members that are used
    change: (set: Partial<Task>) => ownJobs.store.changeTask(ref, { set }),
    found: async () => {
      const taskRecord = await ownJobs.store.getTask(ref)
      assert.ok(taskRecord)
      return taskRecord
    },
    run: (handler: TaskHandler = async () => doneOutcome) =>
      runTask(
        { ref, services, queue: 'image', extendVisibility: async () => {} } as unknown as TaskRun,
        handler,
      ),
  }
}
const failIfRun: TaskHandler = () => assert.fail('no work must be done')
const failWith =
  (error: unknown): TaskHandler =>
  () =>
    Promise.reject(error)

test('a task message is processed by claiming its task and running it with its inputs', async () => {
  const { run, found } = await createJob()
  const outcome = await run(async (_, { task: one, state, lease }) => {
    assert.deepEqual([one.status, one.attempt, state.fixed.length], ['processing', 1, 1])
    return (await lease.finish({ status: 'completed', files: [] }))
      ? doneOutcome
      : { done: false, retryInS: 9 }
  })
  assert.deepEqual([outcome, (await found()).status], [doneOutcome, 'completed'])
})

test('a message for a task that another worker runs is delivered again when the lease has expired', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: secondsLater(0) })
  const { run, change } = await createJob()
  for (const [leftMs, retryInS] of [
    [9500, 11],
    [500, 2],
  ] as const) {
    const leaseUntil = timestamp(leftMs / 1000)
    await change({ status: 'processing', leaseId: 'other', leaseUntil })
    assert.deepEqual(await run(failIfRun), { done: false, retryInS })
  }
})

test('a message for a missing, waiting or finished task runs nothing, but repeats the completion of a finished task', async () => {
  const { run, change, takeSentTasks, store } = await createJob()
  await change({ open: new Set([0]) })
  assert.deepEqual([await run(failIfRun), takeSentTasks()], [doneOutcome, []])
  await change(complete(5, file('a.png')))
  const [chunk] = [
    createChunkRecord((await store.getTask({ jobId: 'job_1', task: 1 })) as Task, 1000, {}, secondsLater(0)),
  ]
  await store.addChunks([chunk])
  await change({ expandedBy: 1 })
  assert.deepEqual([await run(failIfRun), takeSentTasks()], [doneOutcome, [2]])
  assert.deepEqual(await store.getChunks(chunk), [], 'its chunks are deleted')
  const goneJob = await createJob()
  await goneJob.store.deleteTasks({ job: { id: 'job_1', total: 3 } } as never)
  assert.deepEqual(await goneJob.run(failIfRun), doneOutcome)
})

test('handling a message for a split task sends the pending chunks of the task', async () => {
  const { run, change, found, queues, store } = await createJob()
  await change({ status: 'processing', expandedBy: 1, partCount: 1, open: new Set([1000]) })
  await store.addChunks([createChunkRecord(await found(), 1000, {}, secondsLater(0))])
  assert.deepEqual(await run(failIfRun), doneOutcome)
  assert.deepEqual(
    queues.bodies.map((body) => JSON.parse(body).part),
    [1000],
  )
})

test('a task is not run if its job has ended', async () => {
  const { run, store } = await createJob()
  await store.changeJob('job_1', { set: { status: 'cancelled' } })
  assert.deepEqual(await run(failIfRun), doneOutcome)
  const deletedJob = await createJob()
  await deletedJob.store.deleteJob('job_1')
  assert.deepEqual(await deletedJob.run(failIfRun), doneOutcome)
})

test('an AppError fails a task immediately, with its details and warnings', async () => {
  const { run, found, change } = await createJob()
  const warnings = [{ code: 'REDUCED', message: 'Less.' }]
  await change({ warnings })
  const outcome = await run(failWith(new AppError('CORRUPT_FILE', 'It is cut off.', { at: 7 })))
  const { status, code, message, details, warnings: taskWarnings, attempt } = await found()
  assert.deepEqual(
    [outcome, status, code, message, details, taskWarnings, attempt],
    [doneOutcome, 'failed', 'CORRUPT_FILE', 'It is cut off.', { at: 7 }, warnings, 1],
  )
})

test('a task that fails with an error other than AppError is retried after the requested delay, up to three attempts', async () => {
  const { run, found } = await createJob()
  const transientError = new TransientError(new AppError('IMPORT_FAILED', 'It is unavailable.'), 30)
  const retriedRuns = [await run(failWith(new Error('broken'))), await run(failWith(transientError))]
  assert.deepEqual(retriedRuns, [
    { done: false, retryInS: 0 },
    { done: false, retryInS: 30 },
  ])
  assert.deepEqual([(await found()).status, (await found()).attempt], ['pending', 2])
  assert.deepEqual(await run(failWith(transientError)), doneOutcome)
  const { status, code, message } = await found()
  assert.deepEqual([status, code, message], ['failed', 'IMPORT_FAILED', 'It is unavailable.'])
})

test('a task whose presigned URLs are rejected is sent back to be signed again', async () => {
  const { run } = await createJob()
  assert.deepEqual(await run(failWith(new SignatureRejectedError())), {
    done: false,
    resend: 'signed',
    retryInS: 0,
  })
})

test('a worker that stops or cannot reach the table costs the task no attempt', async () => {
  const { run, found, store } = await createJob()
  assert.deepEqual(await run(failWith(new WorkerStoppedError())), { done: false, retryInS: 0 })
  assert.deepEqual([(await found()).status, (await found()).attempt], ['pending', 0])
  const unavailableError = new Error('the table is unavailable')
  const getInputs = store.getInputs.bind(store)
  store.getInputs = () => Promise.reject(unavailableError)
  await assert.rejects(run(failIfRun), unavailableError)
  store.getInputs = getInputs
  assert.deepEqual([(await found()).status, (await found()).attempt], ['pending', 0])
})

test('a worker abandons a task that another worker has taken over', async () => {
  const { run, found, change } = await createJob()
  const outcome = await run(async () => {
    await change({ leaseId: 'other' })
    throw new LeaseLostError()
  })
  assert.deepEqual([outcome, (await found()).leaseId], [doneOutcome, 'other'])
})

test('a task outcome that another worker has stored is not replaced, and the task message is delivered again', async () => {
  const { run, found, change } = await createJob()
  const outcome = await run(async () => {
    await change({ status: 'completed' })
    throw new AppError('CORRUPT_FILE', 'It is cut off.')
  })
  assert.deepEqual([outcome, (await found()).status], [{ done: false, retryInS: 0 }, 'completed'])
})

test('a task without a concurrency slot waits, without using up an attempt, until another job ends', async () => {
  const { run, found, slots, jobs, store, takeSentTasks, ref } = await createJob(1)
  await jobs.create(createRecords([createStoredImport('in'), newTask('a', [0])], { id: 'job_2' }))
  takeSentTasks()
  const [otherJob, ownJob] = [await store.getJob('job_2'), await store.getJob('job_1')]
  assert.ok(otherJob && ownJob)
  assert.equal(await slots.acquire(otherJob, { ...ref, jobId: 'job_2' }, 'image'), true)
  assert.deepEqual(await run(failIfRun), doneOutcome)
  assert.deepEqual([(await found()).status, (await found()).attempt], ['pending', 0])
  // A job that has ended passes its slot to the next one.
  await store.changeJob('job_2', { set: { status: 'cancelled', endedAt: timestamp(5) } })
  await slots.release(otherJob)
  assert.deepEqual(takeSentTasks(), [1])
  let hasSlot = false
  await run(async (_, { lease }) => {
    hasSlot = await slots.acquire(ownJob, ref, 'image')
    await lease.finish({ status: 'completed', files: [] })
    return doneOutcome
  })
  assert.equal(hasSlot, true)
})

test('a worker whose task or job has ended passes the concurrency slot to the next job', async () => {
  for (const situation of ['ends', 'finds it over', 'finds its job over'] as const) {
    const { run, slots, jobs, store, takeSentTasks, ref, change } = await createJob(1)
    await jobs.create(createRecords([createStoredImport('in'), newTask('a', [0])], { id: 'job_2' }))
    takeSentTasks()
    const [ownJob, nextJob] = [await store.getJob('job_1'), await store.getJob('job_2')]
    assert.ok(ownJob && nextJob)
    assert.equal(await slots.acquire(ownJob, ref, 'image'), true)
    assert.equal(await slots.acquire(nextJob, { ...ref, jobId: 'job_2' }, 'image'), false)
    const end = () => store.changeJob('job_1', { set: { status: 'cancelled', endedAt: timestamp(5) } })
    if (situation !== 'ends') await end()
    if (situation === 'finds it over') await change({ status: 'cancelled', endedAt: timestamp(5) })
    await run(async () => {
      await end()
      return doneOutcome
    })
    assert.ok(takeSentTasks().includes(1), situation)
  }
})
