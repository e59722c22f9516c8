import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Lease } from '../../lib/jobs/run/lease.ts'
import type { TaskRun } from '../../lib/jobs/run/task-run.ts'
import { createChunkRecord } from '../../lib/jobs/task-graph.ts'
import { createStoredImport, newTask, secondsLater, timestamp } from './records.ts'
import { createJob, end, inputPlan, log, onlyTasks } from './support/leases.ts'

test('finishing a chunk records its processing time, updates its task and publishes the start of the job', async (t) => {
  t.mock.timers.enable({ apis: ['Date', 'setInterval', 'setTimeout'], now: secondsLater(10) })
  const { store, change, readTask, claimAndHold: claimAndKeep, takeEvents } = await createJob()
  await change({ status: 'processing', expandedBy: 1, partCount: 2, open: new Set([1000, 1001]) })
  await store.addChunks([createChunkRecord(await readTask(), 1000, {}, secondsLater(0))])
  const lease = await claimAndKeep('lease_1', 1000)
  t.mock.timers.setTime(secondsLater(17).getTime())
  assert.equal(await lease.finish(end), true)
  const { ranMs, status } = await readTask(1000)
  assert.deepEqual([ranMs, status], [7000, 'completed'])
  assert.deepEqual((await readTask()).open, new Set([1001]))
  assert.ok(takeEvents().includes('job.started'))
})

test('a task lease ends successfully even if the first response to each table write is lost', async () => {
  for (const method of ['finish', 'handOver', 'splitIntoChunks', 'retry', 'release'] as const) {
    const {
      table,
      claimAndHold: claimAndKeep,
      readTask,
      takeSentTasks,
      job,
      jobs,
      takeEvents,
    } = await createJob()
    table.isLosingResponses = true
    const lease = await claimAndKeep()
    assert.equal((await readTask()).attempt, 1)
    const chunks = [createChunkRecord(await readTask(), 1000, {}, secondsLater(0))]
    if (method === 'finish') {
      assert.equal(await lease.finish(end), true)
      assert.deepEqual(
        [(await readTask()).status, (await job()).numbers],
        ['completed', { created: 1, queued: 2, started: 3 }],
      )
      assert.deepEqual([takeSentTasks().slice(-1), takeEvents()], [[2], ['job.started']])
      const lastLease = new Lease(
        { services: { jobs }, ref: { jobId: 'job_1', task: 2 } } as TaskRun, // a stub with only the members that are used
        ...(['lease_2', log] as const),
      )
      await lastLease.claim()
      lastLease.startHeartbeat(await job(), () => {})
      assert.equal(await lastLease.finish(end), true)
      const { status, sequence, numbers } = await job()
      assert.deepEqual(
        [status, sequence, numbers['ended'], takeEvents()],
        ['completed', 4, 4, ['job.completed']],
      )
    } else if (method === 'handOver') {
      assert.equal(await lease.handOver({ pieces: [inputPlan], warnings: [] }), true)
      assert.deepEqual([(await readTask()).status, takeSentTasks()], ['pending', [1]])
    } else if (method === 'splitIntoChunks') {
      assert.equal(await lease.splitIntoChunks(chunks, { pieces: [inputPlan], warnings: [] }), true)
      assert.deepEqual([(await readTask()).partCount, takeSentTasks()], [1, [1]])
    } else {
      await lease[method]()
      assert.deepEqual([(await readTask()).status, (await readTask()).leaseId], ['pending', undefined])
    }
  }
})

