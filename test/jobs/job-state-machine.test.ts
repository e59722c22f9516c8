import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Change } from '../../lib/aws/table-expressions.ts'
import { kept } from '../../lib/fidelity/fidelity.ts'
import { unpublishedEvents } from '../../lib/jobs/events.ts'
import { Job, type JobState, type Task, type Warning } from '../../lib/jobs/job.ts'
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
import {
  applyChange,
  awaitedUpload,
  completed,
  exportTask,
  failed,
  file,
  newJob,
  newTask,
  secondsLater,
  storedImport,
  timestamp,
  withTasks,
} from './records.ts'

const chain = [storedImport('in'), newTask('first', [0]), newTask('second', [1]), exportTask('out', [2])]
const conversion = [storedImport('in'), newTask('work', [0]), exportTask('out', [1])]
const skipped = (second: number): Partial<Task> => ({
  ...{ status: 'cancelled', code: 'INPUT_TASK_FAILED', endedAt: timestamp(second), open: undefined },
})
const pair = [storedImport('in'), newTask('left', [0]), newTask('right', [0]), exportTask('out', [1, 2])]
const none: readonly string[] = []
const names = (tasks: readonly Task[]) => tasks.map(({ name }) => name)

test('a task waits while anything is open, runs when all is there, and is skipped when something was lost', () => {
  const some = new Set([1])
  const verdicts = [
    { open: some, fed: false },
    { open: some, fed: true },
    { open: some, got: new Set([2]), fed: false },
    { got: some, fed: false },
    { fed: true },
    // What failed under `continue_on_error` arrives without a loss: there is nothing to work on.
    { fed: false },
    { lost: some, fed: true },
    // The first loss decides, whatever is still on its way.
    { lost: some, open: new Set([2]), got: new Set([3]), fed: false },
  ].map(decideNextAction)
  assert.deepEqual(verdicts, ['wait', 'wait', 'wait', 'run', 'run', 'skip', 'skip', 'skip'])
})

test('a task is a loss unless it is completed or others may go on without it', () => {
  for (const status of ['failed', 'cancelled'] as const) {
    assert.equal(failsDependents({ status, continueOnError: undefined }), true)
    assert.equal(failsDependents({ status, continueOnError: true }), false)
  }
  assert.equal(failsDependents({ status: 'completed', continueOnError: undefined }), false)
})

test('the percent of a task that split is what it was, or that of its parts that are over if that is more', () => {
  const [, work] = newJob(pair).tasks
  assert.ok(work)
  const half = { ...work, status: 'processing', percent: 50 } as const
  const split = { ...half, expandedBy: 1, partCount: 3 }
  const open = (...numbers: number[]) => ({ ...split, open: new Set(numbers) })
  const percents = [half, open(1000, 1001, 1002), open(1000, 1002), open(1002), split].map(percentOfTask)
  assert.deepEqual(percents, [50, 50, 50, 60, 90])
  assert.equal(percentOfTask({ ...split, status: 'completed', percent: 100 }), 100)
})

test('a task that split goes on when none of its parts is open and none is lost', () => {
  assert.equal(isReadyToJoin({ expandedBy: 1, open: undefined, lost: new Set([1000]) }), false)
  assert.equal(isReadyToJoin({ expandedBy: undefined, open: undefined }), false)
  assert.equal(isReadyToJoin({ expandedBy: 1, open: new Set([1000]) }), false)
  assert.equal(isReadyToJoin({ expandedBy: 1, open: undefined }), true)
})

test('a job is decided when all its tasks are over, or at the first loss where it asks for that', () => {
  const { job } = newJob(pair)
  const lost = { ...job, lost: new Set([1]) }
  assert.deepEqual(
    [job, { ...job, open: undefined }, lost, { ...lost, failFast: true }, { ...job, failFast: true }].map(
      isOutcomeKnown,
    ),
    [false, true, false, true, false],
  )
})

test('a job of nothing that runs has nothing open, and is decided from the start', () => {
  const { job } = newJob([storedImport('in'), exportTask('out', [0])])
  assert.equal('open' in job, false)
  assert.equal(isOutcomeKnown(job), true)
})

test('the percent of a job counts what is over and what is under way, and never falls', () => {
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
    // One write takes it from both.
    delete running[unit]
    open = open.filter((number) => number !== unit)
    check()
  }
})

