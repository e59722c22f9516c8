import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventExamples } from '../events/examples/index.ts'
import { type BusEvent, type EventName, eventSchema, events, toPublicEvent } from '../events/index.ts'
import {
  createCreationEvents,
  createEndEvent,
  createExpiredEvent,
  createFileDeletedEvent,
  createFileDownloadedEvent,
  createFileUploadedEvent,
  createImportedFileEvents,
  createProgressEvent,
  createQueuedEvent,
  createStartedEvent,
  findUnpublishedEvents,
} from '../lib/jobs/events.ts'
import { jobEndChange } from '../lib/jobs/job-end.ts'
import { decideOutcome, filesOfJob } from '../lib/jobs/job-state-machine.ts'
import type { Job, JobState, Task } from '../lib/model/job.ts'
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
} from './jobs/records.ts'

const diamond = [
  createStoredImport('in', 'a.png'),
  newTask('left', [0]),
  newTask('right', [0]),
  newTask('both', [1, 2], { operation: 'archive' }),
  createExport('out', [3]),
]
const of = (job: Job, change: Parameters<typeof applyChange>[1]): Job => applyChange(job, change)

/** A stored job whose first task has started. */
const startJob = (state: JobState, secondsIn = 1): JobState => ({
  ...withTasks(state, { left: { status: 'processing', startedAt: timestamp(secondsIn), attempt: 1 } }),
  job: of(state.job, {
    set: {
      status: 'processing',
      startedAt: timestamp(secondsIn),
      startedWith: 1,
      stage: 'convert',
      'log.started': { at: timestamp(secondsIn) },
    },
    setPlus: { 'numbers.started': ['sequence', 1], sequence: ['sequence', 1] },
  }),
})

const withProgress = (state: JobState, percent: number, secondsIn: number): JobState => ({
  ...state,
  job: of(state.job, {
    set: { 'log.1': { at: timestamp(secondsIn), percent, stage: 'convert', taskName: 'left' } },
    setPlus: { 'numbers.1': ['sequence', 1], sequence: ['sequence', 1] },
  }),
})

const finishJob = (
  state: JobState,
  tasks: Readonly<Record<string, Partial<Task>>>,
  secondsIn = 9,
): JobState => {
  const done = withTasks(state, tasks)
  return {
    ...done,
    job: of(done.job, jobEndChange(done, decideOutcome(done), 'lease', secondsLater(secondsIn))),
  }
}

const allDone = {
  left: complete(3, file('l.webp')),
  right: { ...complete(4, file('r.webp')), engine: 'vips', warnings: [{ code: 'CUT', message: 'cut' }] },
  both: { ...complete(8, file('a.zip')), engine: 'seven-zip' },
}
const oneFailed = {
  left: complete(3, file('l.webp')),
  right: fail(4, 'is cut off'),
  both: { status: 'cancelled' as const, code: 'INPUT_TASK_FAILED', endedAt: timestamp(5), open: undefined },
}

const cancelJob = (state: JobState): JobState => ({
  ...state,
  job: of(state.job, {
    set: { status: 'cancelled', cancelledBy: 'user', endedAt: timestamp(6) },
    setPlus: { 'numbers.ended': ['sequence', 1], sequence: ['sequence', 1] },
  }),
})

const deleteJob = (state: JobState, why: Partial<Job>): JobState => ({
  ...state,
  job: of(state.job, {
    set: why,
    setPlus: { 'numbers.deletion': ['sequence', 1], sequence: ['sequence', 1] },
  }),
})
const expireJob = (state: JobState, expiredFor: 'retention' | 'upload_timeout') =>
  deleteJob(state, { status: 'expired', expiredAt: timestamp(4000), expiredFor })
const createDeletionEvents = (state: JobState) =>
  filesOfJob(state).map((one, at) => createFileDeletedEvent(state, one, at))

const progressEventOf = (state: JobState, name: string) => {
  const foundFact = state.job.log[name]
  assert.ok(foundFact)
  return createProgressEvent(state.job, name, foundFact)
}

const freshJob = newJob(diamond, { tag: 'mine' })
const runningJob = withProgress(startJob(freshJob), 20, 2)
const completedJob = finishJob(runningJob, allDone)
const waitingJob = newJob([createAwaitedUpload('in'), newTask('work', [0]), createExport('out', [1])])
const arrivedUpload: JobState = {
  ...withTasks(waitingJob, { in: { ...complete(5, file('a.png', 'uploads/a')) } }),
  job: of(waitingJob.job, {
    set: { status: 'queued', queuedAt: timestamp(6), 'log.queued': { at: timestamp(6) } },
    setPlus: { 'numbers.queued': ['sequence', 1], sequence: ['sequence', 1] },
  }),
}

const sentJob = newJob([
  {
    ...createStoredImport('in'),
    fixed: { status: 'completed', files: [{ ...file('a.png', 'received/2d/upl_2'), sha256: 'ab' }] },
  },
  newTask('work', [0]),
])

