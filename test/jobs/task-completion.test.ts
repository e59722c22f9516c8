import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Change } from '../../lib/aws/table-expressions.ts'
import { AppError } from '../../lib/errors.ts'
import { JobLifecycle } from '../../lib/jobs/job-lifecycle.ts'
import { getJobPercent } from '../../lib/jobs/job-state-machine.ts'
import { Jobs } from '../../lib/jobs/jobs.ts'
import { TaskCompletion } from '../../lib/jobs/task-completion.ts'
import type { Job, JoinBucket, Task } from '../../lib/model/job.ts'
import {
  applyChange,
  complete,
  createRecords,
  createStoredImport,
  fail,
  file,
  newTask,
  start,
  timestamp,
} from './records.ts'

/** More tasks than a job counts individually: they are counted in buckets of a hundred. */
const { tasks, joinBuckets } = createRecords([
  createStoredImport('in'),
  ...Array.from({ length: 150 }, (_, at) => newTask(`work-${at}`, [0])),
])

/** Returns the changes of the job that are made as tasks of the second bucket end one after another. */
async function listChangesAfter(...taskEnds: readonly Partial<Task>[]): Promise<Change[]> {
  const changes: Change[] = []
  let bucket = joinBuckets.find(({ bucketNumber }) => bucketNumber === 1)?.bucket as JoinBucket // one per hundred tasks
  const store = {
    changeJoinBucket: async (_key: object, change: Change) => {
      bucket = applyChange(bucket, change)
      return { applied: true, record: bucket }
    },
    changeJob: async (_id: string, change: Change) => {
      changes.push(change)
      return { applied: true, record: undefined }
    },
    getJob: async () => undefined,
    getDependents: async () => [],
  }
  const deps = { store, bus: { publish: async () => undefined }, getSubscribers: async () => () => [] }
  // A stub with only the members that are used.
  const completion = new TaskCompletion(deps as unknown as ConstructorParameters<typeof TaskCompletion>[0])
  const tasksFrom100 = tasks.filter(({ number }) => number >= 100)
  for (const [at, end] of taskEnds.entries()) {
    const task = tasksFrom100[at]
    assert.ok(task)
    await completion.completeTask({ ...task, ...end }, { isRepeat: false })
  }
  return changes
}

test('repeating the completion of a failed task also repeats the completion of its skipped dependents', async () => {
  const { tasks: ownTasks } = createRecords([createStoredImport('in'), newTask('a', [0]), newTask('b', [1])])
  const [a, b] = ownTasks
  assert.ok(a && b)
  const completeWith = async (isRepeat: boolean, endedBy: string) => {
    const countedTasks: unknown[] = []
    const store = {
      getDependents: async ({ number }: Task) => (number === 1 ? ['2'] : []),
      changeTask: async (_ref: object, { set }: Change) =>
        set
          ? { applied: false, record: { ...b, status: 'cancelled', endedBy } }
          : { applied: true, record: { ...b, open: undefined, lost: new Set([1]) } },
      changeJob: async (_id: string, { exclude }: Change) => {
        countedTasks.push(...(exclude?.['open'] ?? []))
        return { applied: true, record: undefined }
      },
    }
    const completion = new TaskCompletion({ store } as unknown as ConstructorParameters<
      typeof TaskCompletion
    >[0]) // a stub with only the members that are used
    await completion.completeTask({ ...a, ...fail(3, 'is cut off') }, { isRepeat })
    return countedTasks
  }
  assert.deepEqual(await completeWith(true, 'skip'), [1, 2])
  assert.deepEqual(await completeWith(false, 'skip'), [1], 'the process that ended it completes it')
  assert.deepEqual(await completeWith(true, 'cancel'), [1])
})

test('a task fails if it cannot be planned, but not if the table is unavailable', async () => {
  const { job, fixed, tasks: ownTasks } = createRecords([createStoredImport('in'), newTask('a', [0])])
  const [a] = ownTasks
  assert.ok(a)
  const sendWith = async (error: Error) => {
    const endedJobs: unknown[] = []
    const store = {
      changeTask: async (_ref: object, { set }: Change) => {
        endedJobs.push(set?.['status'], set?.['code'])
        return { applied: false, record: undefined }
      },
    }
    const deps = { store, taskSender: { route: () => Promise.reject(error) } }
    // A stub with only the members that are used.
    const completion = new TaskCompletion(deps as unknown as ConstructorParameters<typeof TaskCompletion>[0])
    for (const send of [
      completion.sendTask(a),
      completion.sendTasks([a], { job, fixed, tasks: ownTasks, chunks: [] }),
    ])
      await send.catch((thrown: unknown) => endedJobs.push(thrown))
    return endedJobs
  }
  const tableError = new Error('The table is unavailable.')
  assert.deepEqual(await sendWith(tableError), [tableError, tableError])
  const lostOutcome = ['failed', 'NO_FILES']
  assert.deepEqual(await sendWith(new AppError('NO_FILES', 'It has no files.')), [
    ...lostOutcome,
    ...lostOutcome,
  ])
})

