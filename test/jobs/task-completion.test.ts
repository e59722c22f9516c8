import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Change } from '../../lib/aws/table-expressions.ts'
import { AppError } from '../../lib/errors.ts'
import type { Job, JoinBucket, Task } from '../../lib/jobs/job.ts'
import { JobLifecycle } from '../../lib/jobs/job-lifecycle.ts'
import { percentOf } from '../../lib/jobs/job-state-machine.ts'
import { Jobs } from '../../lib/jobs/jobs.ts'
import { TaskCompletion } from '../../lib/jobs/task-completion.ts'
import {
  applyChange,
  completed,
  createRecords,
  failed,
  file,
  newTask,
  start,
  storedImport,
  timestamp,
} from './records.ts'

/** More tasks than a job counts one by one, a hundred to a latch. */
const { tasks, joinBuckets } = createRecords([
  storedImport('in'),
  ...Array.from({ length: 150 }, (_, at) => newTask(`work-${at}`, [0])),
])

/** What the job is told as tasks of the second hundred end, one after the other. */
async function told(...endings: readonly Partial<Task>[]): Promise<Change[]> {
  const asked: Change[] = []
  let latch = joinBuckets.find(({ index }) => index === 1)?.bucket as JoinBucket // there is one for each hundred
  const store = {
    changeLatch: async (_key: object, change: Change) => {
      latch = applyChange(latch, change)
      return { applied: true, record: latch }
    },
    changeJob: async (_id: string, change: Change) => {
      asked.push(change)
      return { applied: true, record: undefined }
    },
    job: async () => undefined,
    outsOf: async () => [],
  }
  const parts = { store, bus: { publish: async () => undefined }, listenersOf: async () => () => [] }
  const settlement = new TaskCompletion(parts as unknown as ConstructorParameters<typeof TaskCompletion>[0]) // nothing else is asked
  const ofHundred = tasks.filter(({ number }) => number >= 100)
  for (const [at, ending] of endings.entries()) {
    const one = ofHundred[at]
    assert.ok(one)
    await settlement.completeTask({ ...one, ...ending }, { isRepeat: false })
  }
  return asked
}

test('a task that another one has left without input just now is told of again where its message came again', async () => {
  const { tasks: own } = createRecords([storedImport('in'), newTask('a', [0]), newTask('b', [1])])
  const [a, b] = own
  assert.ok(a && b)
  const toldOf = async (isRepeat: boolean, endedBy: string) => {
    const counted: unknown[] = []
    const store = {
      outsOf: async ({ number }: Task) => (number === 1 ? ['2'] : []),
      changeTask: async (_ref: object, { set }: Change) =>
        set
          ? { applied: false, record: { ...b, status: 'cancelled', endedBy } }
          : { applied: true, record: { ...b, open: undefined, lost: new Set([1]) } },
      changeJob: async (_id: string, { exclude }: Change) => {
        counted.push(...(exclude?.['open'] ?? []))
        return { applied: true, record: undefined }
      },
    }
    const settlement = new TaskCompletion({ store } as unknown as ConstructorParameters<
      typeof TaskCompletion
    >[0]) // nothing else is asked
    await settlement.completeTask({ ...a, ...failed(3, 'is cut off') }, { isRepeat })
    return counted
  }
  assert.deepEqual(await toldOf(true, 'skip'), [1, 2])
  assert.deepEqual(await toldOf(false, 'skip'), [1], 'whoever ended it tells')
  assert.deepEqual(await toldOf(true, 'cancel'), [1])
})

test('a task that cannot be sent for want of the table is not ended by that, one that cannot run is', async () => {
  const { job, fixed, tasks: own } = createRecords([storedImport('in'), newTask('a', [0])])
  const [a] = own
  assert.ok(a)
  const sent = async (error: Error) => {
    const ended: unknown[] = []
    const store = {
      changeTask: async (_ref: object, { set }: Change) => {
        ended.push(set?.['status'], set?.['code'])
        return { applied: false, record: undefined }
      },
    }
    const parts = { store, outlet: { route: () => Promise.reject(error) } }
    const settlement = new TaskCompletion(parts as unknown as ConstructorParameters<typeof TaskCompletion>[0]) // nothing else is asked
    for (const send of [
      settlement.sendTask(a),
      settlement.sendTasks([a], { job, fixed, tasks: own, chunks: [] }),
    ])
      await send.catch((thrown: unknown) => ended.push(thrown))
    return ended
  }
  const isAway = new Error('The table is away.')
  assert.deepEqual(await sent(isAway), [isAway, isAway])
  const lost = ['failed', 'NO_FILES']
  assert.deepEqual(await sent(new AppError('NO_FILES', 'It has none.')), [...lost, ...lost])
})

