import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventExamples } from '../events/examples/index.ts'
import { type BusEvent, type EventName, eventSchema, events, toPublicEvent } from '../events/index.ts'
import {
  createCreationEvents,
  createEndEvent,
  createExpiredEvent,
  createFileDownloadedEvent,
  createFileUploadedEvent,
  createImportedFileEvents,
  createQueuedEvent,
  createStartedEvent,
  findUnpublishedEvents,
} from '../lib/jobs/events.ts'
import { listJobFiles } from '../lib/jobs/job-state-machine.ts'
import type { JobState } from '../lib/model/job.ts'
import {
  arrivedUpload,
  changeJob,
  completedJob,
  createDeletionEvents,
  deleteJob,
  expireJob,
  fieldsAfterFailedTask,
  fieldsOfCompletedTasks,
  finishJob,
  freshJob,
  getProgressEvent,
  runningJob,
  startJob,
  waitingJob,
} from './jobs/event-states.ts'
import {
  complete,
  createExport,
  createStoredImport,
  file,
  newJob,
  newTask,
  timestamp,
  withTasks,
} from './jobs/records.ts'

const cancelJob = (state: JobState): JobState => ({
  ...state,
  job: changeJob(state.job, {
    set: { status: 'cancelled', cancelledBy: 'user', endedAt: timestamp(6) },
    setPlus: { 'numbers.ended': ['sequence', 1], sequence: ['sequence', 1] },
  }),
})

const sentJob = newJob([
  {
    ...createStoredImport('in'),
    fixed: { status: 'completed', files: [{ ...file('a.png', 'received/2d/upl_2'), sha256: 'ab' }] },
  },
  newTask('work', [0]),
])

test('the creation events of a job have the field hasWebhook if and only if the job has its own webhook', () => {
  const [yes, no] = [true, false].map((hasWebhook) =>
    createCreationEvents(newJob([createStoredImport('in')], { hasWebhook })).map((event) => event.hasWebhook),
  )
  assert.ok(yes && yes.length > 1 && yes.every((verdict) => verdict === true))
  assert.ok(no?.every((verdict) => verdict === undefined))
})

test('the creation events of a job contain a file.uploaded event for an uploaded file, but not for a copied one', () => {
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

/** Functions that create the events of each situation. */
const eventsByStory: Readonly<Record<string, () => readonly BusEvent[]>> = {
  'a created job': () => createCreationEvents(freshJob),
  'a job that waits for an upload': () => createCreationEvents(waitingJob),
  'an upload that is received': () => [
    createFileUploadedEvent({
      owner: 'anon_1',
      file: { ...file('a.png', 'uploads/2d/upl_1'), format: null },
      occurredAt: timestamp(5),
      via: 'presigned',
      ofJob: { job: { id: 'job_1' }, sequence: 1 },
    }),
    createQueuedEvent(arrivedUpload),
  ],
  'a file that is sent with the request': () => createCreationEvents(sentJob),
  'a file that a task imports': () => {
    const [task] = withTasks(waitingJob, { in: complete(5, file('a.png', 'jobs/job_1/0/import')) }).tasks
    assert.ok(task)
    return createImportedFileEvents(waitingJob.job, { ...task, operation: 'import/s3' })
  },
  'a job that starts': () => [createStartedEvent(runningJob)],
  'a job in progress': () => [getProgressEvent(runningJob, '1')],
  'a job that is completed': () => [createEndEvent(completedJob)],
  'a job that finishes before its start is published': () => {
    const quickJob = finishJob(freshJob, fieldsOfCompletedTasks)
    return [...findUnpublishedEvents(quickJob), createEndEvent(quickJob)]
  },
  'a job that fails': () => [createEndEvent(finishJob(runningJob, fieldsAfterFailedTask))],
  'a batch with a failed item': () => {
    const batch = newJob(
      [createStoredImport('in'), newTask('left', [0]), newTask('right', [0]), createExport('out', [1, 2])],
      {
        require: 'any',
      },
    )
    return [
      createEndEvent(
        finishJob(startJob(batch), { left: fieldsOfCompletedTasks.left, right: fieldsAfterFailedTask.right }),
      ),
    ]
  },
  'a file that is downloaded': () => [
    createFileDownloadedEvent(
      completedJob.job,
      file('a.png'),
      { isSigned: true, ip: '203.0.113.0/24' },
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
      createExpiredEvent(expiredJob, listJobFiles(expiredJob).length),
    ]
  },
  'a job whose upload never arrived': () => [createExpiredEvent(expireJob(waitingJob, 'upload_timeout'), 0)],
}

for (const [name, createEvents] of Object.entries(eventsByStory)) {
  test(`events of ${name} match their schemas and are identical when created again`, () => {
    const events = createEvents()
    assert.ok(events.length > 0)
    for (const event of events) {
      const strictSchema = eventSchema(event.event).strict()
      const body = JSON.parse(JSON.stringify(toPublicEvent(event)))
      assert.deepEqual(strictSchema.parse(body), body)
      assert.equal(event.owner, freshJob.job.owner)
    }
    assert.deepEqual(createEvents(), events)
    for (const [stream, streamEvents] of Map.groupBy(events, ({ stream }) => stream)) {
      const numbers = streamEvents.map(({ sequence }) => sequence)
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
    const strictSchema = eventSchema(name as EventName).strict() // keys of the examples, checked above
    assert.deepEqual(strictSchema.parse(example), example)
  }
})

test('the test cases of events.test.ts cover every job and file event', () => {
  const coveredNames = Object.values(eventsByStory).flatMap((createEvents) =>
    createEvents().map(({ event }) => event),
  )
  const knownNames = Object.keys(events).filter((name) => /^(?:job|file)\./.test(name))
  assert.deepEqual([...new Set(coveredNames)].sort(), knownNames.sort())
})
