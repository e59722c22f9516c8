import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BusEvent } from '../../events/index.ts'
import {
  createCreationEvents,
  createEndEvent,
  createExpiredEvent,
  createProgressEvent,
  createQueuedEvent,
  createStartedEvent,
  findUnpublishedEvents,
  findUnpublishedEventsOfEndedJob,
} from '../../lib/jobs/events.ts'
import { createRetention } from '../../lib/model/fidelity.ts'
import {
  commonFields,
  display,
  endedFields,
  endedJob,
  getBody,
  jobId,
  sourceFile,
  withJob,
} from './event-records.ts'
import { createAwaitedUpload, createExport, fail, newJob, newTask, timestamp, withTasks } from './records.ts'

/** The exact content of the events of jobs, from records with distinct timestamps. */

const commonJobFields = {
  id: jobId,
  tag: 'mine',
  createdAt: timestamp(0),
  source: sourceFile,
  target: { format: 'webp' },
}
const url = `/v1/download/${jobId}`

const createTasks = (input: string, a: string, b: string, exportTask: object) => ({
  in: { operation: 'import/upload', status: input },
  a: { operation: 'convert', status: a },
  b: { operation: 'convert', status: b },
  out: { operation: 'export/url', ...exportTask },
})
const waitingTasks = createTasks('completed', 'pending', 'pending', { status: 'pending' })

test('the job.created and job.queued events describe the job at its creation, even after the job has ended', () => {
  const immediatelyQueuedJob = withJob(endedJob, { queuedAt: timestamp(0) })
  const createdFields = {
    ...commonFields,
    event: 'job.created',
    timestamp: timestamp(0),
    sequence: 1,
    job: { ...commonJobFields, status: 'queued', tasks: waitingTasks },
  }
  assert.deepEqual(createCreationEvents(immediatelyQueuedJob).map(getBody), [
    createdFields,
    {
      ...commonFields,
      event: 'job.queued',
      timestamp: timestamp(0),
      sequence: 2,
      job: { ...commonJobFields, status: 'queued', tasks: waitingTasks, queuedAt: timestamp(0) },
    },
  ])
  assert.deepEqual(createCreationEvents(endedJob).map(getBody), [
    { ...createdFields, job: { ...createdFields.job, status: 'pending' } },
  ])
})

test('the queued and started events of a job that waited for an upload show the upload as completed', () => {
  const lateJob = withJob(
    newJob([createAwaitedUpload('in'), newTask('a', [0]), newTask('b', [0]), createExport('out', [1])], {
      tag: 'mine',
      display,
    }),
    endedFields,
  )
  const listStatuses = (event: BusEvent) =>
    Object.values((event as unknown as { job: { tasks: Record<string, { status: string }> } }).job.tasks).map(
      ({ status }) => status,
    )
  assert.deepEqual(listStatuses(createQueuedEvent(lateJob)), ['completed', 'pending', 'pending', 'pending'])
  assert.deepEqual(listStatuses(createStartedEvent(lateJob)), [
    'completed',
    'pending',
    'processing',
    'pending',
  ])
  assert.equal(createQueuedEvent(lateJob).timestamp, timestamp(1))
  assert.deepEqual(getBody(createStartedEvent(endedJob)), {
    ...commonFields,
    event: 'job.started',
    timestamp: timestamp(2),
    sequence: 3,
    job: {
      ...commonJobFields,
      status: 'processing',
      queuedAt: timestamp(1),
      startedAt: timestamp(2),
      tasks: createTasks('completed', 'pending', 'processing', { status: 'pending' }),
    },
  })
})

test('a job.progress event contains the stored progress', () => {
  const fact = { at: timestamp(4), percent: 40, stage: 'encoding', taskName: 'a' }
  assert.deepEqual(getBody(createProgressEvent(endedJob.job, '1', fact)), {
    ...commonFields,
    event: 'job.progress',
    timestamp: timestamp(4),
    sequence: 4,
    job: {
      id: jobId,
      status: 'processing',
      tag: 'mine',
      progress: { percent: 40, stage: 'encoding', taskName: 'a' },
    },
  })
})

test('the job.completed event contains the results and the duration', () => {
  const { share, ...event } = getBody(createEndEvent(endedJob)) as ReturnType<typeof getBody> & {
    share?: object
  }
  assert.ok(share)
  const finishedJob = {
    ...commonJobFields,
    status: 'completed',
    queuedAt: timestamp(1),
    startedAt: timestamp(2),
    endedAt: timestamp(9),
    summary: { total: 2, completed: 2, failed: 0 },
    durationMs: 7000,
    engine: undefined,
    tasks: createTasks('completed', 'completed', 'completed', { status: 'completed', result: { url } }),
    warnings: [{ code: 'REDUCED', message: 'Less.' }],
    fidelity: { words: createRetention(4, 2), dropped: [] },
    files: ['a.webp', 'b.webp'].map((filename) => ({
      filename,
      size: 1,
      mimeType: 'image/png',
      url: `${url}?file=${filename}`,
    })),
  }
  assert.deepEqual(event, {
    ...commonFields,
    event: 'job.completed',
    timestamp: timestamp(9),
    sequence: 5,
    job: finishedJob,
  })
  // If the source was unknown at the creation, the event contains the file that was imported later.
  const laterJob = withJob(endedJob, { display: { ...display, source: null }, cameLater: sourceFile })
  assert.deepEqual(createEndEvent(laterJob).job, finishedJob)
  const jobWithoutSource = withJob(endedJob, { display: { ...display, source: null } })
  assert.equal((createEndEvent(jobWithoutSource) as unknown as { job: { source: unknown } }).job.source, null)
})