test('a task that begins anew takes nothing from what is stored of its progress', async () => {
  const { job } = newJob(pair)
  // The right one ended since somebody last told of progress; the left one had come further before it was lost.
  let stored: Job = {
    ...job,
    ...{ status: 'processing', open: new Set([1]), running: { 1: 60 }, toldPercent: 30 },
  }
  const before = percentOf(stored)
  const store = {
    changeJob: async (_id: string, change: Change) => {
      stored = applyChange(stored, change)
      return { applied: true, record: stored }
    },
  }
  const parts = { store, bus: { publish: async () => undefined }, listenersOf: async () => () => [] }
  const settlement = new TaskCompletion(parts as unknown as ConstructorParameters<typeof TaskCompletion>[0])
  await settlement.lifecycle.publishProgress(stored, 1, { percent: 41, stage: 'convert', taskName: 'left' })
  assert.deepEqual([stored.toldPercent, percentOf(stored)], [before, before])
})

test('the start of a job names the task that it began with, and takes the next number', async () => {
  const { job } = newJob(pair)
  const asked: Change[] = []
  const store = {
    changeJob: async (_id: string, change: Change) => {
      asked.push(change)
      return { applied: false, record: job }
    },
  }
  const parts = { store, bus: { publish: async () => undefined }, listenersOf: async () => () => [] }
  const { lifecycle } = new TaskCompletion(
    parts as unknown as ConstructorParameters<typeof TaskCompletion>[0],
  )
  await lifecycle.start(job, { number: 2, name: 'right' })
  const [first] = asked
  const { startedAt, ...set } = first?.set ?? {}
  assert.deepEqual(set, {
    ...{ status: 'processing', startedWith: 2, stage: 'convert', taskName: 'right' },
    'log.started': { at: startedAt },
  })
  assert.deepEqual(first?.setPlus, { 'numbers.started': ['sequence', 1], sequence: ['sequence', 1] })
})

test('progress is told once by who stored it, also when more of it takes its place', async () => {
  let stored: Job = { ...newJob(pair).job, status: 'processing', open: new Set([1]) }
  const told: unknown[] = []
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
  const bus = { publish: async (events: readonly unknown[]) => told.push(...events) }
  const parts = { store, bus, listenersOf: async () => () => [] }
  const { lifecycle } = new TaskCompletion(
    parts as unknown as ConstructorParameters<typeof TaskCompletion>[0],
  )
  for (const percent of [20, 40, 60])
    await lifecycle.publishProgress(stored, 1, { percent, stage: 'convert', taskName: 'left' })
  assert.equal(told.length, 3)
})