test('an end that others are in the way of again and again is tried by whoever has the message', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: start })
  const { job, fixed } = createRecords([storedImport('in')])
  let tries = 0
  const store = {
    whole: async () => ({ job: { ...job, status: 'processing' }, fixed, tasks: [], parts: [] }),
    changeJob: async (_id: string, { set }: Change) => {
      assert.equal(set?.['wakeAt'], timestamp(15), 'else the sweep sees to it')
      tries += 1
      return { applied: false, record: undefined }
    },
  }
  const course = new JobLifecycle({ store } as unknown as ConstructorParameters<typeof JobLifecycle>[0]) // nothing else is asked
  await assert.rejects(course.finish('job_1'), /changed the job job_1 20 times/)
  assert.equal(tries, 20)
})

test('whoever waits for a job that does not change looks at it until the time is over, and no more', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 0 })
  const { job } = createRecords([storedImport('in')])
  let looks = 0
  const waits: unknown[] = []
  const parts = {
    store: { job: async () => ({ ...job, sequence: ++looks }) },
    hint: async (_id: string, wait: { leftMs: number }) => {
      assert.ok(waits.push(wait) < 9, 'it does not end')
      t.mock.timers.setTime(Date.now() + Math.min(30, wait.leftMs))
    },
  }
  const jobs = new Jobs(parts as unknown as ConstructorParameters<typeof Jobs>[0]) // nothing else is asked
  assert.equal((await jobs.waitFor('job_1', 0, () => false))?.sequence, 1)
  assert.deepEqual(waits.splice(0), [{ pauseMs: 0, leftMs: 0 }])
  const found = await jobs.waitFor('job_1', 60, ({ sequence }) => sequence > 9)
  assert.deepEqual([found?.sequence, looks, waits.length], [3, 3, 2])
  assert.equal((await jobs.waitFor('job_1', 60, () => true, job))?.sequence, job.sequence, 'it is known')
})

test('what is told of the progress of a job is what it shows from then on', async () => {
  const { job, fixed } = createRecords([storedImport('in'), newTask('a', [0]), newTask('b', [1])])
  let stored: Job = { ...job, status: 'processing', fixed: [...fixed] }
  const told: unknown[] = []
  const store = {
    changeJob: async (_id: string, change: Change) => {
      stored = applyChange(stored, change)
      return { applied: true, record: stored }
    },
  }
  const bus = { publish: async (events: readonly { job: { progress: object } }[]) => told.push(...events) }
  const parts = { store, bus, listenersOf: async () => () => [] }
  const course = new JobLifecycle(parts as unknown as ConstructorParameters<typeof JobLifecycle>[0]) // nothing else is asked
  const news = { percent: 60, stage: 'encoding', taskName: 'a' }
  await course.publishProgress(stored, 1, news)
  assert.equal(percentOf(stored), 30)
  assert.deepEqual([stored.toldPercent, stored.stage, stored.taskName], [30, 'encoding', 'a'])
  const [event] = told as { job: { progress: { percent: number } }; sequence: number }[]
  assert.deepEqual([event?.job.progress.percent, event?.sequence], [30, stored.sequence])
  assert.equal(
    await course.publishProgress(stored, 1, { ...news, percent: 50 }),
    undefined,
    'it does not fall',
  )
  assert.equal(told.length, 1)
})

describe('a job of more than a hundred tasks', () => {
  const done = completed(3, file('a.webp'))
  const lost = failed(3, 'is cut off')

  test('hears of one that is lost at once, and of those that gave something with the last of their hundred', async () => {
    assert.deepEqual(await told(done, done), [])
    assert.deepEqual(await told(done, lost), [{ include: { lost: new Set([1]) } }])
    assert.deepEqual(await told({ ...lost, continueOnError: true }), [], 'that may be missing')
  })

  test('counts a hundred as what it gave, or as lost where one of them was', async () => {
    const rest = Array.from({ length: 50 }, () => done)
    const over = { exclude: { open: new Set([1]) }, remove: ['running.1'] }
    assert.deepEqual(await told(...rest, done), [{ ...over, include: { got: new Set([1]) } }])
    assert.deepEqual(await told(...rest, lost), [{ ...over, include: { lost: new Set([1]) } }])
    const [early, late, ...more] = await told(lost, ...rest)
    assert.deepEqual(
      [early, late, more],
      [{ include: { lost: new Set([1]) } }, { ...over, include: { lost: new Set([1]) } }, []],
    )
  })
})