test('finishing a job gives up after 20 write conflicts', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: start })
  const { job, fixed } = createRecords([createStoredImport('in')])
  let tryCount = 0
  const store = {
    getState: async () => ({ job: { ...job, status: 'processing' }, fixed, tasks: [], chunks: [] }),
    changeJob: async (_id: string, { set }: Change) => {
      assert.equal(set?.['wakeAt'], timestamp(15), 'the sweep checks the job soon')
      tryCount += 1
      return { applied: false, record: undefined }
    },
  }
  // A stub with only the members that are used.
  const lifecycle = new JobLifecycle({ store } as unknown as ConstructorParameters<typeof JobLifecycle>[0])
  await assert.rejects(lifecycle.finish('job_1'), /gave up after 20 write conflicts on job job_1/)
  assert.equal(tryCount, 20)
})

test('waiting for a job rereads the job until the timeout if the awaited condition is not met', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 0 })
  const { job } = createRecords([createStoredImport('in')])
  let readCount = 0
  const waits: unknown[] = []
  const deps = {
    store: { getJob: async () => ({ ...job, sequence: ++readCount }) },
    waitForChange: async (_id: string, wait: { remainingMs: number }) => {
      assert.ok(waits.push(wait) < 9, 'it does not stop')
      t.mock.timers.setTime(Date.now() + Math.min(30, wait.remainingMs))
    },
  }
  const jobs = new Jobs(deps as unknown as ConstructorParameters<typeof Jobs>[0]) // a stub with only the members that are used
  assert.equal((await jobs.waitFor('job_1', 0, () => false))?.sequence, 1)
  assert.deepEqual(waits.splice(0), [{ pauseMs: 0, remainingMs: 0 }])
  const foundJob = await jobs.waitFor('job_1', 60, ({ sequence }) => sequence > 9)
  assert.deepEqual([foundJob?.sequence, readCount, waits.length], [3, 3, 2])
  assert.equal((await jobs.waitFor('job_1', 60, () => true, job))?.sequence, job.sequence, 'the job is known')
})

test('published progress of a job is also stored', async () => {
  const { job, fixed } = createRecords([createStoredImport('in'), newTask('a', [0]), newTask('b', [1])])
  let storedJob: Job = { ...job, status: 'processing', fixed: [...fixed] }
  const publishedEvents: unknown[] = []
  const store = {
    changeJob: async (_id: string, change: Change) => {
      storedJob = applyChange(storedJob, change)
      return { applied: true, record: storedJob }
    },
  }
  const bus = {
    publish: async (events: readonly { job: { progress: object } }[]) => publishedEvents.push(...events),
  }
  const deps = { store, bus, getSubscribers: async () => () => [] }
  // A stub with only the members that are used.
  const lifecycle = new JobLifecycle(deps as unknown as ConstructorParameters<typeof JobLifecycle>[0])
  const progress = { percent: 60, stage: 'encoding', taskName: 'a' }
  await lifecycle.publishProgress(storedJob, 1, progress)
  assert.equal(getJobPercent(storedJob), 30)
  assert.deepEqual([storedJob.toldPercent, storedJob.stage, storedJob.taskName], [30, 'encoding', 'a'])
  const [event] = publishedEvents as { job: { progress: { percent: number } }; sequence: number }[]
  assert.deepEqual([event?.job.progress.percent, event?.sequence], [30, storedJob.sequence])
  assert.equal(
    await lifecycle.publishProgress(storedJob, 1, { ...progress, percent: 50 }),
    undefined,
    'progress does not fall',
  )
  assert.equal(publishedEvents.length, 1)
})

describe('jobs of more than a hundred tasks', () => {
  const completeFields = complete(3, file('a.webp'))
  const failedFields = fail(3, 'is cut off')

  test('a job of more than a hundred tasks records failed tasks immediately, and completed tasks per bucket', async () => {
    assert.deepEqual(await listChangesAfter(completeFields, completeFields), [])
    assert.deepEqual(await listChangesAfter(completeFields, failedFields), [
      { include: { lost: new Set([1]) } },
    ])
    assert.deepEqual(
      await listChangesAfter({ ...failedFields, continueOnError: true }),
      [],
      'that may be missing',
    )
  })

  test('a job of more than a hundred tasks counts a bucket as complete, or as lost if a task of the bucket failed', async () => {
    const rest = Array.from({ length: 50 }, () => completeFields)
    const over = { exclude: { open: new Set([1]) }, remove: ['running.1'] }
    assert.deepEqual(await listChangesAfter(...rest, completeFields), [
      { ...over, include: { got: new Set([1]) } },
    ])
    assert.deepEqual(await listChangesAfter(...rest, failedFields), [
      { ...over, include: { lost: new Set([1]) } },
    ])
    const [firstChange, lateChange, ...moreChanges] = await listChangesAfter(failedFields, ...rest)
    assert.deepEqual(
      [firstChange, lateChange, moreChanges],
      [{ include: { lost: new Set([1]) } }, { ...over, include: { lost: new Set([1]) } }, []],
    )
  })
})
