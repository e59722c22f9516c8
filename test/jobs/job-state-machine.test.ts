import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Change } from '../../lib/aws/table-expressions.ts'
import { findUnpublishedEvents } from '../../lib/jobs/events.ts'
import { jobEndChange } from '../../lib/jobs/job-end.ts'
import {
  decideNextAction,
  decideOutcome,
  failsDependents,
  filesOfJob,
  filesOfTask,
  findStalledTasks,
  isOutcomeKnown,
  isReadyToJoin,
  leaseGraceS,
  nameExportFiles,
  percentOf,
  percentOfTask,
  resultFiles,
  resultOfJob,
  statusOfFixed,
  warningsOf,
} from '../../lib/jobs/job-state-machine.ts'
import { nextImageOf, resolveConversion } from '../../lib/jobs/next-image.ts'
import { TaskCompletion } from '../../lib/jobs/task-completion.ts'
import { createRetention } from '../../lib/model/fidelity.ts'
import { Job, type JobState, type Task, type Warning } from '../../lib/model/job.ts'
import {
  applyChange,
  complete,
  createAwaitedUpload,
  createExport,
  createStoredImport,
  fail,
  file,
  newJob,
  newTask,
  secondsLater,
  timestamp,
  withTasks,
} from './records.ts'

const chain = [
  createStoredImport('in'),
  newTask('first', [0]),
  newTask('second', [1]),
  createExport('out', [2]),
]
const conversion = [createStoredImport('in'), newTask('work', [0]), createExport('out', [1])]
const skip = (second: number): Partial<Task> => ({
  status: 'cancelled',
  code: 'INPUT_TASK_FAILED',
  endedAt: timestamp(second),
  open: undefined,
})
const pair = [
  createStoredImport('in'),
  newTask('left', [0]),
  newTask('right', [0]),
  createExport('out', [1, 2]),
]
const none: readonly string[] = []
const names = (tasks: readonly Task[]) => tasks.map(({ name }) => name)