test('events of a job with its own webhook are marked, and other events are not', () => {
  const [yes, no] = [true, false].map((hasWebhook) =>
    createCreationEvents(newJob([createStoredImport('in')], { hasWebhook })).map((event) => event.hasWebhook),
  )
  assert.ok(yes && yes.length > 1 && yes.every((one) => one === true))
  assert.ok(no?.every((one) => one === undefined))
})

test('an uploaded file publishes one event with its source', () => {
  const events = createCreationEvents(sentJob).filter(({ event }) => event === 'file.uploaded')
  const uploadFacts = { filename: 'a.png', size: 1, mimeType: 'image/png', format: 'png', via: 'form' }
  assert.deepEqual(
    events.map(({ file }) => file),
    [{ uploadId: 'upl_2', jobId: 'job_1', ...uploadFacts, sha256: 'ab' }],
  )
  const retriedJob = { ...sentJob, job: { ...sentJob.job, retryOf: 'job_0' } }
  assert.deepEqual(
    createCreationEvents(retriedJob).map(({ event }) => event),
    ['job.created', 'job.queued'],
    'a copy is not an upload',
  )
})

/** Events by their publisher. */
const stories: Readonly<Record<string, () => readonly BusEvent[]>> = {
  'a created job': () => createCreationEvents(freshJob),
  'a job that waits for an upload': () => createCreationEvents(waitingJob),
  'an upload that arrives': () => [
    createFileUploadedEvent({
      owner: 'anon_1',
      file: { ...file('a.png', 'uploads/2d/upl_1'), format: null },
      occurredAt: timestamp(5),
      via: 'presigned',
      ofJob: { job: { id: 'job_1' }, sequence: 1 },
    }),
    createQueuedEvent(arrivedUpload),
  ],
  'a file that comes with the request': () => createCreationEvents(sentJob),
  'a file that a task fetches': () => {
    const [task] = withTasks(waitingJob, { in: complete(5, file('a.png', 'jobs/job_1/0/import')) }).tasks
    assert.ok(task)
    return createImportedFileEvents(waitingJob.job, { ...task, operation: 'import/s3' })
  },
  'a job that starts': () => [createStartedEvent(runningJob)],
  'a job in progress': () => [progressEventOf(runningJob, '1')],
  'a job that is completed': () => [createEndEvent(completedJob)],
  'a job that finishes before its start is published': () => {
    const short = finishJob(freshJob, allDone)
    return [...findUnpublishedEvents(short), createEndEvent(short)]
  },
  'a job that fails': () => [createEndEvent(finishJob(runningJob, oneFailed))],
  'a batch with a failed item': () => {
    const batch = newJob(
      [createStoredImport('in'), newTask('left', [0]), newTask('right', [0]), createExport('out', [1, 2])],
      {
        require: 'any',
      },
    )
    return [createEndEvent(finishJob(startJob(batch), { left: allDone.left, right: oneFailed.right }))]
  },
  'a file that is fetched': () => [
    createFileDownloadedEvent(
      completedJob.job,
      file('a.png'),
      { signed: true, ip: '203.0.113.0/24' },
      timestamp(9),
    ),
  ],
  'a job that is cancelled': () => [createEndEvent(cancelJob(runningJob))],
  'a job that is deleted': () => {
    const deletedJob = deleteJob(cancelJob(runningJob), { deletedAt: timestamp(7) })
    return [
      ...findUnpublishedEvents(deletedJob),
      createEndEvent(deletedJob),
      ...createDeletionEvents(deletedJob),
    ]
  },
  'a job that expires': () => {
    const expiredJob = expireJob(completedJob, 'retention')
    return [
      ...createDeletionEvents(expiredJob),
      createExpiredEvent(expiredJob, filesOfJob(expiredJob).length),
    ]
  },
  'a job whose upload never arrived': () => [createExpiredEvent(expireJob(waitingJob, 'upload_timeout'), 0)],
}

for (const [story, tell] of Object.entries(stories)) {
  test(`events of ${story} match their schemas and are identical when created again`, () => {
    const events = tell()
    assert.ok(events.length > 0)
    for (const event of events) {
      const strict = eventSchema(event.event).strict()
      const body = JSON.parse(JSON.stringify(toPublicEvent(event)))
      assert.deepEqual(strict.parse(body), body)
      assert.equal(event.owner, freshJob.job.owner)
    }
    assert.deepEqual(tell(), events)
    for (const [stream, ofStream] of Map.groupBy(events, ({ stream }) => stream)) {
      const numbers = ofStream.map(({ sequence }) => sequence)
      const firstNumber = stream === freshJob.job.id ? (numbers[0] ?? 0) : 1
      assert.deepEqual(
        numbers,
        numbers.map((_, at) => firstNumber + at),
        'numbered without gaps',
      )
    }
  })
}

test('every event has an example that matches its schema', () => {
  assert.deepEqual(Object.keys(eventExamples).sort(), Object.keys(events).sort())
  for (const [name, example] of Object.entries(eventExamples)) {
    const strict = eventSchema(name as EventName).strict() // keys of the examples, checked above
    assert.deepEqual(strict.parse(example), example)
  }
})

