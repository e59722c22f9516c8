import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Lease, type TaskResult } from '../../lib/jobs/run/lease.ts'
import type { TaskRun } from '../../lib/jobs/run/task-run.ts'
import { createChunkRecord, type NewTask } from '../../lib/jobs/task-graph.ts'
import { createLog } from '../../lib/log.ts'
import type { InputPlan, Job, Task } from '../../lib/model/job.ts'
import { memoryJobs } from './memory-jobs.ts'
import {
  createExport,
  createRecords,
  createStoredImport,
  file,
  newTask,
  secondsLater,
  timestamp,
} from './records.ts'

/** The records of a job after a worker has claimed a task and ended its lease. */

const log = createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined })
const only = [createStoredImport('in'), newTask('a', [0]), createExport('out', [1])]
const two = [createStoredImport('in'), newTask('a', [0]), newTask('b', [1]), createExport('out', [2])]
const inputPlan: InputPlan = { steps: [], step: 0, files: [file('a.gif')] }
const end: TaskResult = { status: 'completed', percent: 100, files: [file('a.png')], warnings: [] }

async function createJob(tasks: readonly NewTask[] = two) {
  const own = memoryJobs()
  await own.jobs.create(createRecords(tasks))
  own.takeSentTasks()
  own.takeEvents()
  const ref = { jobId: 'job_1', task: 1 }
  const job = async (): Promise<Job> => {
    const found = await own.store.getJob('job_1')
    assert.ok(found)
    return found
  }
  const found = async (part?: number): Promise<Task> => {
    const one = await own.store.getTask({ ...ref, part })
    assert.ok(one)
    return one
  }
  const lease = (id = 'lease_1', part?: number) => {
    const run = { services: { jobs: own.jobs }, ref: { ...ref, part }, extendVisibility: async () => {} }
    return new Lease(run as unknown as TaskRun, id, log) // only the members that are used
  }
  return {
    ...own,
    ref,
    job,
    found,
    lease,
    change: (set: Partial<Task>, remove: string[] = []) => own.store.changeTask(ref, { set, remove }),
    /** Claims the task and starts the heartbeat, as a worker does. */
    held: async (id = 'lease_1', part?: number) => {
      const one = lease(id, part)
      assert.equal((await one.claim()).applied, true)
      one.startHeartbeat(await job(), () => {})
      return one
    },
  }
}

test('a task is claimed by one worker at a time; the next claim counts an attempt and keeps the start time', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: secondsLater(10) })
  const { lease, found } = await createJob()
  const mine = lease()
  assert.equal((await mine.claim()).applied, true)
  const { status, attempt, leaseId, leaseUntil, startedAt } = await found()
  assert.deepEqual(
    [status, attempt, leaseId, leaseUntil, startedAt],
    ['processing', 1, 'lease_1', timestamp(25), timestamp(10)],
  )
  t.mock.timers.setTime(secondsLater(24).getTime())
  const other = await lease('lease_2').claim()
  assert.deepEqual([other.applied, other.record?.leaseId], [false, 'lease_1'])
  t.mock.timers.setTime(secondsLater(25).getTime())
  assert.equal((await lease('lease_2').claim()).applied, true)
  const again = await found()
  assert.deepEqual([again.attempt, again.leaseId, again.startedAt], [2, 'lease_2', timestamp(10)])
})

test('a task that waits for inputs or chunks, has lost one, or is over cannot be claimed', async () => {
  const split = { status: 'processing', expandedBy: 1, partCount: 2 } as const
  const numbers = new Set([1000])
  for (const [set, applied] of [
    [{}, true],
    [{ open: numbers }, false],
    [{ lost: numbers }, false],
    [{ status: 'completed' }, false],
    [{ status: 'cancelled', leaseUntil: timestamp(-9) }, false],
    [{ status: 'processing' }, false],
    [split, true],
    [{ ...split, status: 'completed' }, false],
    [{ ...split, open: numbers }, false],
    [{ ...split, lost: numbers }, false],
    [{ ...split, leaseId: 'lease_2', leaseUntil: timestamp(9e8) }, false],
  ] as const) {
    const { change, lease } = await createJob()
    await change(set as Partial<Task>)
    assert.equal((await lease().claim()).applied, applied, JSON.stringify(set))
  }
})

