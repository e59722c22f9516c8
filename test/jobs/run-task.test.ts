import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SignatureRefused } from '../../lib/aws/signed-files.ts'
import { AppError } from '../../lib/errors.ts'
import { TransientError } from '../../lib/jobs/failure.ts'
import type { Task } from '../../lib/jobs/job.ts'
import { messageDone, type TaskHandler, WorkerStopped } from '../../lib/jobs/run/claimed-task.ts'
import { ConcurrencySlots } from '../../lib/jobs/run/concurrency-slots.ts'
import { LeaseLost } from '../../lib/jobs/run/lease.ts'
import { runTask } from '../../lib/jobs/run/run-task.ts'
import type { TaskRun } from '../../lib/jobs/run/task-run.ts'
import { createChunkRecord } from '../../lib/jobs/task-graph.ts'
import { createLog } from '../../lib/log.ts'
import type { Services } from '../../lib/services.ts'
import { memoryJobs } from './memory-jobs.ts'
import { completed, createRecords, file, newTask, secondsLater, storedImport, timestamp } from './records.ts'

const log = createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined })
const config = { ANONYMOUS_PLAN: 'free' }

/** A job of two tasks and what becomes of a message for the first. */
async function made(concurrentJobs: number | null = null) {
  const own = memoryJobs()
  const { jobs, table, queues, files } = own
  await jobs.create(createRecords([storedImport('in'), newTask('a', [0]), newTask('b', [1])]))
  queues.dropAll()
  own.takeEvents()
  const services = { jobs, table, queues, files, log, config, plans: { free: { concurrentJobs } } }
  const ref = { jobId: 'job_1', task: 1 }
  return {
    ...{ ...own, ref, slots: new ConcurrencySlots(services as unknown as Services) }, // no more is used
    change: (set: Partial<Task>) => own.store.changeTask(ref, { set }),
    found: async () => {
      const one = await own.store.getTask(ref)
      assert.ok(one)
      return one
    },
    run: (work: TaskHandler = async () => messageDone) =>
      runTask(
        { ref, services, queue: 'image', extendVisibility: async () => {} } as unknown as TaskRun,
        work,
      ),
  }
}
const isAsked: TaskHandler = () => assert.fail('there is nothing to do')
const fails =
  (error: unknown): TaskHandler =>
  () =>
    Promise.reject(error)

test('whoever has a message does the task with what it takes, once it is claimed', async () => {
  const { run, found } = await made()
  const outcome = await run(async (_, { task: one, state, lease }) => {
    assert.deepEqual([one.status, one.attempt, state.fixed.length], ['processing', 1, 1])
    return (await lease.finish({ status: 'completed', files: [] }))
      ? messageDone
      : { done: false, retryInS: 9 }
  })
  assert.deepEqual([outcome, (await found()).status], [messageDone, 'completed'])
})

test('a message for a task that somebody has comes again when that lease is over', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: secondsLater(0) })
  const { run, change } = await made()
  for (const [leftMs, againInS] of [
    [9500, 11],
    [500, 2],
  ] as const) {
    const leaseUntil = timestamp(leftMs / 1000)
    await change({ status: 'processing', leaseId: 'other', leaseUntil })
    assert.deepEqual(await run(isAsked), { done: false, againInS })
  }
})

test('a message for a task that is gone, waits or is over does no work, and what follows is said again', async () => {
  const { run, change, takeSentTasks, store } = await made()
  await change({ open: new Set([0]) })
  assert.deepEqual([await run(isAsked), takeSentTasks()], [messageDone, []])
  await change(completed(5, file('a.png')))
  const [part] = [
    createChunkRecord((await store.getTask({ jobId: 'job_1', task: 1 })) as Task, 1000, {}, secondsLater(0)),
  ]
  await store.addChunks([part])
  await change({ expandedBy: 1 })
  assert.deepEqual([await run(isAsked), takeSentTasks()], [messageDone, [2]])
  assert.deepEqual(await store.getChunks(part), [], 'nor are its parts of use')
  const gone = await made()
  await gone.store.deleteTasks({ job: { id: 'job_1', total: 3 } } as never)
  assert.deepEqual(await gone.run(isAsked), messageDone)
})

test('a message for a task that waits for its parts sends those that nobody has begun', async () => {
  const { run, change, found, queues, store } = await made()
  await change({ status: 'processing', expandedBy: 1, partCount: 1, open: new Set([1000]) })
  await store.addChunks([createChunkRecord(await found(), 1000, {}, secondsLater(0))])
  assert.deepEqual(await run(isAsked), messageDone)
  assert.deepEqual(
    queues.bodies.map((body) => JSON.parse(body).part),
    [1000],
  )
})

test('nothing is done for a job that is over', async () => {
  const { run, store } = await made()
  await store.changeJob('job_1', { set: { status: 'cancelled' } })
  assert.deepEqual(await run(isAsked), messageDone)
  const none = await made()
  await none.store.deleteJob('job_1')
  assert.deepEqual(await none.run(isAsked), messageDone)
})

