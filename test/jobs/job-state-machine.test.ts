import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Change } from '../../lib/aws/table-expressions.ts'
import {
  decideNextAction,
  failsDependents,
  getJobPercent,
  getTaskPercent,
  isOutcomeKnown,
  isReadyToJoin,
} from '../../lib/jobs/job-state-machine.ts'
import { TaskCompletion } from '../../lib/jobs/task-completion.ts'
import type { Job } from '../../lib/model/job.ts'
import { applyChange, createExport, createStoredImport, newJob } from './records.ts'
import { pair } from './support/job-records.ts'

test('a task waits for open inputs, runs when all are complete, and is skipped when one has failed', () => {
  const someNumbers = new Set([1])
  const actions = [
    { open: someNumbers, fed: false },
    { open: someNumbers, fed: true },
    { open: someNumbers, got: new Set([2]), fed: false },
    { got: someNumbers, fed: false },
    { fed: true },
    // An input that failed under `continue_on_error` is not lost, but there are no files to process.
    { fed: false },
    { lost: someNumbers, fed: true },
    // The first lost input decides, even if others are still open.
    { lost: someNumbers, open: new Set([2]), got: new Set([3]), fed: false },
  ].map(decideNextAction)
  assert.deepEqual(actions, ['wait', 'wait', 'wait', 'run', 'run', 'skip', 'skip', 'skip'])
})

test('a task fails its dependents unless it completed or has continue_on_error', () => {
  for (const status of ['failed', 'cancelled'] as const) {
    assert.equal(failsDependents({ status, continueOnError: undefined }), true)
    assert.equal(failsDependents({ status, continueOnError: true }), false)
  }
  assert.equal(failsDependents({ status: 'completed', continueOnError: undefined }), false)
})

test('the progress of a split task follows its finished chunks and never decreases', () => {
  const [, workTask] = newJob(pair).tasks
  assert.ok(workTask)
  const half = { ...workTask, status: 'processing', percent: 50 } as const
  const splitTask = { ...half, expandedBy: 1, partCount: 3 }
  const open = (...numbers: number[]) => ({ ...splitTask, open: new Set(numbers) })
  const percents = [half, open(1000, 1001, 1002), open(1000, 1002), open(1002), splitTask].map(getTaskPercent)
  assert.deepEqual(percents, [50, 50, 50, 60, 90])
  assert.equal(getTaskPercent({ ...splitTask, status: 'completed', percent: 100 }), 100)
})

test('a split task is ready to be joined when no chunk is open or failed', () => {
  assert.equal(isReadyToJoin({ expandedBy: 1, open: undefined, lost: new Set([1000]) }), false)
  assert.equal(isReadyToJoin({ expandedBy: undefined, open: undefined }), false)
  assert.equal(isReadyToJoin({ expandedBy: 1, open: new Set([1000]) }), false)
  assert.equal(isReadyToJoin({ expandedBy: 1, open: undefined }), true)
})

test('the outcome of a job is known when all tasks have ended, or after the first failure with failFast', () => {
  const { job } = newJob(pair)
  const jobWithLostTask = { ...job, lost: new Set([1]) }
  assert.deepEqual(
    [
      job,
      { ...job, open: undefined },
      jobWithLostTask,
      { ...jobWithLostTask, failFast: true },
      { ...job, failFast: true },
    ].map(isOutcomeKnown),
    [false, true, false, true, false],
  )
})

test('the outcome of a job without any work is known from the start', () => {
  const { job } = newJob([createStoredImport('in'), createExport('out', [0])])
  assert.equal('open' in job, false)
  assert.equal(isOutcomeKnown(job), true)
})

