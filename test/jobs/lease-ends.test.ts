import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Lease } from '../../lib/jobs/run/lease.ts'
import type { TaskRun } from '../../lib/jobs/run/task-run.ts'
import { createChunkRecord } from '../../lib/jobs/task-graph.ts'
import type { Task } from '../../lib/model/job.ts'
import { createMemoryJobs } from './memory-jobs.ts'
import {
  createExport,
  createRecords,
  createStoredImport,
  file,
  newTask,
  secondsLater,
  timestamp,
} from './records.ts'
import { createJob, end, inputPlan, log, onlyTasks, twoTaskGraph } from './support/leases.ts'

test('only one worker at a time can claim a task, and the next claim counts as another attempt', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: secondsLater(10) })
  const { lease, readTask } = await createJob()
  const ownLease = lease()
  assert.equal((await ownLease.claim()).applied, true)
  const { status, attempt, leaseId, leaseUntil, startedAt } = await readTask()
  assert.deepEqual(
    [status, attempt, leaseId, leaseUntil, startedAt],
    ['processing', 1, 'lease_1', timestamp(25), timestamp(10)],
  )
  t.mock.timers.setTime(secondsLater(24).getTime())
  const otherClaim = await lease('lease_2').claim()
  assert.deepEqual([otherClaim.applied, otherClaim.record?.leaseId], [false, 'lease_1'])
  t.mock.timers.setTime(secondsLater(25).getTime())
  assert.equal((await lease('lease_2').claim()).applied, true)
  const taskAgain = await readTask()
  assert.deepEqual([taskAgain.attempt, taskAgain.leaseId, taskAgain.startedAt], [2, 'lease_2', timestamp(10)])
})

test('a task that waits for inputs or chunks, or has ended, cannot be claimed', async () => {
  const splitFields = { status: 'processing', expandedBy: 1, partCount: 2 } as const
  const numbers = new Set([1000])
  for (const [set, applied] of [
    [{}, true],
    [{ open: numbers }, false],
    [{ lost: numbers }, false],
    [{ status: 'completed' }, false],
    [{ status: 'cancelled', leaseUntil: timestamp(-9) }, false],
    [{ status: 'processing' }, false],
    [splitFields, true],
    [{ ...splitFields, status: 'completed' }, false],
    [{ ...splitFields, open: numbers }, false],
    [{ ...splitFields, lost: numbers }, false],
    [{ ...splitFields, leaseId: 'lease_2', leaseUntil: timestamp(9e8) }, false],
  ] as const) {
    const { change, lease } = await createJob()
    await change(set as Partial<Task>)
    assert.equal((await lease().claim()).applied, applied, JSON.stringify(set))
  }
})

for (const isStarted of [false, true])
  test(`the only task of a ${isStarted ? 'started' : 'queued'} job ends in one write, and the job ends in the next write`, async () => {
    const {
      claimAndHold: claimTask,
      job,
      readTask,
      jobs,
      takeEvents,
      table,
      bus,
    } = await createJob(onlyTasks)
    if (isStarted) await jobs.completion.lifecycle.start(await job(), { number: 1, name: 'a' })
    takeEvents()
    const eventCountBefore = bus.events.length
    const lease = await claimTask()
    let updates = 0
    const update = table.update.bind(table)
    table.update = async (...args) => {
      updates += 1
      return update(...args)
    }
    assert.equal(await lease.finish(end), true)
    assert.equal(updates, 2)
    const { status, numbers, sequence, startedWith, endedBy, result } = await job()
    assert.deepEqual(
      [status, numbers, sequence, startedWith, endedBy],
      ['completed', { created: 1, queued: 2, started: 3, ended: 4 }, 4, 1, 'lease_1'],
    )
    assert.deepEqual(
      result?.files.map(({ filename }) => filename),
      ['a.png'],
    )
    const { leaseId, leaseUntil, pieces, stage, ...over } = await readTask()
    assert.deepEqual([over.status, over.endedBy, over.percent], ['completed', 'lease_1', 100])
    assert.deepEqual([leaseId, leaseUntil, pieces, stage], [undefined, undefined, undefined, undefined])
    assert.deepEqual(
      bus.events.slice(eventCountBefore).map(({ event, sequence: number }) => [event, number]),
      [...(isStarted ? [] : [['job.started', 3]]), ['job.completed', 4]],
    )
    assert.deepEqual(bus.contradictions, [])
    // Repeated events are identical.
    await jobs.completion.lifecycle.republishEnd('job_1')
    assert.equal(takeEvents().at(-1), 'job.completed')
  })