test('a task waits for open inputs, runs when all are complete, and is skipped when one is lost', () => {
  const some = new Set([1])
  const actions = [
    { open: some, fed: false },
    { open: some, fed: true },
    { open: some, got: new Set([2]), fed: false },
    { got: some, fed: false },
    { fed: true },
    // An input that failed under `continue_on_error` is not lost, but there are no files to process.
    { fed: false },
    { lost: some, fed: true },
    // The first lost input decides, even if others are still open.
    { lost: some, open: new Set([2]), got: new Set([3]), fed: false },
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

test('the percent of a split task is that of its finished chunks, but never less than before', () => {
  const [, work] = newJob(pair).tasks
  assert.ok(work)
  const half = { ...work, status: 'processing', percent: 50 } as const
  const split = { ...half, expandedBy: 1, partCount: 3 }
  const open = (...numbers: number[]) => ({ ...split, open: new Set(numbers) })
  const percents = [half, open(1000, 1001, 1002), open(1000, 1002), open(1002), split].map(percentOfTask)
  assert.deepEqual(percents, [50, 50, 50, 60, 90])
  assert.equal(percentOfTask({ ...split, status: 'completed', percent: 100 }), 100)
})

test('a split task is ready to be joined when no chunk is open or lost', () => {
  assert.equal(isReadyToJoin({ expandedBy: 1, open: undefined, lost: new Set([1000]) }), false)
  assert.equal(isReadyToJoin({ expandedBy: undefined, open: undefined }), false)
  assert.equal(isReadyToJoin({ expandedBy: 1, open: new Set([1000]) }), false)
  assert.equal(isReadyToJoin({ expandedBy: 1, open: undefined }), true)
})

test('the outcome of a job is known when all tasks are over, or after the first failure with failFast', () => {
  const { job } = newJob(pair)
  const lost = { ...job, lost: new Set([1]) }
  assert.deepEqual(
    [job, { ...job, open: undefined }, lost, { ...lost, failFast: true }, { ...job, failFast: true }].map(
      isOutcomeKnown,
    ),
    [false, true, false, true, false],
  )
})

test('the outcome of a job without work is known from the start', () => {
  const { job } = newJob([createStoredImport('in'), createExport('out', [0])])
  assert.equal('open' in job, false)
  assert.equal(isOutcomeKnown(job), true)
})

test('the percent of a job counts finished and running tasks and never falls', () => {
  const { job } = newJob(pair)
  assert.equal(percentOf(job), 0)
  assert.equal(percentOf({ ...job, running: { 1: 50 } }), 25)
  assert.equal(percentOf({ ...job, open: new Set([2]) }), 50)
  assert.equal(percentOf({ ...job, open: new Set([2]), running: { 2: 99 } }), 99)
  assert.equal(percentOf({ ...job, open: undefined }), 99)
  assert.equal(percentOf({ ...job, open: undefined, status: 'completed' }), 100)

  let [last, open] = [0, [1, 2, 3, 4, 5, 6, 7]]
  const running: Record<string, number> = {}
  const random = randomFrom(7)
  const check = () => {
    const percent = percentOf({ ...job, units: 7, open: new Set(open), running: { ...running } })
    assert.ok(percent >= last, `${percent} after ${last}`)
    last = percent
  }
  while (open.length > 0) {
    const unit = open[Math.floor(random() * open.length)] ?? 0
    running[unit] = (running[unit] ?? 0) + random() * 30
    check()
    if (running[unit] < 99) continue
    // A single write removes it from both.
    delete running[unit]
    open = open.filter((number) => number !== unit)
    check()
  }
})

test('a task that restarts does not reduce the stored progress', async () => {
  const { job } = newJob(pair)
  // The right task ended after the last progress event; the left one had got further before its worker died.
  let stored: Job = {
    ...job,
    status: 'processing',
    open: new Set([1]),
    running: { 1: 60 },
    toldPercent: 30,
  }
  const before = percentOf(stored)
  const store = {
    changeJob: async (_id: string, change: Change) => {
      stored = applyChange(stored, change)
      return { applied: true, record: stored }
    },
  }
  const parts = { store, bus: { publish: async () => undefined }, getSubscribers: async () => () => [] }
  const completion = new TaskCompletion(parts as unknown as ConstructorParameters<typeof TaskCompletion>[0])
  await completion.lifecycle.publishProgress(stored, 1, { percent: 41, stage: 'convert', taskName: 'left' })
  assert.deepEqual([stored.toldPercent, percentOf(stored)], [before, before])
})

test('the start of a job records the first task and takes the next sequence number', async () => {
  const { job } = newJob(pair)
  const asked: Change[] = []
  const store = {
    changeJob: async (_id: string, change: Change) => {
      asked.push(change)
      return { applied: false, record: job }
    },
  }
  const parts = { store, bus: { publish: async () => undefined }, getSubscribers: async () => () => [] }
  const { lifecycle } = new TaskCompletion(
    parts as unknown as ConstructorParameters<typeof TaskCompletion>[0],
  )
  await lifecycle.start(job, { number: 2, name: 'right' })
  const [first] = asked
  const { startedAt, ...set } = first?.set ?? {}
  assert.deepEqual(set, {
    status: 'processing',
    startedWith: 2,
    stage: 'convert',
    taskName: 'right',
    'log.started': { at: startedAt },
  })
  assert.deepEqual(first?.setPlus, { 'numbers.started': ['sequence', 1], sequence: ['sequence', 1] })
})

test('progress is published once by the process that stored it, even if it is replaced', async () => {
  let stored: Job = { ...newJob(pair).job, status: 'processing', open: new Set([1]) }
  const published: unknown[] = []
  const store = {
    changeJob: async (_id: string, change: Change) => {
      const { log } = stored
      stored = applyChange(stored, change)
      const facts = Object.entries(change.set ?? {}).filter(([name]) => name.startsWith('log.'))
      for (const [name, fact] of facts)
        stored = { ...stored, log: { ...log, [name.slice(4)]: fact as (typeof log)[string] } } // As it was set.
      return { applied: true, record: stored }
    },
  }
  const bus = { publish: async (events: readonly unknown[]) => published.push(...events) }
  const parts = { store, bus, getSubscribers: async () => () => [] }
  const { lifecycle } = new TaskCompletion(
    parts as unknown as ConstructorParameters<typeof TaskCompletion>[0],
  )
  for (const percent of [20, 40, 60])
    await lifecycle.publishProgress(stored, 1, { percent, stage: 'convert', taskName: 'left' })
  assert.equal(published.length, 3)
})

/** Numbers from 0 to 1, the same for the same seed (Park and Miller). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

test('a job whose tasks are complete completes with the files of its exports', () => {
  const state = withTasks(newJob(conversion), {
    work: { ...complete(5, file('a.webp')), engine: 'vips', engineVersion: '1.0', method: 'encode' },
  })
  assert.deepEqual(decideOutcome(state), {
    status: 'completed',
    result: {
      files: [file('a.webp')],
      warnings: [],
      engine: 'vips',
      engineVersion: '1.0',
      method: 'encode',
    },
  })
})

test('the result of several tasks names no engine', () => {
  const state = withTasks(newJob(chain), {
    first: { ...complete(2, file('a.webp')), engine: 'vips' },
    second: { ...complete(4, file('b.webp')), engine: 'vips' },
  })
  assert.deepEqual(decideOutcome(state).result, { files: [file('b.webp')], warnings: [] })
})

test('a job reports the first failure, not a task that was cancelled for lack of input', () => {
  const state = withTasks(newJob(chain), { first: fail(9, 'is cut off'), second: skip(8) })
  assert.deepEqual(decideOutcome(state).error, {
    code: 'CORRUPT_FILE',
    message: 'is cut off',
    details: { task: 'first' },
  })
  const both = withTasks(newJob(pair), { left: fail(9, 'later'), right: fail(3, 'sooner') })
  assert.equal(decideOutcome(both).error?.message, 'sooner')
})

test('a completed branch does not save a job whose other branch failed', () => {
  const state = withTasks(newJob(pair), { left: complete(3, file('a.webp')), right: fail(4, 'x') })
  const { status, result } = decideOutcome(state)
  assert.equal(status, 'failed')
  assert.deepEqual(result.files, [file('a.webp')])
})

test('a failing task with continue_on_error does not fail its job', () => {
  const mayFail = [
    createStoredImport('in'),
    newTask('left', [0], { continueOnError: true }),
    newTask('right', [0]),
    createExport('out', [1, 2]),
  ]
  const state = withTasks(newJob(mayFail), { left: fail(3, 'x'), right: complete(4, file('b.webp')) })
  const { status, result } = decideOutcome(state)
  assert.equal(status, 'completed')
  assert.deepEqual(result.files, [file('b.webp')])
})

test('a batch completes when one item does, and counts the others', () => {
  const refused = newTask('refused', [0], {
    fixed: { status: 'failed', code: 'UNSUPPORTED_CONVERSION', message: 'not supported' },
  })
  const request = [...pair.slice(0, 3), refused, createExport('out', [1, 2])]
  const batch = newJob(request, { require: 'any' })
  const one = withTasks(batch, { left: complete(3, file('a.webp')), right: fail(4, 'x') })
  const { status, summary, error } = decideOutcome(one)
  assert.deepEqual([status, error, summary], ['completed', undefined, { total: 3, completed: 1, failed: 2 }])
  const nothing = withTasks(batch, { left: fail(5, 'second'), right: fail(4, 'first') })
  assert.deepEqual(decideOutcome(nothing).summary, { total: 3, completed: 0, failed: 3 })
  assert.deepEqual(
    [decideOutcome(nothing).status, decideOutcome(nothing).error?.message],
    ['failed', 'first'],
  )
})

test('a job with imports and exports only completes with the imported files', () => {
  const { status, result } = decideOutcome(
    newJob([createStoredImport('in', 'a.png'), createExport('out', [0])]),
  )
  assert.deepEqual([status, result.files.map(({ filename }) => filename)], ['completed', ['a.png']])
})

test('a job that only exports completes with the exported files and records its source', () => {
  const s3 = (name: string, kind: string, ins: number[]) => newTask(name, ins, { operation: `${kind}/s3` })
  const url = 's3://box/a.png'
  const { key: _, format, ...stored } = file('a.png')
  const state = withTasks(newJob([s3('in', 'import', []), s3('out', 'export', [0])]), {
    in: complete(2, file('a.png')),
    out: { ...complete(5), deliveries: [{ ...stored, url }] },
  })
  assert.deepEqual(decideOutcome(state).result.files, [file('a.png')])
  const { display, cameLater } = endJob(state, 10)
  assert.deepEqual(cameLater, { filename: 'a.png', format, size: stored.size })
  assert.equal(display.source, null, 'repeated earlier events stay identical')
})

test('files with the same name get unique names, and a file of two exports is listed once', () => {
  const twice = [...pair, createExport('again', [1])]
  const state = withTasks(newJob(twice), {
    left: complete(3, file('a.webp', 'k1')),
    right: complete(4, file('a.webp', 'k2')),
  })
  assert.deepEqual(
    resultFiles(state).map(({ key, filename }) => [key, filename]),
    [
      ['k1', 'a.webp'],
      ['k2', 'a (2).webp'],
    ],
  )
})

test('an export names its files with its template', () => {
  const template = { filename: '{name}-{index}-{jobId}-{date}.{ext}' }
  const state = withTasks(newJob([...pair.slice(0, 3), createExport('out', [1, 2], template)]), {
    left: complete(3, file('a.webp')),
    right: complete(4, file('b.webp')),
  })
  const [, , , , out] = [...state.fixed, ...state.tasks, ...state.fixed.slice(-1)]
  assert.ok(out && !('attempt' in out))
  assert.deepEqual(
    nameExportFiles(out, state).map(({ filename }) => filename),
    ['a-1-job_1-2026-01-01.webp', 'b-2-job_1-2026-01-01.webp'],
  )
})

test('the fidelity of a result multiplies consecutive tasks and sums parallel ones', () => {
  const words = (source: number, result: number) => ({ words: createRetention(source, result), dropped: [] })
  const inTurn = newJob([createStoredImport('in'), newTask('first', [0]), newTask('second', [1])])
  const chained = withTasks(inTurn, {
    first: { ...complete(3, file('a')), fidelity: words(100, 80) },
    second: { ...complete(4, file('b')), fidelity: words(80, 40) },
  })
  assert.deepEqual(resultOfJob(chained).fidelity?.words, createRetention(100, 40))
  const beside = withTasks(newJob([createStoredImport('in'), newTask('left', [0]), newTask('right', [0])]), {
    left: { ...complete(3, file('a')), fidelity: words(100, 80) },
    right: { ...complete(4, file('b')), fidelity: words(10, 10) },
  })
  assert.deepEqual(resultOfJob(beside).fidelity?.words, createRetention(110, 90))
  const lost = withTasks(beside, { right: fail(4, 'damaged') })
  assert.deepEqual(resultOfJob(lost).fidelity?.words, createRetention(100, 80))
  assert.equal('fidelity' in resultOfJob(newJob(conversion)), false)
})

test('a result that was too large for the job record is built from the tasks', () => {
  const state = withTasks(newJob(conversion), { work: complete(5, file('a.webp')) })
  assert.deepEqual(resultOfJob(state), decideOutcome(state).result)
  const stored = { files: [file('stored')], warnings: [] }
  assert.deepEqual(resultOfJob({ ...state, job: { ...state.job, result: stored } }), stored)
})

test('only a completed task provides files to others', () => {
  const half = { ...complete(3, file('a.webp')), status: 'failed' as const }
  const state = withTasks(newJob(chain), { first: half })
  assert.deepEqual(filesOfTask(1, state), [])
  assert.deepEqual(filesOfTask(1, withTasks(state, { first: { status: 'completed' } })), [file('a.webp')])
  assert.deepEqual(
    filesOfTask(0, state).map(({ key }) => key),
    ['in/in'],
  )
})

test('warnings are unique, with those about the request first', () => {
  const warning = (code: string): Warning => ({ code, message: code })
  const tasks = [{ warnings: [warning('b'), warning('a')] }, { warnings: [warning('b'), warning('c')] }]
  assert.deepEqual(
    warningsOf({ warnings: [warning('a')] }, tasks).map(({ code }) => code),
    ['a', 'b', 'c'],
  )
})

test('warnings are equal regardless of the order of their fields', () => {
  const warning = { code: 'a', message: 'b', field: 'c' }
  assert.deepEqual(
    warningsOf({ warnings: [warning] }, [{ warnings: [{ field: 'c', message: 'b', code: 'a' }] }]),
    [warning],
  )
})

test('an export of links is over when its inputs are', () => {
  const status = (state: JobState) => {
    const out = state.fixed.at(-1)
    assert.ok(out)
    return statusOfFixed(out, state)
  }
  const state = newJob(pair)
  assert.equal(status(state), 'pending')
  const one = withTasks(state, { left: complete(3, file('a')) })
  assert.equal(status(one), 'pending')
  assert.equal(status(withTasks(one, { right: complete(4, file('b')) })), 'completed')
  assert.equal(status(withTasks(one, { right: fail(4, 'x') })), 'cancelled')
  assert.equal(status({ ...state, job: { ...state.job, status: 'cancelled' } }), 'cancelled')
  const mayFail = withTasks(one, { right: { ...fail(4, 'x'), continueOnError: true } })
  assert.equal(status(mayFail), 'completed')
})

test('every file of a job is listed once with its role, including unfinished tasks, without chunks', () => {
  const state = withTasks(newJob(chain), {
    first: complete(3, file('a.webp')),
    second: { status: 'processing', files: [file('half')] },
  })
  const [first] = state.tasks
  assert.ok(first)
  // Files of chunks were never published: they are deleted with the job's prefix.
  const part = { ...first, part: 1000, files: [file('part')] }
  const fed = withTasks(state, { second: { status: 'processing', files: [file('half'), file('a.webp')] } })
  assert.deepEqual(
    filesOfJob({ ...fed, chunks: [part] }).map(({ key, role }) => [key, role]),
    [
      ['in/in', 'source'],
      ['half', 'output'],
      ['a.webp', 'output'],
    ],
  )
})

test('files of a job are in the order of the request', () => {
  const state = newJob([
    createStoredImport('in'),
    newTask('work', [0]),
    createStoredImport('late'),
    newTask('last', [2]),
  ])
  const made = withTasks(state, {
    work: complete(3, file('a.webp')),
    last: complete(2, file('b.webp')),
  })
  const keys = filesOfJob({ ...made, tasks: made.tasks.toReversed() }).map(({ key }) => key)
  assert.deepEqual(keys, ['in/in', 'a.webp', 'in/late', 'b.webp'])
})

const longAfter = secondsLater(1000)

test('ready tasks of a live job are sent again, waiting ones are not', () => {
  const state = newJob(chain)
  assert.deepEqual(names(findStalledTasks(state, longAfter).toSend), ['first'])
  const next = withTasks(state, {
    first: complete(3, file('a')),
    second: { open: undefined, got: new Set([1]) },
  })
  assert.deepEqual(names(findStalledTasks(next, longAfter).toSend), ['second'])
})

test('no task of a job is sent while it waits for an upload', () => {
  const state = newJob([
    createStoredImport('there'),
    createAwaitedUpload('in'),
    newTask('early', [0]),
    newTask('work', [1]),
  ])
  assert.deepEqual(names(findStalledTasks(state, longAfter).toSend), none)
})

test('a task is sent to another worker after its lease and the grace period', () => {
  const leaseUntil = (second: number) =>
    withTasks(newJob(conversion), {
      work: { status: 'processing', leaseId: 'lease', leaseUntil: timestamp(second) },
    })
  assert.equal(leaseGraceS, 30, 'a message may take that long to reach a worker')
  assert.deepEqual(names(findStalledTasks(leaseUntil(100), secondsLater(100 + leaseGraceS - 1)).toSend), none)
  assert.deepEqual(names(findStalledTasks(leaseUntil(100), secondsLater(100 + leaseGraceS)).toSend), ['work'])
})

test('the completion of a task is repeated while its job or a dependent still waits for it', () => {
  const done = withTasks(newJob(chain), { first: complete(3, file('a')) })
  assert.deepEqual(names(findStalledTasks(done, longAfter).unreported), ['first'])
  // The process that ended it may still be completing it.
  assert.deepEqual(names(findStalledTasks(done, secondsLater(3 + leaseGraceS - 1)).unreported), none)
  const counted = { ...done, job: { ...done.job, open: new Set([2]) } }
  assert.deepEqual(
    names(findStalledTasks(counted, longAfter).unreported),
    ['first'],
    'its dependent is not updated',
  )
  const known = withTasks(counted, { second: { open: undefined, got: new Set([1]) } })
  assert.deepEqual(names(findStalledTasks(known, longAfter).unreported), none)
})

test('with join buckets, completions are repeated only when all tasks of a bucket are over', () => {
  const count = 150
  const ins = Array.from({ length: count }, (_, at) => at + 1)
  const works = ins.map((number) => newTask(`work-${number}`, [0]))
  const state = newJob([createStoredImport('in'), ...works, newTask('join', ins)])
  const done = (numbers: readonly number[]) =>
    withTasks(state, Object.fromEntries(numbers.map((number) => [`work-${number}`, complete(3, file('a'))])))
  assert.deepEqual(names(findStalledTasks(done(ins.slice(0, 50)), longAfter).unreported), none)
  // The first bucket has 99 tasks, and its members are over.
  assert.equal(findStalledTasks(done(ins.slice(0, 99)), longAfter).unreported.length, 99)
  assert.equal(findStalledTasks(done(ins), longAfter).unreported.length, count)
})

test('chunks are repaired while their task waits for them, and afterwards the task itself', () => {
  const state = withTasks(newJob(conversion), {
    work: { status: 'processing', expandedBy: 1, open: new Set([1001, 1002]) },
  })
  const [work] = state.tasks
  assert.ok(work)
  const part = (number: number, more: Partial<Task>): Task => ({
    ...work,
    expandedBy: undefined,
    open: undefined,
    status: 'pending',
    part: number,
    ...more,
  })
  const chunks = [
    // A chunk of an abandoned attempt, and one that is already counted.
    part(1, {}),
    part(1000, complete(2, file('a'))),
    part(1001, complete(3, file('b'))),
    part(1002, {}),
  ]
  const stalled = findStalledTasks({ ...state, chunks }, longAfter)
  assert.deepEqual(
    stalled.toSend.map((one) => one.part),
    [1002],
  )
  assert.deepEqual(
    stalled.unreported.map((one) => one.part),
    [1001],
  )
  // A lost chunk that has not ended its task yet.
  const lost = withTasks(state, { work: { open: new Set([1002]), lost: new Set([1000]) } })
  assert.deepEqual(
    findStalledTasks({ ...lost, chunks }, longAfter).unreported.map((one) => one.part),
    [1000],
  )
  const joining = withTasks(state, { work: { open: undefined } })
  assert.deepEqual(names(findStalledTasks({ ...joining, chunks }, longAfter).toSend), ['work'])
  const joined = withTasks(joining, { work: { leaseId: 'lease', leaseUntil: timestamp(995) } })
  assert.deepEqual(names(findStalledTasks({ ...joined, chunks }, longAfter).toSend), none)
})

const endJob = (state: JobState, second: number, endedBy = 'lease'): Job =>
  applyChange(state.job, jobEndChange(state, decideOutcome(state), endedBy, secondsLater(second)))

test('a job that ends before its start was recorded started with its first task', () => {
  const state = withTasks(newJob(conversion), { work: complete(5, file('a.webp')) })
  const [task] = state.tasks
  assert.ok(task)
  const startTask = (number: number, second: number) => ({ ...task, number, startedAt: timestamp(second) })
  const tasks = [startTask(4, 3), startTask(3, 2), startTask(2, 2), startTask(5, 4)]
  const { set } = jobEndChange({ ...state, tasks }, decideOutcome(state), 'lease', secondsLater(9))
  assert.deepEqual([set?.['startedWith'], set?.['startedAt']], [2, timestamp(2)])
})

test('the end of a job stores its outcome, and the retention starts then', () => {
  const queued = newJob(conversion)
  const processing = {
    ...queued.job,
    status: 'processing' as const,
    startedAt: timestamp(1),
    startedWith: 1,
    sequence: 3,
    numbers: { created: 1, queued: 2, started: 3 },
  }
  const state = withTasks({ ...queued, job: processing }, { work: complete(5, file('a.webp')) })
  const job = endJob(state, 10)
  assert.deepEqual(Job.strict().parse(withoutKeys(job)), withoutKeys(job))
  assert.deepEqual([job.status, job.endedBy, job.endedAt], ['completed', 'lease', timestamp(10)])
  assert.deepEqual([job.expiresAt, job.wakeAt], [timestamp(3610), timestamp(3610)])
  assert.deepEqual([job.sequence, job.numbers], [4, { created: 1, queued: 2, started: 3, ended: 4 }])
  assert.deepEqual(job.result?.files, [file('a.webp')])
  assert.equal((job as { listKey?: string }).listKey, 'anon_1#completed')
  assert.deepEqual(findUnpublishedEvents({ ...state, job }), [])
})

/** The table also stores index keys, which the schema does not contain. */
function withoutKeys(job: Job): Job {
  const { listKey: _key, ...rest } = job as Job & { listKey?: string }
  return rest
}

test('a job that ends before its start was recorded publishes both', () => {
  const state = withTasks(newJob(chain), {
    first: complete(5, file('a')),
    second: { ...complete(9, file('b')), startedAt: timestamp(6) },
  })
  const job = endJob(state, 10)
  assert.deepEqual([job.startedAt, job.startedWith], [timestamp(4), 1])
  assert.deepEqual([job.sequence, job.numbers], [4, { created: 1, queued: 2, started: 3, ended: 4 }])
  assert.deepEqual(
    findUnpublishedEvents({ ...state, job }).map(({ event, sequence, timestamp }) => [
      event,
      sequence,
      timestamp,
    ]),
    [['job.started', 3, timestamp(4)]],
  )
})

test('a failed job stores its error and is listed as failed', () => {
  const state = withTasks(newJob(conversion), { work: fail(5, 'is cut off') })
  const job = endJob(state, 6)
  assert.deepEqual([job.status, job.error?.message], ['failed', 'is cut off'])
  assert.equal((job as { listKey?: string }).listKey, 'anon_1#failed')
})

test('a result with many files is not stored in the job record', () => {
  const files = Array.from({ length: 30 }, (_, at) => file(`page-${at}.webp`))
  const state = withTasks(newJob(conversion), { work: complete(5, ...files) })
  const job = endJob(state, 6)
  assert.equal(job.result, undefined)
  assert.deepEqual(resultOfJob({ ...state, job }).files, files)
})

test('the result of a job without links consists of its exported files', () => {
  const state = withTasks(newJob([createStoredImport('in'), newTask('work', [0]), newTask('send', [1])]), {
    work: complete(5, file('a.webp')),
    send: {
      ...complete(6),
      deliveries: [{ url: 's3://there/a', filename: 'a.webp', size: 1, mimeType: 'image/png', sha256: '' }],
    },
  })
  assert.deepEqual(resultOfJob(state).files, [file('a.webp')])
  const linked = withTasks(
    newJob([createStoredImport('in'), newTask('work', [0]), createExport('out', [0])]),
    {
      work: complete(5, file('a.webp')),
    },
  )
  assert.deepEqual(
    resultOfJob(linked).files.map(({ key }) => key),
    ['in/in'],
  )
})

test('the conversion of a task gets all files of its inputs, in the order of the inputs', () => {
  const request = [
    createStoredImport('a'),
    createStoredImport('b'),
    newTask('first', [0], { spec: { options: {} } }),
  ]
  const join = newTask('join', [1, 2, 0], {
    operation: 'archive',
    spec: { to: 'zip', options: { level: 9 } },
  })
  const state = withTasks(newJob([...request, join]), { first: complete(3, file('x'), file('y')) })
  const taken = state.tasks.find(({ name }) => name === 'join')
  assert.ok(taken)
  const [files, spec] = resolveConversion(taken, state)
  assert.deepEqual(
    files.map(({ filename }) => filename),
    ['b.png', 'x', 'y', 'a.png'],
  )
  assert.deepEqual([spec.operation, spec.to, spec.options], ['archive', 'zip', { level: 9 }])
})

test('inputs that need several images go to one after another', () => {
  const step = (image: string) => ({
    operation: 'convert' as const,
    engine: 'vips',
    image,
    from: 'png',
    to: 'webp',
    options: {},
  })
  const inputPlans = [
    { steps: [step('office'), step('pdf')], step: 2, files: [] },
    { steps: [step('office'), step('pdf')], step: 1, files: [] },
    { steps: [step('office'), step('image')], step: 0, files: [] },
  ]
  assert.equal(nextImageOf(inputPlans), 'pdf')
  assert.throws(() => nextImageOf(inputPlans.slice(0, 1)), /no remaining step/)
})