test('the job.completed event contains where the results were exported', () => {
  const deliveries = ['a.webp', 'b.webp'].map((filename) => ({
    url: `s3://bucket/results/2026/${filename}`,
    filename,
    size: 20,
    mimeType: 'image/webp',
    sha256: 'ab',
  }))
  const exportedJob = withTasks(endedJob, { a: { operation: 'export/s3', status: 'completed', deliveries } })
  const { job } = getBody(createEndEvent(exportedJob)) as unknown as { job: { export?: object } }
  assert.deepEqual(job.export, {
    method: 's3',
    path: 'results/2026/a.webp',
    url: 's3://bucket/results/2026/a.webp',
    status: 'completed',
    bytes: 40,
  })
})

test('the job.failed event contains the error of the job, or a generic error', () => {
  const error = { code: 'CORRUPT_FILE' as const, message: 'It is cut off.' }
  const failedJob = withJob(withTasks(endedJob, { a: fail(5, 'It is cut off.') }), {
    status: 'failed',
    error,
  })
  const { summary: _, ...plain } = failedJob.job
  const { share, ...event } = getBody(createEndEvent({ ...failedJob, job: plain })) as Record<string, unknown>
  assert.ok(share)
  const job = {
    ...commonJobFields,
    status: 'failed',
    queuedAt: timestamp(1),
    startedAt: timestamp(2),
    endedAt: timestamp(9),
    error,
    tasks: createTasks('completed', 'failed', 'completed', { status: 'cancelled' }),
  }
  assert.deepEqual(event, { ...commonFields, event: 'job.failed', timestamp: timestamp(9), sequence: 5, job })
  const { error: _error, ...silent } = plain
  assert.deepEqual(
    (createEndEvent({ ...failedJob, job: silent }) as unknown as { job: { error: object } }).job.error,
    {
      code: 'INTERNAL_ERROR',
      message: 'The job failed.',
    },
  )
})

test('the job.cancelled event contains who cancelled the job', () => {
  for (const [error, expectedMessage] of [
    [{ cancelledBy: 'user' as const }, 'user'],
    [{}, 'system'],
  ] as const) {
    const { share, ...event } = getBody(
      createEndEvent(withJob(endedJob, { status: 'cancelled', ...error })),
    ) as Record<string, unknown>
    assert.ok(share)
    assert.deepEqual(event, {
      ...commonFields,
      event: 'job.cancelled',
      timestamp: timestamp(9),
      sequence: 5,
      job: {
        id: jobId,
        status: 'cancelled',
        tag: 'mine',
        cancelledBy: expectedMessage,
        cancelledAt: timestamp(9),
      },
    })
  }
})

test('the unpublished events of a job are in order, and include job.created if the job never started', () => {
  const listNames = (events: readonly BusEvent[]) => events.map(({ event }) => event)
  const fact = (seconds: number) => ({ at: timestamp(seconds) })
  const log = { 1: fact(4), started: fact(2), queued: fact(1), created: fact(0) }
  const jobWithLog = withJob(endedJob, { log })
  assert.deepEqual(listNames(findUnpublishedEvents(jobWithLog)), [
    'job.created',
    'job.queued',
    'job.started',
    'job.progress',
  ])
  assert.deepEqual(listNames(findUnpublishedEventsOfEndedJob(jobWithLog)), [
    ...listNames(findUnpublishedEvents(jobWithLog)),
    'job.completed',
  ])
  const { started: _, ...numbers } = endedFields.numbers
  const neverStartedJob = withJob(endedJob, { status: 'cancelled', numbers, queuedAt: timestamp(0) })
  assert.deepEqual(listNames(findUnpublishedEventsOfEndedJob(neverStartedJob)), [
    'job.created',
    'job.queued',
    'job.cancelled',
  ])
  const { queued: _queued, ...unqueued } = numbers
  assert.deepEqual(
    listNames(findUnpublishedEventsOfEndedJob(withJob(neverStartedJob, { numbers: unqueued }))),
    ['job.cancelled'],
  )
})

test('the job.expired event of a job is numbered after its file.deleted events', () => {
  assert.deepEqual(
    getBody(
      createExpiredEvent(withJob(endedJob, { expiredAt: timestamp(50), expiredFor: 'upload_timeout' }), 2),
    ),
    {
      ...commonFields,
      event: 'job.expired',
      timestamp: timestamp(50),
      sequence: 8,
      job: { id: jobId, status: 'expired', expiredAt: timestamp(50), reason: 'upload_timeout' },
    },
  )
})

test('different events of a job have different ids, and a repeated event has the same id', () => {
  const ids = [
    createStartedEvent(endedJob),
    createQueuedEvent(endedJob),
    createStartedEvent(withJob(endedJob, { numbers: { started: 4 } })),
  ].map(({ id }) => id)
  assert.equal(new Set(ids).size, 3)
  assert.equal(createStartedEvent(endedJob).id, ids[0])
  assert.match(ids[0] ?? '', /^evt_/)
})
