import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../lib/errors.ts'
import type { Job, Task } from '../../lib/jobs/job.ts'
import type { JobsDeps } from '../../lib/jobs/jobs.ts'
import { createChunkRecord, type NewTask } from '../../lib/jobs/task-graph.ts'
import { memoryJobs } from './memory-jobs.ts'
import { completed, exported, failed, file, given, moment, records, task } from './records.ts'

/** What follows when the tasks of a job end, one after the other, in whatever order. */
async function begun(tasks: readonly NewTask[], more: Partial<JobsDeps> = {}) {
  const own = memoryJobs(more)
  const { jobs, store, sent, told, bus } = own
  await jobs.create(records(tasks))
  sent()
  told()
  bus.published.length = 0
  const ref = (number: number) => ({ jobId: 'job_1', task: number })
  const found = async (number: number): Promise<Task> => {
    const one = await store.getTask(ref(number))
    assert.ok(one)
    return one
  }
  const job = async (): Promise<Job> => {
    const one = await store.getJob('job_1')
    assert.ok(one)
    return one
  }
  const change = (number: number, set: Partial<Task>) => store.changeTask(ref(number), { set })
  return {
    ...{ ...own, job, found, change },
    tell: async (number: number, isRepeat = false) =>
      jobs.completion.completeTask(await found(number), { isRepeat }),
    end: async (number: number, set: Partial<Task> = completed(5, file(`${number}.png`))) => {
      await change(number, set)
      await jobs.completion.completeTask(await found(number), { isRepeat: false })
    },
  }
}
const diamond = [given('in'), task('a', [0]), task('b', [0]), task('both', [1, 2]), exported('out', [3])]

test('a task is sent when all that it takes is there, and once more where that is told again', async () => {
  const { end, tell, change, sent } = await begun(diamond)
  await end(1)
  assert.deepEqual(sent(), [])
  await end(2)
  assert.deepEqual(sent(), [3])
  await tell(2, true)
  assert.deepEqual(sent(), [3], 'the message may be lost')
  await change(3, { status: 'processing' })
  await tell(2, true)
  assert.deepEqual(sent(), [])
})

test('the last task ends its job, whose end is told once more where that is asked again', async () => {
  const { end, tell, told, job } = await begun(diamond)
  for (const number of [1, 2]) await end(number)
  assert.deepEqual([told(), (await job()).status], [[], 'queued'])
  await end(3)
  assert.deepEqual([told(), (await job()).status], [['job.started', 'job.completed'], 'completed'])
  await tell(3)
  assert.deepEqual(told(), [])
  await tell(3, true)
  assert.equal(told().at(-1), 'job.completed')
})

test('a task that lacks what another one lost goes without, and says so, as do those behind it', async () => {
  const { end, found, sent, job } = await begun([...diamond, task('last', [3])])
  await end(1, failed(3, 'It is cut off.'))
  for (const number of [3, 5]) {
    const { status, code, endedBy, endedAt, startedAt } = await found(number)
    assert.deepEqual(
      [status, code, endedBy, startedAt],
      ['cancelled', 'INPUT_TASK_FAILED', 'skip', undefined],
    )
    assert.ok(endedAt)
  }
  assert.deepEqual([(await job()).status, sent()], ['queued', []])
  await end(2)
  const { status, error } = await job()
  assert.deepEqual([status, error?.message, error?.details?.['task']], ['failed', 'It is cut off.', 'a'])
})

test('a task that cannot run says why, unless it is over by then', async () => {
  const route = async () => {
    throw new AppError('UNSUPPORTED_CONVERSION', 'Nothing reads it.', { field: 'input' })
  }
  const { jobs, found, change, job } = await begun([given('in'), task('a', [0]), task('b', [1])], {
    taskSender: { route, retryQueue: (queue) => queue },
  })
  const [a, b] = [await found(1), await found(2)]
  assert.deepEqual(
    [a.status, a.code, a.message, a.details, a.endedBy],
    ['failed', 'UNSUPPORTED_CONVERSION', 'Nothing reads it.', { field: 'input' }, 'plan'],
  )
  assert.deepEqual([b.status, (await job()).status], ['cancelled', 'failed'])
  await change(1, { status: 'completed', endedBy: 'lease_1' })
  await jobs.completion.sendTask(await found(1))
  assert.equal((await found(1)).status, 'completed')
})

test('tasks that are sent together go to the queue of each, in the name of their owner', async () => {
  const sendings: unknown[] = []
  const { jobs, queues, store } = await begun(diamond, {
    taskSender: {
      route: async ({ number }) => ({
        queue: number === 1 ? 'image' : 'av',
        message: { jobId: 'job_1', task: number },
      }),
      retryQueue: (queue) => queue,
    },
  })
  queues.send = async (queue, messages, group) =>
    void sendings.push([queue, messages.map(({ task: number }) => number), group])
  const state = await store.getState('job_1')
  assert.ok(state)
  await jobs.completion.sendTasks(state.tasks, state)
  assert.deepEqual(sendings, [
    ['image', [1], 'anon_1'],
    ['av', [2, 3], 'anon_1'],
  ])
})