for (const isStarted of [false, true])
  test(`the only task of a ${isStarted ? 'started' : 'queued'} job ends together with the job in one write`, async () => {
    const { held: claimAndKeep, job, found, jobs, takeEvents, table, bus } = await createJob(only)
    if (isStarted) await jobs.completion.lifecycle.start(await job(), { number: 1, name: 'a' })
    takeEvents()
    const before = bus.events.length
    const one = await claimAndKeep()
    let updates = 0
    const update = table.update.bind(table)
    table.update = async (...args) => {
      updates += 1
      return update(...args)
    }
    assert.equal(await one.finish(end), true)
    assert.equal(updates, 0)
    const { status, numbers, sequence, startedWith, endedBy, result } = await job()
    assert.deepEqual(
      [status, numbers, sequence, startedWith, endedBy],
      ['completed', { created: 1, queued: 2, started: 3, ended: 4 }, 4, 1, 'lease_1'],
    )
    assert.deepEqual(
      result?.files.map(({ filename }) => filename),
      ['a.png'],
    )
    const { leaseId, leaseUntil, pieces, stage, ...over } = await found()
    assert.deepEqual([over.status, over.endedBy, over.percent], ['completed', 'lease_1', 100])
    assert.deepEqual([leaseId, leaseUntil, pieces, stage], [undefined, undefined, undefined, undefined])
    assert.deepEqual(
      bus.events.slice(before).map(({ event, sequence: number }) => [event, number]),
      [...(isStarted ? [] : [['job.started', 3]]), ['job.completed', 4]],
    )
    assert.deepEqual(bus.contradictions, [])
    // Repeated events are identical.
    await jobs.completion.lifecycle.republishEnd('job_1')
    assert.equal(takeEvents().at(-1), 'job.completed')
  })

test('a job that changed while its only task ended is ended separately, with start and end published', async () => {
  const { held: claimAndKeep, job, jobs, takeEvents, bus } = await createJob(only)
  const one = await claimAndKeep()
  await jobs.publishDownload(await job(), file('a.png'), { signed: false, ip: null })
  takeEvents()
  assert.equal(await one.finish(end), true)
  assert.deepEqual(takeEvents(), ['job.started', 'job.completed'])
  const { status, sequence, numbers } = await job()
  assert.deepEqual([status, sequence, numbers['ended']], ['completed', 5, 5])
  assert.deepEqual(
    bus.events.slice(-2).map((event) => event.sequence),
    [4, 5],
  )
})

test('finishing a task after another worker took it over or cancelled it changes nothing', async () => {
  const { held: claimAndKeep, change, job, found, takeEvents } = await createJob(only)
  const one = await claimAndKeep()
  await change({ leaseId: 'lease_2' })
  assert.deepEqual([await one.finish(end), (await found()).status], [false, 'processing'])
  assert.notEqual((await job()).status, 'completed')
  takeEvents()
  const other = await createJob(only)
  const cancelled = await other.held()
  await other.jobs.cancel('job_1', 'user')
  other.takeEvents()
  assert.deepEqual([await cancelled.finish(end), (await other.found()).status], [false, 'cancelled'])
  assert.deepEqual([(await other.job()).status, other.takeEvents()], ['cancelled', []])
})

test('finishing a task that another worker has sends no dependents', async () => {
  const { held: claimAndKeep, change, found, takeSentTasks, takeEvents } = await createJob()
  const one = await claimAndKeep()
  await change({ leaseId: 'lease_2' })
  assert.deepEqual(
    [await one.finish(end), (await found()).status, takeSentTasks()],
    [false, 'processing', []],
  )
  assert.deepEqual(takeEvents(), ['job.started'])
})

test('a job that is cancelled while its only task publishes progress stays cancelled', async () => {
  const { held: claimAndKeep, store, found, job } = await createJob(only)
  const one = await claimAndKeep()
  one.reportProgress(50, 'encoding')
  await store.changeJob('job_1', { set: { status: 'cancelled' } })
  await one.stopHeartbeat()
  one.reportProgress(90, 'encoding')
  await turn()
  assert.equal(await one.finish(end), true)
  assert.deepEqual([(await job()).status, (await found()).status], ['cancelled', 'completed'])
})

