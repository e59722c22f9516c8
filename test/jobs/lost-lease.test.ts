import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../lib/errors.ts'
import { doneOutcome, type TaskHandler, WorkerStoppedError } from '../../lib/jobs/run/claimed-task.ts'
import { countAttempts } from '../../lib/jobs/run/lost-lease.ts'
import { runTask } from '../../lib/jobs/run/run-task.ts'
import type { TaskRun } from '../../lib/jobs/run/task-run.ts'
import { createLog } from '../../lib/log.ts'
import type { Task } from '../../lib/model/job.ts'
import { createMemoryJobs } from './memory-jobs.ts'
import { createRecords, createStoredImport, newTask, secondsLater } from './records.ts'

const log = createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined })
const ref = { jobId: 'job_1', task: 1 }

/** Creates a job with one task, and functions with which workers claim the task, work on it and die. */
async function createJob() {
  const { jobs, table, queues, files, store } = createMemoryJobs()
  await jobs.create(createRecords([createStoredImport('in'), newTask('a', [0])]))
  const services = {
    jobs,
    table,
    queues,
    files,
    log,
    config: { ANONYMOUS_PLAN: 'free' },
    plans: { free: { concurrentJobs: null } },
  }
  const run = (worker: Pick<TaskRun, 'isShared' | 'runId'>, handler: TaskHandler) =>
    runTask(
      { ref, services, queue: 'image', extendVisibility: async () => {}, ...worker } as unknown as TaskRun, // a stub with only the members that are used
      handler,
    )
  const find = async (): Promise<Task> => {
    const task = await store.getTask(ref)
    assert.ok(task)
    return task
  }
  const expireLease = () => store.changeTask(ref, { set: { leaseUntil: secondsLater(-60).toISOString() } })
  return {
    find,
    run,
    /** Stores what a heartbeat would store. */
    work: (ms: Pick<Task, 'workedMs' | 'attemptMs'>) => store.changeTask(ref, { set: ms }),
    /** Claims the task with a worker that then dies. */
    dieWithTask: async (worker: Pick<TaskRun, 'isShared' | 'runId'>) => {
      let claimedTask: Task | undefined
      const outcome = await run(worker, async (_, { task, lease }) => {
        claimedTask = task
        await lease.stopHeartbeat()
        return { done: false, retryInS: 16 }
      })
      await expireLease()
      return { claimed: claimedTask, outcome }
    },
  }
}

const sharedWorker = { isShared: true, runId: 'run 1' }
const loneWorker = { isShared: false, runId: 'run 1' }
const getAttemptCount = async (find: () => Promise<Task>) => countAttempts(await find())

test('the crash of a shared worker does not count as an attempt of its task, but the task then runs alone', async () => {
  const { dieWithTask, run, find } = await createJob()
  await dieWithTask(sharedWorker)
  const secondOutcome = await run(sharedWorker, () => assert.fail('it may crash this worker as well'))
  assert.deepEqual(secondOutcome, { done: false, resend: 'apart', retryInS: 0 })
  assert.equal((await find()).leaseId, undefined)
  const { claimed } = await dieWithTask(loneWorker)
  assert.deepEqual([claimed?.attempt, claimed && countAttempts(claimed)], [2, 1])
})

test('a task that kills its worker three times while running alone fails', async () => {
  const { dieWithTask, run, find } = await createJob()
  await dieWithTask(sharedWorker)
  await run(sharedWorker, () => assert.fail('it runs apart'))
  for (const count of [1, 2, 3]) {
    const { claimed } = await dieWithTask(loneWorker)
    assert.equal(claimed && countAttempts(claimed), count)
  }
  await run(loneWorker, async (_, { task }) => {
    assert.equal(countAttempts(task), 4, 'the handler refuses it')
    throw new AppError('CONVERSION_FAILED', 'It crashed.')
  })
  assert.equal((await find()).status, 'failed')
})

test('a crash of the whole service does not count as an attempt of a task', async () => {
  const { dieWithTask, find } = await createJob()
  await dieWithTask(sharedWorker)
  const { claimed } = await dieWithTask({ isShared: true, runId: 'run 2' })
  assert.deepEqual([claimed?.apart, claimed && countAttempts(claimed)], [undefined, 1])
  await dieWithTask({ isShared: false, runId: 'run 3' })
  assert.equal(await getAttemptCount(find), 1)
})

test('the work time of attempts that are not counted does not count towards the time limit of a task', async () => {
  const { dieWithTask, run, find, work } = await createJob()
  await work({ workedMs: 5000 })
  await dieWithTask(sharedWorker)
  await work({ workedMs: 95_000, attemptMs: 90_000 })
  const { claimed } = await dieWithTask({ isShared: true, runId: 'run 2' })
  assert.deepEqual([claimed?.workedMs, claimed?.attemptMs], [5000, undefined])
  // The attempt of a worker that stops is not counted either: only the work time of earlier attempts is kept.
  await work({ workedMs: 40_000, attemptMs: 35_000 })
  await run({ isShared: true, runId: 'run 3' }, async () => {
    await work({ workedMs: 30_000, attemptMs: 25_000 })
    throw new WorkerStoppedError()
  })
  assert.equal((await find()).workedMs, 5000)
  // The work time of a counted attempt counts.
  await dieWithTask(loneWorker)
  await work({ workedMs: 65_000, attemptMs: 60_000 })
  assert.equal((await dieWithTask(loneWorker)).claimed?.workedMs, 65_000)
})

test('up to six lost leases of a task are not counted as attempts', async () => {
  const { dieWithTask, find } = await createJob()
  for (let number = 1; number <= 8; number++) await dieWithTask({ isShared: false, runId: `run ${number}` })
  assert.deepEqual([(await find()).attempt, await getAttemptCount(find)], [8, 2])
})

test('a lost lease counts as an attempt immediately if each worker runs one task at a time', async () => {
  const { dieWithTask, find } = await createJob()
  await dieWithTask({ isShared: false })
  await dieWithTask({ isShared: false })
  assert.equal(await getAttemptCount(find), 2)
})

test('only one of two workers takes over a lost task', async () => {
  const { dieWithTask, run } = await createJob()
  await dieWithTask(loneWorker)
  let runs = 0
  const handler: TaskHandler = async () => {
    runs++
    return doneOutcome
  }
  await Promise.all([run(loneWorker, handler), run(loneWorker, handler)])
  assert.equal(runs, 1)
})