test('a task lease ends only after the heartbeat in progress, and the task is not written afterwards', async (t) => {
  t.mock.timers.enable({ apis: ['Date', 'setInterval', 'setTimeout'], now: secondsLater(10) })
  for (const method of ['finish', 'handOver', 'splitIntoChunks', 'retry', 'release'] as const) {
    const { claimAndHold: claimAndKeep, store, readTask, job, jobs, takeEvents } = await createJob()
    await jobs.completion.lifecycle.start(await job(), { number: 1, name: 'a' })
    takeEvents()
    const lease = await claimAndKeep()
    const chunks = [createChunkRecord(await readTask(), 1000, {}, secondsLater(0))]
    const writtenKeys: string[] = []
    let finishWrite = () => {}
    const changeTask = store.changeTask.bind(store)
    store.changeTask = async (...args) => {
      const isHeartbeat = args[1].set?.['leaseUntil'] !== undefined
      writtenKeys.push(isHeartbeat ? 'beat' : 'end')
      if (isHeartbeat) await new Promise<void>((resolve) => (finishWrite = resolve))
      return changeTask(...args)
    }
    t.mock.timers.tick(3000)
    await turn()
    const endLeaseBy = {
      finish: () => lease.finish({ ...end, percent: 100 }),
      handOver: () => lease.handOver({ pieces: [inputPlan], warnings: [] }),
      splitIntoChunks: () => lease.splitIntoChunks(chunks, { pieces: [inputPlan], warnings: [] }),
      retry: () => lease.retry(),
      release: () => lease.release(),
    }
    const over = endLeaseBy[method]()
    await turn()
    assert.deepEqual(writtenKeys, ['beat'], method)
    finishWrite()
    await over
    assert.equal(writtenKeys[1], 'end')
    writtenKeys.length = 0
    t.mock.timers.tick(9000)
    await turn()
    assert.deepEqual(writtenKeys, [], method)
  }
})

test('the start of a job is published while its task runs, but not after the lease of the task is released', async (t) => {
  t.mock.timers.enable({ apis: ['Date', 'setInterval', 'setTimeout'], now: secondsLater(10) })
  const { claimAndHold: claimAndKeep, takeEvents } = await createJob()
  const lease = await claimAndKeep()
  t.mock.timers.tick(299)
  await turn()
  assert.deepEqual(takeEvents(), [])
  t.mock.timers.tick(1)
  await turn()
  await lease.stopHeartbeat()
  assert.deepEqual(takeEvents(), ['job.started'])
  const otherJob = await createJob()
  const quickLease = await otherJob.claimAndHold()
  await quickLease.release()
  t.mock.timers.tick(3000)
  await turn()
  assert.deepEqual(otherJob.takeEvents(), [])
})

test('the progress of a task is published after five points and half a second, or after one point and two seconds', async (t) => {
  t.mock.timers.enable({ apis: ['Date', 'setInterval', 'setTimeout'], now: secondsLater(10) })
  const { claimAndHold: claimAndKeep, takeEvents, job, jobs, readTask } = await createJob(onlyTasks)
  await jobs.completion.lifecycle.start(await job(), { number: 1, name: 'a' })
  takeEvents()
  const lease = await claimAndKeep()
  const countPublications = async (afterMs: number, percent: number) => {
    t.mock.timers.tick(afterMs)
    await turn()
    lease.reportProgress(percent, 'encoding')
    await turn()
    return takeEvents().length
  }
  assert.equal(await countPublications(499, 5), 0, 'too soon')
  assert.equal(await countPublications(1, 4.9), 1, 'published progress never falls')
  assert.equal(await countPublications(500, 50), 1)
  assert.deepEqual([(await job()).running, (await job()).stage], [{ 1: 50 }, 'encoding'])
  assert.equal(await countPublications(500, 54.9), 0, 'too little')
  assert.equal(await countPublications(500, 55), 1)
  assert.equal(await countPublications(1999, 56), 0, 'too soon for so little')
  t.mock.timers.tick(1)
  assert.equal(await countPublications(0, 56), 1)
  t.mock.timers.tick(4000)
  await turn()
  const { percent, stage } = await readTask()
  assert.deepEqual([percent, stage], [56, 'encoding'])
  assert.equal(await countPublications(3000, 56.9), 0, 'nothing new')
  assert.equal(await countPublications(3000, 250), 1)
  assert.deepEqual((await job()).running, { 1: 99 })
  assert.equal(await countPublications(3000, 250), 0)
  assert.equal((await readTask()).percent, 99)
  await lease.stopHeartbeat()
})