test('the only task of a job with separately stored imports ends the job with their files', async () => {
  const many = Array.from({ length: 20 }, (_, at) =>
    createStoredImport(`in-${at}`, `${'long name '.repeat(9)}${at}.png`),
  )
  const { store, jobs, takeEvents } = memoryJobs()
  await jobs.create(createRecords([...many, newTask('a', [0]), createExport('out', [20, 0])]))
  const ref = { jobId: 'job_1', task: 20 }
  const run = { services: { jobs }, ref, extendVisibility: async () => {} }
  const one = new Lease(run as unknown as TaskRun, 'lease_1', log) // only the members that are used
  await one.claim()
  const job = await store.getJob('job_1')
  assert.ok(job && !job.fixed)
  one.startHeartbeat(job, () => {})
  assert.equal(await one.finish(end), true)
  assert.equal((await store.getJob('job_1'))?.result?.files.length, 2)
  assert.deepEqual(takeEvents().slice(-2), ['job.started', 'job.completed'])
})

test('the file that a job’s only task imported is published with the end of the job', async () => {
  const { held: claimAndKeep, takeEvents } = await createJob([
    ...[createStoredImport('in'), newTask('a', [], { operation: 'import/url' }), createExport('out', [1])],
  ])
  const one = await claimAndKeep()
  assert.equal(await one.finish(end), true)
  assert.deepEqual(takeEvents(), ['file.uploaded', 'job.started', 'job.completed'])
})

test('the end of one of several tasks sends the next one and publishes the start of the job', async () => {
  const { held: claimAndKeep, takeSentTasks, takeEvents, job, found, change } = await createJob()
  await change({ pieces: [inputPlan], begun: 'upload 1', stage: 'encoding' })
  const one = await claimAndKeep()
  assert.equal(await one.finish({ ...end, engine: 'vips' }), true)
  const { leaseId, leaseUntil, pieces, begun, stage } = await found()
  assert.deepEqual([leaseId, leaseUntil, pieces, begun, stage], Array(5).fill(undefined))
  assert.deepEqual([takeSentTasks(), takeEvents()], [[2], ['job.started']])
  const { status, startedWith } = await job()
  assert.deepEqual([status, startedWith, (await found()).engine], ['processing', 1, 'vips'])
  const { ranMs, endedAt } = await found()
  assert.ok(endedAt)
  assert.equal(ranMs, undefined)
})

test('a stored end is not replaced by a different end of the same worker', async () => {
  const { held: claimAndKeep, bus, found } = await createJob(only)
  const one = await claimAndKeep()
  bus.failTimes(1)
  await assert.rejects(one.finish(end), /the bus rejected/)
  assert.equal(await one.finish({ status: 'failed', code: 'CONVERSION_FAILED', message: '' }), false)
  assert.equal((await found()).status, 'completed')
})

test('a failed attempt is retried twice', async () => {
  for (const [claimed, left, again] of [
    [{ attempt: 1 }, 'pending', true],
    [{ attempt: 2 }, 'processing', false],
    [{ attempt: 0, status: 'processing', expandedBy: 1, partCount: 2 }, 'processing', true],
  ] as const) {
    const { held: claimAndKeep, change, found } = await createJob()
    await change({ ...claimed })
    const one = await claimAndKeep()
    assert.equal(await one.retry(), again)
    const { status, leaseId, leaseUntil, attempt } = await found()
    assert.deepEqual([status, attempt], [left, claimed.attempt + 1])
    if (again) assert.deepEqual([leaseId, leaseUntil], [undefined, undefined])
    else assert.equal(leaseId, 'lease_1')
    await one.stopHeartbeat()
  }
})

test('a task that is split waits for its chunks, which are sent', async () => {
  const { held: claimAndKeep, found, queues, change } = await createJob()
  await change({ percent: 30, got: new Set([9]) })
  const one = await claimAndKeep()
  const parts = [1000, 1001].map((part) =>
    createChunkRecord({ ...createRecords(two).tasks[0], number: 1 } as Task, part, {}, secondsLater(0)),
  )
  const warnings = [{ code: 'SHARED', message: 'It was split.' }]
  one.reportProgress(35, 'reading')
  assert.equal(await one.splitIntoChunks(parts, { pieces: [inputPlan], warnings }), true)
  const { open, got, leaseId, leaseUntil, endedBy, stage, ...rest } = await found()
  assert.deepEqual(
    [open, got, leaseId, leaseUntil, endedBy, stage],
    [new Set([1000, 1001]), undefined, undefined, undefined, 'lease_1', 'convert'],
  )
  const { status, expandedBy, partCount, attempt, percent, pieces, warnings: savedWarnings } = rest
  assert.deepEqual(
    [status, expandedBy, partCount, attempt, percent, pieces, savedWarnings],
    ['processing', 1, 2, 0, 35, [inputPlan], warnings],
  )
  assert.deepEqual(
    queues.bodies.map((body) => JSON.parse(body).part),
    [1000, 1001],
  )
  assert.equal((await found(1001)).status, 'pending')
})