test('if a job changes while its only task runs, job.started and job.completed get the next sequence numbers', async () => {
  const { claimAndHold: claimTask, job, jobs, takeEvents, bus } = await createJob(onlyTasks)
  const lease = await claimTask()
  const subscribedJob = { ...(await job()), hasWebhook: true as const }
  await jobs.publishDownload(subscribedJob, file('a.png'), { isSigned: false, ip: null })
  takeEvents()
  assert.equal(await lease.finish(end), true)
  assert.deepEqual(takeEvents(), ['job.started', 'job.completed'])
  const { status, sequence, numbers } = await job()
  assert.deepEqual([status, sequence, numbers['ended']], ['completed', 5, 5])
  assert.deepEqual(
    bus.events.slice(-2).map((event) => event.sequence),
    [4, 5],
  )
})

test('finishing a task after another worker took it over, or after it was cancelled, changes nothing', async () => {
  const { claimAndHold: claimTask, change, job, readTask, takeEvents } = await createJob(onlyTasks)
  const lease = await claimTask()
  await change({ leaseId: 'lease_2' })
  assert.deepEqual([await lease.finish(end), (await readTask()).status], [false, 'processing'])
  assert.notEqual((await job()).status, 'completed')
  takeEvents()
  const otherJob = await createJob(onlyTasks)
  const cancelledLease = await otherJob.claimAndHold()
  await otherJob.jobs.cancel('job_1', 'user')
  otherJob.takeEvents()
  assert.deepEqual(
    [await cancelledLease.finish(end), (await otherJob.readTask()).status],
    [false, 'cancelled'],
  )
  assert.deepEqual([(await otherJob.job()).status, otherJob.takeEvents()], ['cancelled', []])
})

test('finishing a task that another worker took over does not send its dependents', async () => {
  const { claimAndHold: claimTask, change, readTask, takeSentTasks, takeEvents } = await createJob()
  const lease = await claimTask()
  await change({ leaseId: 'lease_2' })
  assert.deepEqual(
    [await lease.finish(end), (await readTask()).status, takeSentTasks()],
    [false, 'processing', []],
  )
  assert.deepEqual(takeEvents(), ['job.started'])
})

test('a job that is cancelled while its only task publishes progress stays cancelled', async () => {
  const { claimAndHold: claimTask, store, readTask, job } = await createJob(onlyTasks)
  const lease = await claimTask()
  lease.reportProgress(50, 'encoding')
  await store.changeJob('job_1', { set: { status: 'cancelled' } })
  await lease.stopHeartbeat()
  lease.reportProgress(90, 'encoding')
  await turn()
  assert.equal(await lease.finish(end), true)
  assert.deepEqual([(await job()).status, (await readTask()).status], ['cancelled', 'completed'])
})

test('the result of a job with one task includes imported files that are not stored in the job record', async () => {
  const manyTasks = Array.from({ length: 20 }, (_, at) =>
    createStoredImport(`in-${at}`, `${'long name '.repeat(9)}${at}.png`),
  )
  const { store, jobs, takeEvents } = createMemoryJobs()
  await jobs.create(createRecords([...manyTasks, newTask('a', [0]), createExport('out', [20, 0])]))
  const ref = { jobId: 'job_1', task: 20 }
  const run = { services: { jobs }, ref, extendVisibility: async () => {} }
  const lease = new Lease(run as unknown as TaskRun, 'lease_1', log) // a stub with only the members that are used
  await lease.claim()
  const job = await store.getJob('job_1')
  assert.ok(job && !job.fixed)
  lease.startHeartbeat(job, () => {})
  assert.equal(await lease.finish(end), true)
  assert.equal((await store.getJob('job_1'))?.result?.files.length, 2)
  assert.deepEqual(takeEvents().slice(-2), ['job.started', 'job.completed'])
})

test('a job whose only task imports a file publishes file.uploaded, job.started and job.completed when the task ends', async () => {
  const { claimAndHold: claimTask, takeEvents } = await createJob([
    ...[createStoredImport('in'), newTask('a', [], { operation: 'import/url' }), createExport('out', [1])],
  ])
  const lease = await claimTask()
  assert.equal(await lease.finish(end), true)
  assert.deepEqual(takeEvents(), ['file.uploaded', 'job.started', 'job.completed'])
})