test('a failure that is the file’s ends its task at once, with all that is told of it', async () => {
  const { run, found, change } = await made()
  const warnings = [{ code: 'REDUCED', message: 'Less.' }]
  await change({ warnings })
  const outcome = await run(fails(new AppError('CORRUPT_FILE', 'It is cut off.', { at: 7 })))
  const { status, code, message, details, warnings: said, attempt } = await found()
  assert.deepEqual(
    [outcome, status, code, message, details, said, attempt],
    [messageDone, 'failed', 'CORRUPT_FILE', 'It is cut off.', { at: 7 }, warnings, 1],
  )
})

test('another failure is tried three times, as soon as that may help', async () => {
  const { run, found } = await made()
  const passing = new TransientError(new AppError('IMPORT_FAILED', 'It is away.'), 30)
  const tries = [await run(fails(new Error('broken'))), await run(fails(passing))]
  assert.deepEqual(tries, [
    { done: false, againInS: 0 },
    { done: false, againInS: 30 },
  ])
  assert.deepEqual([(await found()).status, (await found()).attempt], ['pending', 2])
  assert.deepEqual(await run(fails(passing)), messageDone)
  const { status, code, message } = await found()
  assert.deepEqual([status, code, message], ['failed', 'IMPORT_FAILED', 'It is away.'])
})

test('what a storage no longer takes is signed anew for the next attempt', async () => {
  const { run } = await made()
  assert.deepEqual(await run(fails(new SignatureRefused())), { done: false, again: 'signed', againInS: 0 })
})

test('a worker that has to end, or whose table is away, costs the task no attempt', async () => {
  const { run, found, store } = await made()
  assert.deepEqual(await run(fails(new WorkerStopped())), { done: false, againInS: 0 })
  assert.deepEqual([(await found()).status, (await found()).attempt], ['pending', 0])
  const isAway = new Error('the table is away')
  const inputsOf = store.getInputs.bind(store)
  store.getInputs = () => Promise.reject(isAway)
  await assert.rejects(run(isAsked), isAway)
  store.getInputs = inputsOf
  assert.deepEqual([(await found()).status, (await found()).attempt], ['pending', 0])
})

test('a task that was taken away is left to whoever has it', async () => {
  const { run, found, change } = await made()
  const outcome = await run(async () => {
    await change({ leaseId: 'other' })
    throw new LeaseLost()
  })
  assert.deepEqual([outcome, (await found()).leaseId], [messageDone, 'other'])
})

test('an end that somebody else stored is not replaced, and its message comes again', async () => {
  const { run, found, change } = await made()
  const outcome = await run(async () => {
    await change({ status: 'completed' })
    throw new AppError('CORRUPT_FILE', 'It is cut off.')
  })
  assert.deepEqual([outcome, (await found()).status], [{ done: false, againInS: 0 }, 'completed'])
})

test('a task whose job has no turn waits, and costs no attempt; the end of another job gives it one', async () => {
  const { run, found, slots, jobs, store, takeSentTasks, ref } = await made(1)
  await jobs.create(createRecords([storedImport('in'), newTask('a', [0])], { id: 'job_2' }))
  takeSentTasks()
  const [other, own] = [await store.getJob('job_2'), await store.getJob('job_1')]
  assert.ok(other && own)
  assert.equal(await slots.acquire(other, { ...ref, jobId: 'job_2' }, 'image'), true)
  assert.deepEqual(await run(isAsked), messageDone)
  assert.deepEqual([(await found()).status, (await found()).attempt], ['pending', 0])
  // A message for a job that is over, or for a task of it, gives its turn to the next one.
  await store.changeJob('job_2', { set: { status: 'cancelled', endedAt: timestamp(5) } })
  await slots.release(other)
  assert.deepEqual(takeSentTasks(), [1])
  let isKept = false
  await run(async (_, { lease }) => {
    isKept = await slots.acquire(own, ref, 'image')
    await lease.finish({ status: 'completed', files: [] })
    return messageDone
  })
  assert.equal(isKept, true)
})

test('whoever ends the last task of a job, or finds it ended, gives its turn to the next one', async () => {
  for (const way of ['ends', 'finds it over', 'finds its job over'] as const) {
    const { run, slots, jobs, store, takeSentTasks, ref, change } = await made(1)
    await jobs.create(createRecords([storedImport('in'), newTask('a', [0])], { id: 'job_2' }))
    takeSentTasks()
    const [own, next] = [await store.getJob('job_1'), await store.getJob('job_2')]
    assert.ok(own && next)
    assert.equal(await slots.acquire(own, ref, 'image'), true)
    assert.equal(await slots.acquire(next, { ...ref, jobId: 'job_2' }, 'image'), false)
    const end = () => store.changeJob('job_1', { set: { status: 'cancelled', endedAt: timestamp(5) } })
    if (way !== 'ends') await end()
    if (way === 'finds it over') await change({ status: 'cancelled', endedAt: timestamp(5) })
    await run(async () => {
      await end()
      return messageDone
    })
    assert.ok(takeSentTasks().includes(1), way)
  }
})