test('a task that another worker has is neither split nor handed over', async () => {
  const { held: claimAndKeep, change, takeSentTasks, store, ref, found } = await createJob()
  const one = await claimAndKeep()
  await change({ leaseId: 'lease_2' })
  const before = await found()
  const parts = [createChunkRecord(before, 1000, {}, secondsLater(0))]
  assert.equal(await one.splitIntoChunks(parts, { pieces: [inputPlan], warnings: [] }), false)
  assert.equal(await store.getTask({ ...ref, part: 1000 }), undefined)
  assert.equal(await one.handOver({ pieces: [inputPlan], warnings: [] }), false)
  await one.release()
  assert.deepEqual([await found(), takeSentTasks()], [before, []])
})

test('handing over a joined task removes all traces of its chunks', async () => {
  const { held: claimAndKeep, change, found, takeSentTasks } = await createJob()
  await change({ status: 'processing', expandedBy: 1, partCount: 2, got: new Set([1000]), percent: 5 })
  const one = await claimAndKeep()
  assert.equal(await one.handOver({ pieces: [inputPlan], warnings: [], engine: 'vips' }), true)
  const { status, attempt, percent, endedBy, pieces, engine, ...rest } = await found()
  assert.deepEqual(
    [status, attempt, percent, endedBy, pieces, engine],
    ['pending', 0, 90, 'lease_1', [inputPlan], 'vips'],
  )
  const { leaseId, leaseUntil, expandedBy, partCount, got } = rest
  assert.deepEqual([leaseId, leaseUntil, expandedBy, partCount, got], Array(5).fill(undefined))
  assert.deepEqual(takeSentTasks(), [1])
})

test('a chunk records its processing time and updates its task without own progress', async (t) => {
  t.mock.timers.enable({ apis: ['Date', 'setInterval', 'setTimeout'], now: secondsLater(10) })
  const { store, change, found, held: claimAndKeep, takeEvents } = await createJob()
  await change({ status: 'processing', expandedBy: 1, partCount: 2, open: new Set([1000, 1001]) })
  await store.addChunks([createChunkRecord(await found(), 1000, {}, secondsLater(0))])
  const one = await claimAndKeep('lease_1', 1000)
  t.mock.timers.setTime(secondsLater(17).getTime())
  assert.equal(await one.finish(end), true)
  const { ranMs, status } = await found(1000)
  assert.deepEqual([ranMs, status], [7000, 'completed'])
  assert.deepEqual((await found()).open, new Set([1001]))
  assert.ok(takeEvents().includes('job.started'))
})

test('all ends of a lease succeed although each response of the table is lost once', async () => {
  for (const method of ['finish', 'handOver', 'splitIntoChunks', 'retry', 'release'] as const) {
    const { table, held: claimAndKeep, found, takeSentTasks, job, jobs, takeEvents } = await createJob()
    table.losesResponses = true
    const one = await claimAndKeep()
    assert.equal((await found()).attempt, 1)
    const parts = [createChunkRecord(await found(), 1000, {}, secondsLater(0))]
    if (method === 'finish') {
      assert.equal(await one.finish(end), true)
      assert.deepEqual(
        [(await found()).status, (await job()).numbers],
        ['completed', { created: 1, queued: 2, started: 3 }],
      )
      assert.deepEqual([takeSentTasks().slice(-1), takeEvents()], [[2], ['job.started']])
      const last = new Lease(
        { services: { jobs }, ref: { jobId: 'job_1', task: 2 } } as unknown as TaskRun, // only the members that are used
        ...(['lease_2', log] as const),
      )
      await last.claim()
      last.startHeartbeat(await job(), () => {})
      assert.equal(await last.finish(end), true)
      const { status, sequence, numbers } = await job()
      assert.deepEqual(
        [status, sequence, numbers['ended'], takeEvents()],
        ['completed', 4, 4, ['job.completed']],
      )
    } else if (method === 'handOver') {
      assert.equal(await one.handOver({ pieces: [inputPlan], warnings: [] }), true)
      assert.deepEqual([(await found()).status, takeSentTasks()], ['pending', [1]])
    } else if (method === 'splitIntoChunks') {
      assert.equal(await one.splitIntoChunks(parts, { pieces: [inputPlan], warnings: [] }), true)
      assert.deepEqual([(await found()).partCount, takeSentTasks()], [1, [1]])
    } else {
      await one[method]()
      assert.deepEqual([(await found()).status, (await found()).leaseId], ['pending', undefined])
    }
  }
})

