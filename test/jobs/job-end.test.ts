import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findUnpublishedEvents } from '../../lib/jobs/events.ts'
import { createJobEndChange } from '../../lib/jobs/job-end.ts'
import {
  decideOutcome,
  findStalledTasks,
  getJobResult,
  leaseGraceS,
} from '../../lib/jobs/job-state-machine.ts'
import { getNextImage, resolveConversion } from '../../lib/jobs/next-image.ts'
import { Job, type Task } from '../../lib/model/job.ts'
import {
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
import { chain, conversion, endJob } from './support/job-records.ts'

const none: readonly string[] = []

const listNames = (tasks: readonly Task[]) => tasks.map(({ name }) => name)

const muchLater = secondsLater(1000)

test('findStalledTasks returns unsent tasks whose inputs are complete, but not tasks that wait for an input', () => {
  const state = newJob(chain)
  assert.deepEqual(listNames(findStalledTasks(state, muchLater).unsentTasks), ['first'])
  const nextState = withTasks(state, {
    first: complete(3, file('a')),
    second: { open: undefined, got: new Set([1]) },
  })
  assert.deepEqual(listNames(findStalledTasks(nextState, muchLater).unsentTasks), ['second'])
})

test('findStalledTasks returns no task of a job that waits for an upload', () => {
  const state = newJob([
    createStoredImport('there'),
    createAwaitedUpload('in'),
    newTask('early', [0]),
    newTask('work', [1]),
  ])
  assert.deepEqual(listNames(findStalledTasks(state, muchLater).unsentTasks), none)
})

test('a task is sent to another worker after its lease and the grace period have passed', () => {
  const leaseUntil = (second: number) =>
    withTasks(newJob(conversion), {
      work: { status: 'processing', leaseId: 'lease', leaseUntil: timestamp(second) },
    })
  assert.equal(leaseGraceS, 30, 'a message may take that long to reach a worker')
  assert.deepEqual(
    listNames(findStalledTasks(leaseUntil(100), secondsLater(100 + leaseGraceS - 1)).unsentTasks),
    none,
  )
  assert.deepEqual(
    listNames(findStalledTasks(leaseUntil(100), secondsLater(100 + leaseGraceS)).unsentTasks),
    ['work'],
  )
})

test('completing a task is repeated while its job or a dependent task still waits for the completion', () => {
  const doneState = withTasks(newJob(chain), { first: complete(3, file('a')) })
  assert.deepEqual(listNames(findStalledTasks(doneState, muchLater).unreportedTasks), ['first'])
  // The process that ended the task may still be completing it.
  assert.deepEqual(
    listNames(findStalledTasks(doneState, secondsLater(3 + leaseGraceS - 1)).unreportedTasks),
    none,
  )
  const stateWithOpenTasks = { ...doneState, job: { ...doneState.job, open: new Set([2]) } }
  assert.deepEqual(
    listNames(findStalledTasks(stateWithOpenTasks, muchLater).unreportedTasks),
    ['first'],
    'its dependent is not updated',
  )
  const stateWithReceivedInputs = withTasks(stateWithOpenTasks, {
    second: { open: undefined, got: new Set([1]) },
  })
  assert.deepEqual(listNames(findStalledTasks(stateWithReceivedInputs, muchLater).unreportedTasks), none)
})

test('with join buckets, ended tasks are reported again only after all tasks of their bucket have ended', () => {
  const count = 150
  const ins = Array.from({ length: count }, (_, at) => at + 1)
  const workTasks = ins.map((number) => newTask(`work-${number}`, [0]))
  const state = newJob([createStoredImport('in'), ...workTasks, newTask('join', ins)])
  const completeTasks = (numbers: readonly number[]) =>
    withTasks(state, Object.fromEntries(numbers.map((number) => [`work-${number}`, complete(3, file('a'))])))
  assert.deepEqual(
    listNames(findStalledTasks(completeTasks(ins.slice(0, 50)), muchLater).unreportedTasks),
    none,
  )
  // The first bucket has 99 tasks, and all of them have ended.
  assert.equal(findStalledTasks(completeTasks(ins.slice(0, 99)), muchLater).unreportedTasks.length, 99)
  assert.equal(findStalledTasks(completeTasks(ins), muchLater).unreportedTasks.length, count)
})

test('for a task that waits for chunks, findStalledTasks returns the stalled chunks; once all are complete, the task', () => {
  const state = withTasks(newJob(conversion), {
    work: { status: 'processing', expandedBy: 1, open: new Set([1001, 1002]) },
  })
  const [workTask] = state.tasks
  assert.ok(workTask)
  const createChunk = (number: number, overrides: Partial<Task>): Task => ({
    ...workTask,
    expandedBy: undefined,
    open: undefined,
    status: 'pending',
    part: number,
    ...overrides,
  })
  const chunks = [
    // A chunk of an abandoned attempt, and a chunk that is already counted.
    createChunk(1, {}),
    createChunk(1000, complete(2, file('a'))),
    createChunk(1001, complete(3, file('b'))),
    createChunk(1002, {}),
  ]
  const stalledTasks = findStalledTasks({ ...state, chunks }, muchLater)
  assert.deepEqual(
    stalledTasks.unsentTasks.map((unsentTask) => unsentTask.part),
    [1002],
  )
  assert.deepEqual(
    stalledTasks.unreportedTasks.map((unreportedTask) => unreportedTask.part),
    [1001],
  )
  // A lost chunk that has not ended its task yet.
  const stateWithLostChunk = withTasks(state, { work: { open: new Set([1002]), lost: new Set([1000]) } })
  assert.deepEqual(
    findStalledTasks({ ...stateWithLostChunk, chunks }, muchLater).unreportedTasks.map(
      (unreportedTask) => unreportedTask.part,
    ),
    [1000],
  )
  const joiningState = withTasks(state, { work: { open: undefined } })
  assert.deepEqual(listNames(findStalledTasks({ ...joiningState, chunks }, muchLater).unsentTasks), ['work'])
  const joinedState = withTasks(joiningState, { work: { leaseId: 'lease', leaseUntil: timestamp(995) } })
  assert.deepEqual(listNames(findStalledTasks({ ...joinedState, chunks }, muchLater).unsentTasks), none)
})

test('a job that ends before its start was recorded gets startedAt and startedWith from the task that started first', () => {
  const state = withTasks(newJob(conversion), { work: complete(5, file('a.webp')) })
  const [task] = state.tasks
  assert.ok(task)
  const createStartedTask = (number: number, second: number) => ({
    ...task,
    number,
    startedAt: timestamp(second),
  })
  const tasks = [
    createStartedTask(4, 3),
    createStartedTask(3, 2),
    createStartedTask(2, 2),
    createStartedTask(5, 4),
  ]
  const { set } = createJobEndChange({ ...state, tasks }, decideOutcome(state), 'lease', secondsLater(9))
  assert.deepEqual([set?.['startedWith'], set?.['startedAt']], [2, timestamp(2)])
})

test('the end of a job stores the outcome of the job and starts its retention time', () => {
  const queuedState = newJob(conversion)
  const processingJob = {
    ...queuedState.job,
    status: 'processing' as const,
    startedAt: timestamp(1),
    startedWith: 1,
    sequence: 3,
    numbers: { created: 1, queued: 2, started: 3 },
  }
  const state = withTasks({ ...queuedState, job: processingJob }, { work: complete(5, file('a.webp')) })
  const job = endJob(state, 10)
  assert.deepEqual(Job.strict().parse(removeIndexKeys(job)), removeIndexKeys(job))
  assert.deepEqual([job.status, job.endedBy, job.endedAt], ['completed', 'lease', timestamp(10)])
  assert.deepEqual([job.expiresAt, job.wakeAt], [timestamp(3610), timestamp(3610)])
  assert.deepEqual([job.sequence, job.numbers], [4, { created: 1, queued: 2, started: 3, ended: 4 }])
  assert.deepEqual(job.result?.files, [file('a.webp')])
  assert.equal((job as { listKey?: string }).listKey, 'anon_1#completed')
  assert.deepEqual(findUnpublishedEvents({ ...state, job }), [])
})

/** Removes the index keys, which are stored in the table but are not in the schema. */
function removeIndexKeys(job: Job): Job {
  const { listKey: _key, ...rest } = job as Job & { listKey?: string }
  return rest
}

test('a job that ends before its start was recorded still has an unpublished job.started event', () => {
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

test('a result with thirty files is not stored in the job record, but read from the tasks', () => {
  const files = Array.from({ length: 30 }, (_, at) => file(`page-${at}.webp`))
  const state = withTasks(newJob(conversion), { work: complete(5, ...files) })
  const job = endJob(state, 6)
  assert.equal(job.result, undefined)
  assert.deepEqual(getJobResult({ ...state, job }).files, files)
})

test('the result of a job has the files of its export/url task or, without one, the files that it exported elsewhere', () => {
  const state = withTasks(newJob([createStoredImport('in'), newTask('work', [0]), newTask('send', [1])]), {
    work: complete(5, file('a.webp')),
    send: {
      ...complete(6),
      deliveries: [{ url: 's3://there/a', filename: 'a.webp', size: 1, mimeType: 'image/png', sha256: '' }],
    },
  })
  assert.deepEqual(getJobResult(state).files, [file('a.webp')])
  const linkedState = withTasks(
    newJob([createStoredImport('in'), newTask('work', [0]), createExport('out', [0])]),
    {
      work: complete(5, file('a.webp')),
    },
  )
  assert.deepEqual(
    getJobResult(linkedState).files.map(({ key }) => key),
    ['in/in'],
  )
})

test('the conversion of a task receives all files of its inputs, in the order of the inputs', () => {
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
  const joinTask = state.tasks.find(({ name }) => name === 'join')
  assert.ok(joinTask)
  const [files, spec] = resolveConversion(joinTask, state)
  assert.deepEqual(
    files.map(({ filename }) => filename),
    ['b.png', 'x', 'y', 'a.png'],
  )
  assert.deepEqual([spec.operation, spec.to, spec.options], ['archive', 'zip', { level: 9 }])
})

test('the next container image of a task is that of the first input with a remaining step', () => {
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
  assert.equal(getNextImage(inputPlans), 'pdf')
  assert.throws(() => getNextImage(inputPlans.slice(0, 1)), /no remaining step/)
})
