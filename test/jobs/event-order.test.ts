import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BusEvent, toPublicEvent } from '../../events/index.ts'
import {
  createCreationEvents,
  createEndEvent,
  createExpiredEvent,
  createQueuedEvent,
  createStartedEvent,
  findUnpublishedEvents,
} from '../../lib/jobs/events.ts'
import { listJobFiles } from '../../lib/jobs/job-state-machine.ts'
import {
  arrivedUpload,
  completedJob,
  createDeletionEvents,
  expireJob,
  fieldsAfterFailedTask,
  fieldsOfCompletedTasks,
  finishJob,
  freshJob,
  getProgressEvent,
  runningJob,
  startJob,
  withProgress,
} from './event-states.ts'
import {
  complete,
  createExport,
  createStoredImport,
  file,
  newJob,
  newTask,
  timestamp,
  withTasks,
} from './records.ts'

const getEventJob = (event: BusEvent | undefined) => {
  assert.ok(event)
  return event['job'] as { status: string; tasks: Record<string, { status: string }> }
}

const listStatusesIn = (event: BusEvent | undefined) =>
  Object.entries(getEventJob(event).tasks).map(([name, { status }]) => `${name} ${status}`)

test('an event describes the job as it was when the event occurred, regardless of later changes', () => {
  const states = [
    startJob(freshJob),
    runningJob,
    withTasks(runningJob, fieldsOfCompletedTasks),
    completedJob,
    expireJob(completedJob, 'retention'),
  ]
  for (const state of states) {
    assert.deepEqual(createCreationEvents(state), createCreationEvents(freshJob))
    assert.deepEqual(createStartedEvent(state), createStartedEvent(startJob(freshJob)))
  }
  for (const state of states.slice(1))
    assert.deepEqual(
      getProgressEvent({ ...state, job: runningJob.job }, '1'),
      getProgressEvent(runningJob, '1'),
    )
  assert.deepEqual(
    createEndEvent(completedJob),
    createEndEvent({ ...completedJob, job: { ...completedJob.job, log: {} } }),
  )
})

test('an event lists the state that each task of its job had when the event occurred', () => {
  const statusesAtCreation = ['in completed', 'left pending', 'right pending', 'both pending', 'out pending']
  assert.deepEqual(listStatusesIn(createCreationEvents(freshJob)[0]), statusesAtCreation)
  assert.deepEqual(listStatusesIn(createCreationEvents(completedJob)[1]), statusesAtCreation)
  const atStart = ['in completed', 'left processing', 'right pending', 'both pending', 'out pending']
  assert.deepEqual(listStatusesIn(createStartedEvent(completedJob)), atStart)
  const statusesWhenCompleted = [
    'in completed',
    'left completed',
    'right completed',
    'both completed',
    'out completed',
  ]
  assert.deepEqual(listStatusesIn(createEndEvent(completedJob)), statusesWhenCompleted)
  const statusesWhenFailed = [
    'in completed',
    'left completed',
    'right failed',
    'both cancelled',
    'out cancelled',
  ]
  assert.deepEqual(
    listStatusesIn(createEndEvent(finishJob(runningJob, fieldsAfterFailedTask))),
    statusesWhenFailed,
  )
  assert.deepEqual(listStatusesIn(createQueuedEvent(arrivedUpload)), [
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
    createExpiredEvent(expiredJob, listJobFiles(expiredJob).length),
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

test('the possibly unpublished events of a job are listed in order', () => {
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
    // The upload may arrive before the creation event is published.
    ['job.created', 'job.queued'],
  )
  assert.deepEqual(findUnpublishedEvents(freshJob), [])
})

test('the public events of a job contain no bucket keys, no owner and no task options', () => {
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