test('the end of a lease waits for the last heartbeat, and nothing is written afterwards', async (t) => {
  t.mock.timers.enable({ apis: ['Date', 'setInterval', 'setTimeout'], now: secondsLater(10) })
  for (const method of ['finish', 'handOver', 'splitIntoChunks', 'retry', 'release'] as const) {
    const { held: claimAndKeep, store, found, job, jobs, takeEvents } = await createJob()
    await jobs.completion.lifecycle.start(await job(), { number: 1, name: 'a' })
    takeEvents()
    const one = await claimAndKeep()
    const parts = [createChunkRecord(await found(), 1000, {}, secondsLater(0))]
    const written: string[] = []
    let goOn = () => {}
    const change = store.changeTask.bind(store)
    store.changeTask = async (...args) => {
      const isBeat = args[1].set?.['leaseUntil'] !== undefined
      written.push(isBeat ? 'beat' : 'end')
      if (isBeat) await new Promise<void>((resolve) => (goOn = resolve))
      return change(...args)
    }
    t.mock.timers.tick(3000)
    await turn()
    const ends = {
      finish: () => one.finish({ ...end, percent: 100 }),
      handOver: () => one.handOver({ pieces: [inputPlan], warnings: [] }),
      splitIntoChunks: () => one.splitIntoChunks(parts, { pieces: [inputPlan], warnings: [] }),
      retry: () => one.retry(),
      release: () => one.release(),
    }
    const over = ends[method]()
    await turn()
    assert.deepEqual(written, ['beat'], method)
    goOn()
    await over
    assert.equal(written[1], 'end')
    written.length = 0
    t.mock.timers.tick(9000)
    await turn()
    assert.deepEqual(written, [], method)
  }
})

test('the start of a job is published while its task runs, but not after it is released', async (t) => {
  t.mock.timers.enable({ apis: ['Date', 'setInterval', 'setTimeout'], now: secondsLater(10) })
  const { held: claimAndKeep, takeEvents } = await createJob()
  const one = await claimAndKeep()
  t.mock.timers.tick(299)
  await turn()
  assert.deepEqual(takeEvents(), [])
  t.mock.timers.tick(1)
  await turn()
  await one.stopHeartbeat()
  assert.deepEqual(takeEvents(), ['job.started'])
  const other = await createJob()
  const quick = await other.held()
  await quick.release()
  t.mock.timers.tick(3000)
  await turn()
  assert.deepEqual(other.takeEvents(), [])
})

test('progress is published after five points and half a second, or one point and two seconds', async (t) => {
  t.mock.timers.enable({ apis: ['Date', 'setInterval', 'setTimeout'], now: secondsLater(10) })
  const { held: claimAndKeep, takeEvents, job, jobs, found } = await createJob(only)
  await jobs.completion.lifecycle.start(await job(), { number: 1, name: 'a' })
  takeEvents()
  const one = await claimAndKeep()
  const tell = async (afterMs: number, percent: number) => {
    t.mock.timers.tick(afterMs)
    await turn()
    one.reportProgress(percent, 'encoding')
    await turn()
    return takeEvents().length
  }
  assert.equal(await tell(499, 5), 0, 'too soon')
  assert.equal(await tell(1, 4.9), 1, 'published progress never falls')
  assert.equal(await tell(500, 50), 1)
  assert.deepEqual([(await job()).running, (await job()).stage], [{ 1: 50 }, 'encoding'])
  assert.equal(await tell(500, 54.9), 0, 'too little')
  assert.equal(await tell(500, 55), 1)
  assert.equal(await tell(1999, 56), 0, 'too soon for so little')
  t.mock.timers.tick(1)
  assert.equal(await tell(0, 56), 1)
  t.mock.timers.tick(4000)
  await turn()
  const { percent, stage } = await found()
  assert.deepEqual([percent, stage], [56, 'encoding'])
  assert.equal(await tell(3000, 56.9), 0, 'nothing new')
  assert.equal(await tell(3000, 250), 1)
  assert.deepEqual((await job()).running, { 1: 99 })
  assert.equal(await tell(3000, 250), 0)
  assert.equal((await found()).percent, 99)
  await one.stopHeartbeat()
})