test('every job and file event is covered by one of these cases', () => {
  const coveredNames = Object.values(stories).flatMap((tell) => tell().map(({ event }) => event))
  const knownNames = Object.keys(events).filter((name) => /^(?:job|file)\./.test(name))
  assert.deepEqual([...new Set(coveredNames)].sort(), knownNames.sort())
})

const jobOf = (event: BusEvent | undefined) => {
  assert.ok(event)
  return event['job'] as { status: string; tasks: Record<string, { status: string }> }
}
const statusesIn = (event: BusEvent | undefined) =>
  Object.entries(jobOf(event).tasks).map(([name, { status }]) => `${name} ${status}`)

test('an event describes the job as it was at that time, regardless of later changes', () => {
  const states = [
    startJob(freshJob),
    runningJob,
    withTasks(runningJob, allDone),
    completedJob,
    expireJob(completedJob, 'retention'),
  ]
  for (const state of states) {
    assert.deepEqual(createCreationEvents(state), createCreationEvents(freshJob))
    assert.deepEqual(createStartedEvent(state), createStartedEvent(startJob(freshJob)))
  }
  for (const state of states.slice(1))
    assert.deepEqual(
      progressEventOf({ ...state, job: runningJob.job }, '1'),
      progressEventOf(runningJob, '1'),
    )
  assert.deepEqual(
    createEndEvent(completedJob),
    createEndEvent({ ...completedJob, job: { ...completedJob.job, log: {} } }),
  )
})

test('an event lists the state that each task of its job had at that time', () => {
  const atCreation = ['in completed', 'left pending', 'right pending', 'both pending', 'out pending']
  assert.deepEqual(statusesIn(createCreationEvents(freshJob)[0]), atCreation)
  assert.deepEqual(statusesIn(createCreationEvents(completedJob)[1]), atCreation)
  const atStart = ['in completed', 'left processing', 'right pending', 'both pending', 'out pending']
  assert.deepEqual(statusesIn(createStartedEvent(completedJob)), atStart)
  const whenCompleted = [
    'in completed',
    'left completed',
    'right completed',
    'both completed',
    'out completed',
  ]
  assert.deepEqual(statusesIn(createEndEvent(completedJob)), whenCompleted)
  const whenFailed = ['in completed', 'left completed', 'right failed', 'both cancelled', 'out cancelled']
  assert.deepEqual(statusesIn(createEndEvent(finishJob(runningJob, oneFailed))), whenFailed)
  assert.deepEqual(statusesIn(createQueuedEvent(arrivedUpload)), [
    'in completed',
    'work pending',
    'out pending',
  ])
})

test('the events of a job are numbered from 1 in chronological order', () => {
  const expiredJob = expireJob(completedJob, 'retention')
  const events = [
    ...createCreationEvents(expiredJob),
    ...findUnpublishedEvents(runningJob),
    createEndEvent(completedJob),
    ...createDeletionEvents(expiredJob),
    createExpiredEvent(expiredJob, filesOfJob(expiredJob).length),
  ]
  assert.deepEqual(
    events.map(({ event, sequence }) => `${sequence} ${event}`),
    [
      '1 job.created',
      '2 job.queued',
      '3 job.started',
      '4 job.progress',
      '5 job.completed',
      ...[6, 7, 8, 9].map((number) => `${number} file.deleted`),
      '10 job.expired',
    ],
  )
  assert.equal(new Set(events.map(({ id }) => id)).size, events.length, 'ids are unique')
})

test('events that may not have been published are published in order', () => {
  const laterJob = withProgress(runningJob, 40, 3)
  assert.deepEqual(
    findUnpublishedEvents(laterJob).map(({ event, sequence, timestamp }) => [event, sequence, timestamp]),
    [
      ['job.started', 3, timestamp(1)],
      ['job.progress', 5, timestamp(3)],
    ],
  )
  assert.deepEqual(
    findUnpublishedEvents(arrivedUpload).map(({ event }) => event),
    // The upload may be faster than the creation event.
    ['job.created', 'job.queued'],
  )
  assert.deepEqual(findUnpublishedEvents(freshJob), [])
})

test('no event contains bucket keys, the owner of the job or fields of tasks', () => {
  const secret = newJob(
    [
      createStoredImport('in'),
      newTask('left', [0], { spec: { options: { password: 'open-sesame' } } }),
      createExport('out', [1]),
    ],
    { tag: 'mine' },
  )
  const endedJob = finishJob(startJob(secret), { left: complete(3, file('l.webp', 'jobs/job_1/1/0')) })
  const expiredJob = expireJob(endedJob, 'retention')
  const events = [
    ...createCreationEvents(expiredJob),
    createStartedEvent(expiredJob),
    createEndEvent(endedJob),
    ...createDeletionEvents(expiredJob),
    createExpiredEvent(expiredJob, 2),
  ]
  assert.doesNotMatch(JSON.stringify(events.map(toPublicEvent)), /open-sesame|anon_1|jobs\/job_1|in\/in/)
})