test('when one of several tasks ends, the next one is sent and the start of the job is published', async () => {
  const { claimAndHold: claimTask, takeSentTasks, takeEvents, job, readTask, change } = await createJob()
  await change({ pieces: [inputPlan], begun: 'upload 1', stage: 'encoding' })
  const lease = await claimTask()
  assert.equal(await lease.finish({ ...end, engine: 'vips' }), true)
  const { leaseId, leaseUntil, pieces, begun, stage } = await readTask()
  assert.deepEqual([leaseId, leaseUntil, pieces, begun, stage], Array(5).fill(undefined))
  assert.deepEqual([takeSentTasks(), takeEvents()], [[2], ['job.started']])
  const { status, startedWith } = await job()
  assert.deepEqual([status, startedWith, (await readTask()).engine], ['processing', 1, 'vips'])
  const { ranMs, endedAt } = await readTask()
  assert.ok(endedAt)
  assert.equal(ranMs, undefined)
})

test('a stored task outcome is not replaced if the same worker reports a different one', async () => {
  const { claimAndHold: claimTask, bus, readTask } = await createJob(onlyTasks)
  const lease = await claimTask()
  bus.failNext(1)
  await assert.rejects(lease.finish(end), /the bus rejected/)
  assert.equal(await lease.finish({ status: 'failed', code: 'CONVERSION_FAILED', message: '' }), false)
  assert.equal((await readTask()).status, 'completed')
})

test('a failed task can be retried after its second attempt, but not after its third', async () => {
  for (const [claimed, left, again] of [
    [{ attempt: 1 }, 'pending', true],
    [{ attempt: 2 }, 'processing', false],
    [{ attempt: 0, status: 'processing', expandedBy: 1, partCount: 2 }, 'processing', true],
  ] as const) {
    const { claimAndHold: claimTask, change, readTask } = await createJob()
    await change({ ...claimed })
    const lease = await claimTask()
    assert.equal(await lease.retry(), again)
    const { status, leaseId, leaseUntil, attempt } = await readTask()
    assert.deepEqual([status, attempt], [left, claimed.attempt + 1])
    if (again) assert.deepEqual([leaseId, leaseUntil], [undefined, undefined])
    else assert.equal(leaseId, 'lease_1')
    await lease.stopHeartbeat()
  }
})

test('splitting a task sends its chunks, and the task waits for them', async () => {
  const { claimAndHold: claimTask, readTask, queues, change } = await createJob()
  await change({ percent: 30, got: new Set([9]) })
  const lease = await claimTask()
  const chunks = [1000, 1001].map((chunkNumber) =>
    createChunkRecord(
      { ...createRecords(twoTaskGraph).tasks[0], number: 1 } as Task,
      chunkNumber,
      {},
      secondsLater(0),
    ),
  )
  const warnings = [{ code: 'SHARED', message: 'It was split.' }]
  lease.reportProgress(35, 'reading')
  assert.equal(await lease.splitIntoChunks(chunks, { pieces: [inputPlan], warnings }), true)
  const { open, got, leaseId, leaseUntil, endedBy, stage, ...rest } = await readTask()
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
  assert.equal((await readTask(1001)).status, 'pending')
})

test('a worker that lost its task cannot split it or hand it over', async () => {
  const { claimAndHold: claimTask, change, takeSentTasks, store, ref, readTask } = await createJob()
  const lease = await claimTask()
  await change({ leaseId: 'lease_2' })
  const taskBefore = await readTask()
  const chunks = [createChunkRecord(taskBefore, 1000, {}, secondsLater(0))]
  assert.equal(await lease.splitIntoChunks(chunks, { pieces: [inputPlan], warnings: [] }), false)
  assert.equal(await store.getTask({ ...ref, part: 1000 }), undefined)
  assert.equal(await lease.handOver({ pieces: [inputPlan], warnings: [] }), false)
  await lease.release()
  assert.deepEqual([await readTask(), takeSentTasks()], [taskBefore, []])
})

test('handing over a task whose chunks are complete removes the fields about chunks from its record', async () => {
  const { claimAndHold: claimTask, change, readTask, takeSentTasks } = await createJob()
  await change({ status: 'processing', expandedBy: 1, partCount: 2, got: new Set([1000]), percent: 5 })
  const lease = await claimTask()
  assert.equal(await lease.handOver({ pieces: [inputPlan], warnings: [], engine: 'vips' }), true)
  const { status, attempt, percent, endedBy, pieces, engine, ...rest } = await readTask()
  assert.deepEqual(
    [status, attempt, percent, endedBy, pieces, engine],
    ['pending', 0, 90, 'lease_1', [inputPlan], 'vips'],
  )
  const { leaseId, leaseUntil, expandedBy, partCount, got } = rest
  assert.deepEqual([leaseId, leaseUntil, expandedBy, partCount, got], Array(5).fill(undefined))
  assert.deepEqual(takeSentTasks(), [1])
})