test('the percent of a join continues from that of the chunks', async (t) => {
  t.mock.timers.enable({ apis: ['Date', 'setInterval', 'setTimeout'], now: secondsLater(10) })
  const { held: claimAndKeep, change, found } = await createJob()
  await change({ status: 'processing', expandedBy: 1, partCount: 2 })
  const one = await claimAndKeep()
  one.reportProgress(50, 'joining')
  for (const ms of [300, 2700]) {
    t.mock.timers.tick(ms)
    await turn()
  }
  await one.stopHeartbeat()
  assert.equal((await found()).percent, 95)
})

test('the percent of a task does not fall when another worker takes over', async () => {
  const { held: claimAndKeep, change, found } = await createJob()
  await change({ percent: 60 })
  const one = await claimAndKeep()
  one.reportProgress(10, 'encoding')
  await one.saveRemaining({ begun: 'upload 1' })
  await one.stopHeartbeat()
  assert.equal((await found()).percent, 60)
})

test('a skipped progress update of a job with many tasks does not stop later ones', async (t) => {
  t.mock.timers.enable({ apis: ['Date', 'setInterval', 'setTimeout'], now: secondsLater(10) })
  const twenty = Array.from({ length: 20 }, (_, at) => newTask(`t${at}`, [0]))
  const { held: claimAndKeep, takeEvents, job, jobs } = await createJob([createStoredImport('in'), ...twenty])
  await jobs.completion.lifecycle.start(await job(), { number: 1, name: 't0' })
  takeEvents()
  const one = await claimAndKeep()
  for (const percent of [5, 10, 60]) {
    t.mock.timers.tick(600)
    await turn()
    one.reportProgress(percent, 'encoding')
    await turn()
  }
  await one.stopHeartbeat()
  assert.deepEqual([takeEvents(), (await job()).toldPercent], [['job.progress', 'job.progress'], 3])
})

test('a released task’s start time was that of the claim, not of the worker', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: secondsLater(10) })
  const { lease, found } = await createJob()
  const one = lease()
  t.mock.timers.setTime(secondsLater(12).getTime())
  await one.claim()
  assert.equal((await found()).startedAt, timestamp(12))
  await one.release()
  const { status, attempt, startedAt } = await found()
  assert.deepEqual([status, attempt, startedAt], ['pending', 0, undefined])
})

test('a chunk hides its message for the duration of its lease, and is aborted when it is no longer needed', async (t) => {
  t.mock.timers.enable({ apis: ['Date', 'setInterval', 'setTimeout'], now: secondsLater(10) })
  const { store, jobs, job, change, found } = await createJob()
  await change({ status: 'processing', expandedBy: 1, partCount: 4, open: new Set([1000, 1001, 1002]) })
  await store.addChunks([createChunkRecord(await found(), 1000, {}, secondsLater(0))])
  const hidden: number[] = []
  const run = {
    services: { jobs },
    ref: { jobId: 'job_1', task: 1, part: 1000 },
    extendVisibility: async (seconds: number) => void hidden.push(seconds),
  }
  const one = new Lease(run as unknown as TaskRun, 'lease_1', log) // only the members that are used
  await one.claim()
  let lost = 0
  one.startHeartbeat(await job(), () => lost++)
  await turn()
  assert.deepEqual(hidden, [16])
  const beat = async () => {
    t.mock.timers.tick(3000)
    await turn()
  }
  await change({ open: new Set([1001]) })
  // Its speculative copy was faster, which is only checked once the chunk has taken long.
  for (let beats = 6; beats > 0; beats--) await beat()
  assert.equal(lost, 0)
  await change({ open: new Set([1000, 1001, 1002]) })
  await beat()
  assert.equal(lost, 0, 'the chunk is needed')
  await change({ open: new Set([1001]) })
  await beat()
  assert.equal(lost, 1)
  await one.stopHeartbeat()
})