/** Numbers from 0 to 1, the same for the same seed (Park and Miller). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

test('a job whose tasks are completed is completed with the files of its exports', () => {
  const state = withTasks(newJob(conversion), {
    work: { ...completed(5, file('a.webp')), engine: 'vips', engineVersion: '1.0', method: 'encode' },
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

test('of several tasks none says which engine made the result', () => {
  const state = withTasks(newJob(chain), {
    first: { ...completed(2, file('a.webp')), engine: 'vips' },
    second: { ...completed(4, file('b.webp')), engine: 'vips' },
  })
  assert.deepEqual(decideOutcome(state).result, { files: [file('b.webp')], warnings: [] })
})

test('a job fails by what failed first, not by what was left without input', () => {
  const state = withTasks(newJob(chain), { first: failed(9, 'is cut off'), second: skipped(8) })
  assert.deepEqual(decideOutcome(state).error, {
    code: 'CORRUPT_FILE',
    message: 'is cut off',
    details: { task: 'first' },
  })
  const both = withTasks(newJob(pair), { left: failed(9, 'later'), right: failed(3, 'sooner') })
  assert.equal(decideOutcome(both).error?.message, 'sooner')
})

test('a branch that gave files does not save a job of which another branch failed', () => {
  const state = withTasks(newJob(pair), { left: completed(3, file('a.webp')), right: failed(4, 'x') })
  const { status, result } = decideOutcome(state)
  assert.equal(status, 'failed')
  assert.deepEqual(result.files, [file('a.webp')])
})

test('a task that may fail does not fail its job', () => {
  const mayFail = [
    storedImport('in'),
    newTask('left', [0], { continueOnError: true }),
    newTask('right', [0]),
    exportTask('out', [1, 2]),
  ]
  const state = withTasks(newJob(mayFail), { left: failed(3, 'x'), right: completed(4, file('b.webp')) })
  const { status, result } = decideOutcome(state)
  assert.equal(status, 'completed')
  assert.deepEqual(result.files, [file('b.webp')])
})

test('a batch is completed when one item is, and counts the others', () => {
  const refused = newTask('refused', [0], {
    fixed: { status: 'failed', code: 'UNSUPPORTED_CONVERSION', message: 'no way' },
  })
  const request = [...pair.slice(0, 3), refused, exportTask('out', [1, 2])]
  const batch = newJob(request, { require: 'any' })
  const one = withTasks(batch, { left: completed(3, file('a.webp')), right: failed(4, 'x') })
  const { status, summary, error } = decideOutcome(one)
  assert.deepEqual([status, error, summary], ['completed', undefined, { total: 3, completed: 1, failed: 2 }])
  const nothing = withTasks(batch, { left: failed(5, 'second'), right: failed(4, 'first') })
  assert.deepEqual(decideOutcome(nothing).summary, { total: 3, completed: 0, failed: 3 })
  assert.deepEqual(
    [decideOutcome(nothing).status, decideOutcome(nothing).error?.message],
    ['failed', 'first'],
  )
})

test('a job of imports and exports alone is completed with the files that were sent', () => {
  const { status, result } = decideOutcome(newJob([storedImport('in', 'a.png'), exportTask('out', [0])]))
  assert.deepEqual([status, result.files.map(({ filename }) => filename)], ['completed', ['a.png']])
})

test('a job that only takes files elsewhere is completed with those files, and knows its source', () => {
  const s3 = (name: string, kind: string, ins: number[]) => newTask(name, ins, { operation: `${kind}/s3` })
  const url = 's3://box/a.png'
  const { key: _, format, ...stored } = file('a.png')
  const state = withTasks(newJob([s3('in', 'import', []), s3('out', 'export', [0])]), {
    in: completed(2, file('a.png')),
    out: { ...completed(5), deliveries: [{ ...stored, url }] },
  })
  assert.deepEqual(decideOutcome(state).result.files, [file('a.png')])
  const { display, cameLater } = ended(state, 10)
  assert.deepEqual(cameLater, { filename: 'a.png', format, size: stored.size })
  assert.equal(display.source, null, 'events from before are told again as they were')
})

test('files of one name do not hide each other, and a file that two exports give is given once', () => {
  const twice = [...pair, exportTask('again', [1])]
  const state = withTasks(newJob(twice), {
    left: completed(3, file('a.webp', 'k1')),
    right: completed(4, file('a.webp', 'k2')),
  })
  assert.deepEqual(
    resultFiles(state).map(({ key, filename }) => [key, filename]),
    [
      ['k1', 'a.webp'],
      ['k2', 'a (2).webp'],
    ],
  )
})

test('an export names its files by its template', () => {
  const template = { filename: '{name}-{index}-{jobId}-{date}.{ext}' }
  const state = withTasks(newJob([...pair.slice(0, 3), exportTask('out', [1, 2], template)]), {
    left: completed(3, file('a.webp')),
    right: completed(4, file('b.webp')),
  })
  const [, , , , out] = [...state.fixed, ...state.tasks, ...state.fixed.slice(-1)]
  assert.ok(out && !('attempt' in out))
  assert.deepEqual(
    nameExportFiles(out, state).map(({ filename }) => filename),
    ['a-1-job_1-2026-01-01.webp', 'b-2-job_1-2026-01-01.webp'],
  )
})

test('a result tells what was kept of all that was sent: in turn what is left, side by side the sum', () => {
  const words = (source: number, result: number) => ({ words: kept(source, result), dropped: [] })
  const inTurn = newJob([storedImport('in'), newTask('first', [0]), newTask('second', [1])])
  const chained = withTasks(inTurn, {
    first: { ...completed(3, file('a')), fidelity: words(100, 80) },
    second: { ...completed(4, file('b')), fidelity: words(80, 40) },
  })
  assert.deepEqual(resultOfJob(chained).fidelity?.words, kept(100, 40))
  const beside = withTasks(newJob([storedImport('in'), newTask('left', [0]), newTask('right', [0])]), {
    left: { ...completed(3, file('a')), fidelity: words(100, 80) },
    right: { ...completed(4, file('b')), fidelity: words(10, 10) },
  })
  assert.deepEqual(resultOfJob(beside).fidelity?.words, kept(110, 90))
  const lost = withTasks(beside, { right: failed(4, 'damaged') })
  assert.deepEqual(resultOfJob(lost).fidelity?.words, kept(100, 80))
  assert.equal('fidelity' in resultOfJob(newJob(conversion)), false)
})

test('a result that had no room in the record of the job is told by its tasks', () => {
  const state = withTasks(newJob(conversion), { work: completed(5, file('a.webp')) })
  assert.deepEqual(resultOfJob(state), decideOutcome(state).result)
  const stored = { files: [file('stored')], warnings: [] }
  assert.deepEqual(resultOfJob({ ...state, job: { ...state.job, result: stored } }), stored)
})

test('only a task that is completed gives its files to others', () => {
  const half = { ...completed(3, file('a.webp')), status: 'failed' as const }
  const state = withTasks(newJob(chain), { first: half })
  assert.deepEqual(filesOfTask(1, state), [])
  assert.deepEqual(filesOfTask(1, withTasks(state, { first: { status: 'completed' } })), [file('a.webp')])
  assert.deepEqual(
    filesOfTask(0, state).map(({ key }) => key),
    ['in/in'],
  )
})

test('warnings stand once, those about the request first', () => {
  const warning = (code: string): Warning => ({ code, message: code })
  const tasks = [{ warnings: [warning('b'), warning('a')] }, { warnings: [warning('b'), warning('c')] }]
  assert.deepEqual(
    warningsOf({ warnings: [warning('a')] }, tasks).map(({ code }) => code),
    ['a', 'b', 'c'],
  )
})

test('a warning is the same in whatever order the table gives back its fields', () => {
  const told = { code: 'a', message: 'b', field: 'c' }
  assert.deepEqual(
    warningsOf({ warnings: [told] }, [{ warnings: [{ field: 'c', message: 'b', code: 'a' }] }]),
    [told],
  )
})

test('an export is over when what it gives out is', () => {
  const status = (state: JobState) => {
    const out = state.fixed.at(-1)
    assert.ok(out)
    return statusOfFixed(out, state)
  }
  const state = newJob(pair)
  assert.equal(status(state), 'pending')
  const one = withTasks(state, { left: completed(3, file('a')) })
  assert.equal(status(one), 'pending')
  assert.equal(status(withTasks(one, { right: completed(4, file('b')) })), 'completed')
  assert.equal(status(withTasks(one, { right: failed(4, 'x') })), 'cancelled')
  assert.equal(status({ ...state, job: { ...state.job, status: 'cancelled' } }), 'cancelled')
  const mayFail = withTasks(one, { right: { ...failed(4, 'x'), continueOnError: true } })
  assert.equal(status(mayFail), 'completed')
})

test('every file of a job is known once, sources as sources, half-done work included, parts not', () => {
  const state = withTasks(newJob(chain), {
    first: completed(3, file('a.webp')),
    second: { status: 'processing', files: [file('half')] },
  })
  const [first] = state.tasks
  assert.ok(first)
  // What is between two steps nobody was told of: it goes with the folder of the job.
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

test('files of a job are in the order of its request', () => {
  const state = newJob([storedImport('in'), newTask('work', [0]), storedImport('late'), newTask('last', [2])])
  const made = withTasks(state, {
    work: completed(3, file('a.webp')),
    last: completed(2, file('b.webp')),
  })
  const keys = filesOfJob({ ...made, tasks: made.tasks.toReversed() }).map(({ key }) => key)
  assert.deepEqual(keys, ['in/in', 'a.webp', 'in/late', 'b.webp'])
})

const longAfter = secondsLater(1000)

test('what is ready in a live job is sent again, what waits is not', () => {
  const state = newJob(chain)
  assert.deepEqual(names(findStalledTasks(state, longAfter).toSend), ['first'])
  const next = withTasks(state, {
    first: completed(3, file('a')),
    second: { open: undefined, got: new Set([1]) },
  })
  assert.deepEqual(names(findStalledTasks(next, longAfter).toSend), ['second'])
})

test('nothing of a job is sent while it waits for an upload', () => {
  const state = newJob([
    storedImport('there'),
    awaitedUpload('in'),
    newTask('early', [0]),
    newTask('work', [1]),
  ])
  assert.deepEqual(names(findStalledTasks(state, longAfter).toSend), none)
})

test('a task is taken from its worker when the lease and some time are over', () => {
  const held = (second: number) =>
    withTasks(newJob(conversion), {
      work: { status: 'processing', leaseId: 'lease', leaseUntil: timestamp(second) },
    })
  assert.equal(leaseGraceS, 30, 'a message on its way to its worker takes that long')
  assert.deepEqual(names(findStalledTasks(held(100), secondsLater(100 + leaseGraceS - 1)).toSend), none)
  assert.deepEqual(names(findStalledTasks(held(100), secondsLater(100 + leaseGraceS)).toSend), ['work'])
})

test('a task that is over is told of again where its job or another task still counts on it', () => {
  const done = withTasks(newJob(chain), { first: completed(3, file('a')) })
  assert.deepEqual(names(findStalledTasks(done, longAfter).unreported), ['first'])
  // Whoever ended it is on the way to tell.
  assert.deepEqual(names(findStalledTasks(done, secondsLater(3 + leaseGraceS - 1)).unreported), none)
  const counted = { ...done, job: { ...done.job, open: new Set([2]) } }
  assert.deepEqual(
    names(findStalledTasks(counted, longAfter).unreported),
    ['first'],
    'its taker does not know',
  )
  const known = withTasks(counted, { second: { open: undefined, got: new Set([1]) } })
  assert.deepEqual(names(findStalledTasks(known, longAfter).unreported), none)
})

test('behind a latch somebody is told again only when all that it gathers are over', () => {
  const count = 150
  const ins = Array.from({ length: count }, (_, at) => at + 1)
  const works = ins.map((number) => newTask(`work-${number}`, [0]))
  const state = newJob([storedImport('in'), ...works, newTask('join', ins)])
  const done = (numbers: readonly number[]) =>
    withTasks(state, Object.fromEntries(numbers.map((number) => [`work-${number}`, completed(3, file('a'))])))
  assert.deepEqual(names(findStalledTasks(done(ins.slice(0, 50)), longAfter).unreported), none)
  // The first bucket has 99 tasks, and its members are over.
  assert.equal(findStalledTasks(done(ins.slice(0, 99)), longAfter).unreported.length, 99)
  assert.equal(findStalledTasks(done(ins), longAfter).unreported.length, count)
})

test('parts are looked after as long as their task waits for them, and their task when it does not', () => {
  const state = withTasks(newJob(conversion), {
    work: { status: 'processing', expandedBy: 1, open: new Set([1001, 1002]) },
  })
  const [work] = state.tasks
  assert.ok(work)
  const part = (number: number, more: Partial<Task>): Task => ({
    ...{ ...work, expandedBy: undefined, open: undefined, status: 'pending', part: number, ...more },
  })
  const chunks = [
    // Of an attempt that was given up, and one that has arrived.
    part(1, {}),
    part(1000, completed(2, file('a'))),
    part(1001, completed(3, file('b'))),
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
  // One that was lost, and the task was not ended by it.
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

const ended = (state: JobState, second: number, endedBy = 'lease'): Job =>
  applyChange(state.job, jobEndChange(state, decideOutcome(state), endedBy, secondsLater(second)))

test('a job that ends before anybody told of its start began with the first of its tasks', () => {
  const state = withTasks(newJob(conversion), { work: completed(5, file('a.webp')) })
  const [task] = state.tasks
  assert.ok(task)
  const begun = (number: number, second: number) => ({ ...task, number, startedAt: timestamp(second) })
  const tasks = [begun(4, 3), begun(3, 2), begun(2, 2), begun(5, 4)]
  const { set } = jobEndChange({ ...state, tasks }, decideOutcome(state), 'lease', secondsLater(9))
  assert.deepEqual([set?.['startedWith'], set?.['startedAt']], [2, timestamp(2)])
})

test('the end of a job stores how it ended, and its retention counts from then', () => {
  const begun = newJob(conversion)
  const processing = {
    ...begun.job,
    ...{ status: 'processing' as const, startedAt: timestamp(1), startedWith: 1 },
    ...{ sequence: 3, numbers: { created: 1, queued: 2, started: 3 } },
  }
  const state = withTasks({ ...begun, job: processing }, { work: completed(5, file('a.webp')) })
  const job = ended(state, 10)
  assert.deepEqual(Job.strict().parse(withoutKeys(job)), withoutKeys(job))
  assert.deepEqual([job.status, job.endedBy, job.endedAt], ['completed', 'lease', timestamp(10)])
  assert.deepEqual([job.expiresAt, job.wakeAt], [timestamp(3610), timestamp(3610)])
  assert.deepEqual([job.sequence, job.numbers], [4, { created: 1, queued: 2, started: 3, ended: 4 }])
  assert.deepEqual(job.result?.files, [file('a.webp')])
  assert.equal((job as { listKey?: string }).listKey, 'anon_1#completed')
  assert.deepEqual(unpublishedEvents({ ...state, job }), [])
})

/** The table has more than the schema: what finds a record. */
function withoutKeys(job: Job): Job {
  const { listKey: _key, ...rest } = job as Job & { listKey?: string }
  return rest
}