test('whoever has one input knows its files by the one that gave them, whoever has more looks them up', async () => {
  const known: unknown[] = []
  const { end } = await begun([given('in'), task('a', [0]), task('b', [1]), task('c', [1, 0])], {
    taskSender: {
      route: async ({ number }, at) => {
        known.push([number, at?.tasks.map((one) => [one.number, one.status])])
        return { queue: 'image', message: { jobId: 'job_1', task: number } }
      },
      retryQueue: (queue) => queue,
    },
  })
  known.length = 0
  await end(1)
  assert.deepEqual(known, [
    [2, [[1, 'completed']]],
    [3, undefined],
  ])
})

test('files that a task brought from elsewhere are told of, others are not', async () => {
  const fetch = task('fetch', [], { operation: 'import/url' })
  const { end, told, bus, tell, store } = await begun([fetch, task('a', [0]), task('b', [1])])
  await end(0, completed(5, file('a.png'), file('b.png')))
  assert.deepEqual(told(), ['file.uploaded', 'file.uploaded'])
  await end(1)
  assert.deepEqual(told(), [])
  await store.deleteJob('job_1')
  await tell(0, true)
  assert.deepEqual([told(), bus.events.length], [[], 4], 'nobody knows whose they were')
})

test('a fact that is told is forgotten with the end of its task, by who told it and nobody else', async () => {
  for (const isTeller of [true, false]) {
    const { jobs, end, found, job, ...own } = await begun([...diamond, task('beside', [0])])
    const first = await found(1)
    const teller = isTeller ? jobs.completion : memoryJobs({ store: own.store }).jobs.completion
    const started = await teller.lifecycle.start(await job(), first)
    assert.ok(started)
    await teller.lifecycle.publishProgress(started, 1, { percent: 40, stage: 'convert', taskName: 'a' })
    const before = await job()
    assert.deepEqual([Object.keys(before.log).sort(), before.running], [['1', 'started'], { 1: 40 }])
    await end(1)
    const { log, running } = await job()
    assert.deepEqual([Object.keys(log).sort(), running], [isTeller ? [] : ['1', 'started'], {}])
  }
})

test('a job that ends with its first failure cancels what is under way', async () => {
  const own = memoryJobs()
  await own.jobs.create(records(diamond, { failFast: true }))
  const ref = { jobId: 'job_1', task: 1 }
  await own.store.changeTask(
    { ...ref, task: 2 },
    { set: { status: 'processing', leaseId: 'l', leaseUntil: moment(9) } },
  )
  const { record } = await own.store.changeTask(ref, { set: failed(5, 'It is cut off.') })
  assert.ok(record)
  await own.jobs.completion.completeTask(record, { isRepeat: false })
  const state = await own.store.getState('job_1')
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

test('a part that ends is told of to its task, which shows that, is joined or ends by it', async () => {
  const split = async () => {
    const own = await begun([given('in'), task('a', [0]), task('b', [1])])
    await own.jobs.completion.lifecycle.start(await own.job(), await own.found(1))
    // The start is some time ago, after which there is something to tell.
    await own.store.changeJob('job_1', { set: { 'log.started': { at: moment(0) } } })
    await own.change(1, {
      ...{ status: 'processing', expandedBy: 1, partCount: 2, open: new Set([1000, 1001]) },
    })
    own.told()
    const base = await own.found(1)
    const settlePart = async (part: number, set: Partial<Task>) => {
      const one = { ...createChunkRecord(base, part, {}, new Date()), ...set }
      await own.store.addChunks([one])
      await own.jobs.completion.completeTask(one, { isRepeat: false })
    }
    return { ...own, settlePart }
  }
  const done = await split()
  await done.settlePart(1000, { status: 'completed' })
  assert.deepEqual([done.sent(), done.told(), (await done.job()).running], [[], ['job.progress'], { 1: 45 }])
  await done.settlePart(1001, { status: 'completed' })
  assert.deepEqual([done.sent(), done.told()], [[1], []])
  const lost = await split()
  await lost.settlePart(1000, failed(5, 'It took too long.'))
  // A damaged part is read by another engine, what took too long is lost.
  assert.deepEqual([lost.sent(), (await lost.found(1)).status], [[1], 'pending'])
  const late = await split()
  await late.settlePart(1000, { ...failed(5, 'It took too long.'), code: 'TIMEOUT' })
  assert.deepEqual(
    [late.sent(), (await late.job()).status, (await late.found(2)).status],
    [...[[], 'failed', 'cancelled']],
  )
})

test('of a job of hundreds it is told how many of a hundred are over', async () => {
  const many = Array.from({ length: 150 }, (_, at) => task(`t${at}`, [0]))
  const { end, told, job } = await begun([given('in'), ...many])
  // It was not told that it began, so that somebody has to be first.
  await end(101)
  assert.deepEqual([told(), (await job()).running], [[], {}], 'it has not begun')
  const other = await begun([given('in'), ...many])
  await other.jobs.completion.lifecycle.start(await other.job(), { number: 101, name: 't100' })
  await other.store.changeJob('job_1', { set: { 'log.started': { at: moment(0) } } })
  other.told()
  await other.end(101)
  assert.deepEqual([other.told(), (await other.job()).running], [['job.progress'], { 1: 1 }])
})