test('the progress of a job counts finished and running tasks and never decreases', () => {
  const { job } = newJob(pair)
  assert.equal(getJobPercent(job), 0)
  assert.equal(getJobPercent({ ...job, running: { 1: 50 } }), 25)
  assert.equal(getJobPercent({ ...job, open: new Set([2]) }), 50)
  assert.equal(getJobPercent({ ...job, open: new Set([2]), running: { 2: 99 } }), 99)
  assert.equal(getJobPercent({ ...job, open: undefined }), 99)
  assert.equal(getJobPercent({ ...job, open: undefined, status: 'completed' }), 100)

  let [lastPercent, openTasks] = [0, [1, 2, 3, 4, 5, 6, 7]]
  const runningPercents: Record<string, number> = {}
  const random = createRandom(7)
  const check = () => {
    const percent = getJobPercent({
      ...job,
      units: 7,
      open: new Set(openTasks),
      running: { ...runningPercents },
    })
    assert.ok(percent >= lastPercent, `${percent} after ${lastPercent}`)
    lastPercent = percent
  }
  while (openTasks.length > 0) {
    const unit = openTasks[Math.floor(random() * openTasks.length)] ?? 0
    runningPercents[unit] = (runningPercents[unit] ?? 0) + random() * 30
    check()
    if (runningPercents[unit] < 99) continue
    // A single write removes the unit from the running and the open units.
    delete runningPercents[unit]
    openTasks = openTasks.filter((number) => number !== unit)
    check()
  }
})

test('a task that restarts does not reduce the stored progress of its job', async () => {
  const { job } = newJob(pair)
  // The task `right` ended after the last progress event; the task `left` had made more progress before its worker
  // died.
  let storedJob: Job = {
    ...job,
    status: 'processing',
    open: new Set([1]),
    running: { 1: 60 },
    toldPercent: 30,
  }
  const percentBefore = getJobPercent(storedJob)
  const store = {
    changeJob: async (_id: string, change: Change) => {
      storedJob = applyChange(storedJob, change)
      return { applied: true, record: storedJob }
    },
  }
  const deps = { store, bus: { publish: async () => undefined }, getSubscribers: async () => () => [] }
  const completion = new TaskCompletion(deps as unknown as ConstructorParameters<typeof TaskCompletion>[0])
  await completion.lifecycle.publishProgress(storedJob, 1, {
    percent: 41,
    stage: 'convert',
    taskName: 'left',
  })
  assert.deepEqual([storedJob.toldPercent, getJobPercent(storedJob)], [percentBefore, percentBefore])
})

test('the start of a job records the first task and uses the next sequence number', async () => {
  const { job } = newJob(pair)
  const requestedChanges: Change[] = []
  const store = {
    changeJob: async (_id: string, change: Change) => {
      requestedChanges.push(change)
      return { applied: false, record: job }
    },
  }
  const deps = { store, bus: { publish: async () => undefined }, getSubscribers: async () => () => [] }
  const { lifecycle } = new TaskCompletion(deps as unknown as ConstructorParameters<typeof TaskCompletion>[0])
  await lifecycle.start(job, { number: 2, name: 'right' })
  const [firstChange] = requestedChanges
  const { startedAt, ...set } = firstChange?.set ?? {}
  assert.deepEqual(set, {
    status: 'processing',
    startedWith: 2,
    stage: 'convert',
    taskName: 'right',
    'log.started': { at: startedAt },
  })
  assert.deepEqual(firstChange?.setPlus, { 'numbers.started': ['sequence', 1], sequence: ['sequence', 1] })
})

test('each progress update is published once by the process that stored it', async () => {
  let storedJob: Job = { ...newJob(pair).job, status: 'processing', open: new Set([1]) }
  const publishedEvents: unknown[] = []
  const store = {
    changeJob: async (_id: string, change: Change) => {
      const { log } = storedJob
      storedJob = applyChange(storedJob, change)
      const logFields = Object.entries(change.set ?? {}).filter(([name]) => name.startsWith('log.'))
      for (const [name, fact] of logFields)
        storedJob = { ...storedJob, log: { ...log, [name.slice(4)]: fact as (typeof log)[string] } } // The record as it was set.
      return { applied: true, record: storedJob }
    },
  }
  const bus = { publish: async (events: readonly unknown[]) => publishedEvents.push(...events) }
  const deps = { store, bus, getSubscribers: async () => () => [] }
  const { lifecycle } = new TaskCompletion(deps as unknown as ConstructorParameters<typeof TaskCompletion>[0])
  for (const percent of [20, 40, 60])
    await lifecycle.publishProgress(storedJob, 1, { percent, stage: 'convert', taskName: 'left' })
  assert.equal(publishedEvents.length, 3)
})

/** Creates a generator of numbers from 0 to 1, which are the same for the same seed (Park and Miller). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}