test('a job that is over before anybody told of its start tells of both', () => {
  const state = withTasks(newJob(chain), {
    first: completed(5, file('a')),
    second: { ...completed(9, file('b')), startedAt: timestamp(6) },
  })
  const job = ended(state, 10)
  assert.deepEqual([job.startedAt, job.startedWith], [timestamp(4), 1])
  assert.deepEqual([job.sequence, job.numbers], [4, { created: 1, queued: 2, started: 3, ended: 4 }])
  assert.deepEqual(
    unpublishedEvents({ ...state, job }).map(({ event, sequence, timestamp }) => [
      event,
      sequence,
      timestamp,
    ]),
    [['job.started', 3, timestamp(4)]],
  )
})

test('a failed job keeps its error, and is listed among those that failed', () => {
  const state = withTasks(newJob(conversion), { work: failed(5, 'is cut off') })
  const job = ended(state, 6)
  assert.deepEqual([job.status, job.error?.message], ['failed', 'is cut off'])
  assert.equal((job as { listKey?: string }).listKey, 'anon_1#failed')
})

test('a result of many files is not stored with the job', () => {
  const files = Array.from({ length: 30 }, (_, at) => file(`page-${at}.webp`))
  const state = withTasks(newJob(conversion), { work: completed(5, ...files) })
  const job = ended(state, 6)
  assert.equal(job.result, undefined)
  assert.deepEqual(resultOfJob({ ...state, job }).files, files)
})