test('the progress of joining chunks continues from the progress of the chunks', async (t) => {
  t.mock.timers.enable({ apis: ['Date', 'setInterval', 'setTimeout'], now: secondsLater(10) })
  const { claimAndHold: claimAndKeep, change, readTask } = await createJob()
  await change({ status: 'processing', expandedBy: 1, partCount: 2 })
  const lease = await claimAndKeep()
  lease.reportProgress(50, 'joining')
  for (const ms of [300, 2700]) {
    t.mock.timers.tick(ms)
    await turn()
  }
  await lease.stopHeartbeat()
  assert.equal((await readTask()).percent, 95)
})

test('the progress of a task does not decrease when another worker takes it over', async () => {
  const { claimAndHold: claimAndKeep, change, readTask } = await createJob()
  await change({ percent: 60 })
  const lease = await claimAndKeep()
  lease.reportProgress(10, 'encoding')
  await lease.saveRemaining({ begun: 'upload 1' })
  await lease.stopHeartbeat()
  assert.equal((await readTask()).percent, 60)
})

test('a skipped progress update of a job with many tasks does not stop later ones', async (t) => {
  t.mock.timers.enable({ apis: ['Date', 'setInterval', 'setTimeout'], now: secondsLater(10) })
  const twentyTasks = Array.from({ length: 20 }, (_, at) => newTask(`t${at}`, [0]))
  const {
    claimAndHold: claimAndKeep,
    takeEvents,
    job,
    jobs,
  } = await createJob([createStoredImport('in'), ...twentyTasks])
  await jobs.completion.lifecycle.start(await job(), { number: 1, name: 't0' })
  takeEvents()
  const lease = await claimAndKeep()
  for (const percent of [5, 10, 60]) {
    t.mock.timers.tick(600)
    await turn()
    lease.reportProgress(percent, 'encoding')
    await turn()
  }
  await lease.stopHeartbeat()
  assert.deepEqual([takeEvents(), (await job()).toldPercent], [['job.progress', 'job.progress'], 3])
})

test('the start time of a task is the time of its claim, and is removed if the task is released', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: secondsLater(10) })
  const { lease, readTask } = await createJob()
  const firstLease = lease()
  t.mock.timers.setTime(secondsLater(12).getTime())
  await firstLease.claim()
  assert.equal((await readTask()).startedAt, timestamp(12))
  await firstLease.release()
  const { status, attempt, startedAt } = await readTask()
  assert.deepEqual([status, attempt, startedAt], ['pending', 0, undefined])
})

test('the message of a claimed chunk is hidden while its lease lasts, and the chunk is aborted when no longer needed', async (t) => {
  t.mock.timers.enable({ apis: ['Date', 'setInterval', 'setTimeout'], now: secondsLater(10) })
  const { store, jobs, job, change, readTask } = await createJob()
  await change({ status: 'processing', expandedBy: 1, partCount: 4, open: new Set([1000, 1001, 1002]) })
  await store.addChunks([createChunkRecord(await readTask(), 1000, {}, secondsLater(0))])
  const hiddenSeconds: number[] = []
  const run = {
    services: { jobs },
    ref: { jobId: 'job_1', task: 1, part: 1000 },
    extendVisibility: async (seconds: number) => void hiddenSeconds.push(seconds),
  }
  const lease = new Lease(run as TaskRun, 'lease_1', log) // a stub with only the members that are used
  await lease.claim()
  let lostCount = 0
  lease.startHeartbeat(await job(), () => lostCount++)
  await turn()
  assert.deepEqual(hiddenSeconds, [16])
  const beat = async () => {
    t.mock.timers.tick(3000)
    await turn()
  }
  await change({ open: new Set([1001]) })
  // The speculative copy of the chunk was faster, but the worker checks that only after the chunk has run for a while.
  for (let beatsLeft = 6; beatsLeft > 0; beatsLeft--) await beat()
  assert.equal(lostCount, 0)
  await change({ open: new Set([1000, 1001, 1002]) })
  await beat()
  assert.equal(lostCount, 0, 'the chunk is needed')
  await change({ open: new Set([1001]) })
  await beat()
  assert.equal(lostCount, 1)
  await lease.stopHeartbeat()
})