test('the result of a job that gives out no links is what it took elsewhere', () => {
  const state = withTasks(newJob([storedImport('in'), newTask('work', [0]), newTask('send', [1])]), {
    work: completed(5, file('a.webp')),
    send: {
      ...completed(6),
      deliveries: [{ url: 's3://there/a', filename: 'a.webp', size: 1, mimeType: 'image/png', sha256: '' }],
    },
  })
  assert.deepEqual(resultOfJob(state).files, [file('a.webp')])
  const linked = withTasks(newJob([storedImport('in'), newTask('work', [0]), exportTask('out', [0])]), {
    work: completed(5, file('a.webp')),
  })
  assert.deepEqual(
    resultOfJob(linked).files.map(({ key }) => key),
    ['in/in'],
  )
})

test('what a task wants is asked of all files of its inputs, in the order of the inputs', () => {
  const request = [storedImport('a'), storedImport('b'), newTask('first', [0], { spec: { options: {} } })]
  const join = newTask('join', [1, 2, 0], {
    operation: 'archive',
    spec: { to: 'zip', options: { level: 9 } },
  })
  const state = withTasks(newJob([...request, join]), { first: completed(3, file('x'), file('y')) })
  const taken = state.tasks.find(({ name }) => name === 'join')
  assert.ok(taken)
  const [files, wish] = resolveConversion(taken, state)
  assert.deepEqual(
    files.map(({ filename }) => filename),
    ['b.png', 'x', 'y', 'a.png'],
  )
  assert.deepEqual([wish.operation, wish.to, wish.options], ['archive', 'zip', { level: 9 }])
})

test('pieces of several images go to one after the other', () => {
  const step = (image: string) => ({
    ...{ operation: 'convert' as const, engine: 'vips', image, from: 'png', to: 'webp', options: {} },
  })
  const pieces = [
    { steps: [step('office'), step('pdf')], step: 2, files: [] },
    { steps: [step('office'), step('pdf')], step: 1, files: [] },
    { steps: [step('office'), step('image')], step: 0, files: [] },
  ]
  assert.equal(nextImageOf(pieces), 'pdf')
  assert.throws(() => nextImageOf(pieces.slice(0, 1)), /no step that is left/)
})
