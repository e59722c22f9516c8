import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BusEvent } from '../../events/index.ts'
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
  findUnpublishedEventsOfEndedJob,
} from '../../lib/jobs/events.ts'
import { createRetention } from '../../lib/model/fidelity.ts'
import type { Job, JobState } from '../../lib/model/job.ts'
import {
  complete,
  createAwaitedUpload,
  createExport,
  createStoredImport,
  fail,
  file,
  newJob,
  newTask,
  timestamp,
  withTasks,
} from './records.ts'

/** The exact content of each event, from records with distinct timestamps. */

const source = { filename: 'in.png', format: 'png', size: 1 }
const display = { source, target: { format: 'webp' }, operations: ['convert'], pollS: 2 }
const made = newJob(
  [createStoredImport('in'), newTask('a', [0]), newTask('b', [0]), createExport('out', [1, 2])],
  {
    tag: 'mine',
    display,
  },
)
const of = (state: JobState, more: Partial<Job>): JobState => ({ ...state, job: { ...state.job, ...more } })
const facts = {
  queuedAt: timestamp(1),
  startedAt: timestamp(2),
  startedWith: 2,
  endedAt: timestamp(9),
  expiresAt: timestamp(99),
  sequence: 20,
  numbers: { created: 1, queued: 2, started: 3, 1: 4, ended: 5, deletion: 6 },
}
const over = of(
  withTasks(made, {
    a: {
      ...complete(5, file('a.webp')),
      fidelity: { words: createRetention(4, 2), dropped: [] },
      engine: 'vips',
    },
    b: { ...complete(6, file('b.webp')), warnings: [{ code: 'REDUCED', message: 'Less.' }] },
  }),
  { ...facts, status: 'completed', summary: { total: 2, completed: 2, failed: 0 } },
)
const jobId = 'job_1'
const common = { apiVersion: 'v1', owner: 'anon_1', stream: jobId }
const outline = { id: jobId, tag: 'mine', createdAt: timestamp(0), source, target: { format: 'webp' } }
const url = `/v1/download/${jobId}`

/** Without the id, which is derived from the rest. */
const bodyOf = ({ id: _, ...body }: BusEvent) => body
const tasks = (input: string, a: string, b: string, out: object) => ({
  in: { operation: 'import/upload', status: input },
  a: { operation: 'convert', status: a },
  b: { operation: 'convert', status: b },
  out: { operation: 'export/url', ...out },
})
const waiting = tasks('completed', 'pending', 'pending', { status: 'pending' })

test('the creation events are the same at any later time', () => {
  const atOnce = of(over, { queuedAt: timestamp(0) })
  const created = {
    ...common,
    event: 'job.created',
    timestamp: timestamp(0),
    sequence: 1,
    job: { ...outline, status: 'queued', tasks: waiting },
  }
  assert.deepEqual(createCreationEvents(atOnce).map(bodyOf), [
    created,
    {
      ...common,
      event: 'job.queued',
      timestamp: timestamp(0),
      sequence: 2,
      job: { ...outline, status: 'queued', tasks: waiting, queuedAt: timestamp(0) },
    },
  ])
  assert.deepEqual(createCreationEvents(over).map(bodyOf), [
    { ...created, job: { ...created.job, status: 'pending' } },
  ])
})

test('a job that waited for an upload publishes when it was queued and started, with that upload', () => {
  const late = of(
    newJob([createAwaitedUpload('in'), newTask('a', [0]), newTask('b', [0]), createExport('out', [1])], {
      tag: 'mine',
      display,
    }),
    facts,
  )
  const statuses = (event: BusEvent) =>
    Object.values((event as unknown as { job: { tasks: Record<string, { status: string }> } }).job.tasks).map(
      ({ status }) => status,
    )
  assert.deepEqual(statuses(createQueuedEvent(late)), ['completed', 'pending', 'pending', 'pending'])
  assert.deepEqual(statuses(createStartedEvent(late)), ['completed', 'pending', 'processing', 'pending'])
  assert.equal(createQueuedEvent(late).timestamp, timestamp(1))
  assert.deepEqual(bodyOf(createStartedEvent(over)), {
    ...common,
    event: 'job.started',
    timestamp: timestamp(2),
    sequence: 3,
    job: {
      ...outline,
      status: 'processing',
      queuedAt: timestamp(1),
      startedAt: timestamp(2),
      tasks: tasks('completed', 'pending', 'processing', { status: 'pending' }),
    },
  })
})

test('progress contains the stored fact', () => {
  const fact = { at: timestamp(4), percent: 40, stage: 'encoding', taskName: 'a' }
  assert.deepEqual(bodyOf(createProgressEvent(over.job, '1', fact)), {
    ...common,
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

test('a completed job publishes its results and duration', () => {
  const { share, ...event } = bodyOf(createEndEvent(over)) as ReturnType<typeof bodyOf> & { share?: object }
  assert.ok(share)
  const done = {
    ...outline,
    status: 'completed',
    queuedAt: timestamp(1),
    startedAt: timestamp(2),
    endedAt: timestamp(9),
    summary: { total: 2, completed: 2, failed: 0 },
    durationMs: 7000,
    engine: undefined,
    tasks: tasks('completed', 'completed', 'completed', { status: 'completed', result: { url } }),
    warnings: [{ code: 'REDUCED', message: 'Less.' }],
    fidelity: { words: createRetention(4, 2), dropped: [] },
    files: ['a.webp', 'b.webp'].map((filename) => ({ filename, size: 1, mimeType: 'image/png', url })),
  }
  assert.deepEqual(event, {
    ...common,
    event: 'job.completed',
    timestamp: timestamp(9),
    sequence: 5,
    job: done,
  })
  // A file that was imported later is the source.
  const later = of(over, { display: { ...display, source: null }, cameLater: source })
  assert.deepEqual((createEndEvent(later) as unknown as { job: object }).job, done)
  const none = of(over, { display: { ...display, source: null } })
  assert.equal((createEndEvent(none) as unknown as { job: { source: unknown } }).job.source, null)
})

test('a failed job publishes its error, or a generic one', () => {
  const error = { code: 'CORRUPT_FILE' as const, message: 'It is cut off.' }
  const lost = of(withTasks(over, { a: fail(5, 'It is cut off.') }), { status: 'failed', error })
  const { summary: _, ...plain } = lost.job
  const { share, ...event } = bodyOf(createEndEvent({ ...lost, job: plain })) as Record<string, unknown>
  assert.ok(share)
  const job = {
    ...outline,
    status: 'failed',
    queuedAt: timestamp(1),
    startedAt: timestamp(2),
    endedAt: timestamp(9),
    error,
    tasks: tasks('completed', 'failed', 'completed', { status: 'cancelled' }),
  }
  assert.deepEqual(event, { ...common, event: 'job.failed', timestamp: timestamp(9), sequence: 5, job })
  const { error: _error, ...silent } = plain
  assert.deepEqual(
    (createEndEvent({ ...lost, job: silent }) as unknown as { job: { error: object } }).job.error,
    {
      code: 'INTERNAL_ERROR',
      message: 'The job failed.',
    },
  )
})

test('a cancelled job publishes who cancelled it', () => {
  for (const [given, said] of [
    [{ cancelledBy: 'user' as const }, 'user'],
    [{}, 'system'],
  ] as const) {
    const { share, ...event } = bodyOf(createEndEvent(of(over, { status: 'cancelled', ...given }))) as Record<
      string,
      unknown
    >
    assert.ok(share)
    assert.deepEqual(event, {
      ...common,
      event: 'job.cancelled',
      timestamp: timestamp(9),
      sequence: 5,
      job: { id: jobId, status: 'cancelled', tag: 'mine', cancelledBy: said, cancelledAt: timestamp(9) },
    })
  }
})

test('unpublished events are in order, and for a job that never started include its creation', () => {
  const names = (events: readonly BusEvent[]) => events.map(({ event }) => event)
  const fact = (seconds: number) => ({ at: timestamp(seconds) })
  const log = { 1: fact(4), started: fact(2), queued: fact(1), created: fact(0) }
  const all = of(over, { log })
  assert.deepEqual(names(findUnpublishedEvents(all)), [
    'job.created',
    'job.queued',
    'job.started',
    'job.progress',
  ])
  assert.deepEqual(names(findUnpublishedEventsOfEndedJob(all)), [
    ...names(findUnpublishedEvents(all)),
    'job.completed',
  ])
  const { started: _, ...numbers } = facts.numbers
  const untouched = of(over, { status: 'cancelled', numbers, queuedAt: timestamp(0) })
  assert.deepEqual(names(findUnpublishedEventsOfEndedJob(untouched)), [
    'job.created',
    'job.queued',
    'job.cancelled',
  ])
  const { queued: _queued, ...unqueued } = numbers
  assert.deepEqual(names(findUnpublishedEventsOfEndedJob(of(untouched, { numbers: unqueued }))), [
    'job.cancelled',
  ])
})

test('an uploaded file has its origin, upload and job', () => {
  const { key: _, ...png } = file('a.png')
  const said = { filename: 'a.png', size: 1, mimeType: 'image/png', format: 'png' }
  const eventFor = (key: string, more: object = {}) =>
    bodyOf(
      createFileUploadedEvent({
        owner: 'anon_1',
        file: { ...png, key, ...more },
        occurredAt: timestamp(3),
        via: 'presigned',
      }),
    )
  const event = {
    event: 'file.uploaded',
    timestamp: timestamp(3),
    sequence: 1,
    apiVersion: 'v1',
    owner: 'anon_1',
  }
  assert.deepEqual(eventFor('uploads/upl_1', { sha256: '00' }), {
    ...event,
    stream: 'uploads/upl_1',
    file: { ...said, uploadId: 'upl_1', jobId: undefined, via: 'presigned', sha256: '00' },
  })
  assert.deepEqual(eventFor('received/1'), {
    ...event,
    stream: 'received/1',
    file: { ...said, uploadId: undefined, jobId: undefined, via: 'presigned', sha256: undefined },
  })
})

test('files of the request are published with the job, but not on a retry', () => {
  const importOf = (operation: string) =>
    newTask('in', [], { operation, fixed: { status: 'completed', files: [file('a.png', 'received/1')] } })
  const eventsFor = (operation: string, retryOf?: string) =>
    createCreationEvents(newJob([importOf(operation)], retryOf === undefined ? {} : { retryOf })).map(bodyOf)
  const [arrived] = eventsFor('import/upload')
  const { file: uploadedFile, timestamp: occurredAt } = arrived as unknown as {
    file: object
    timestamp: string
  }
  assert.deepEqual(
    [occurredAt, uploadedFile],
    [
      timestamp(0),
      {
        filename: 'a.png',
        size: 1,
        mimeType: 'image/png',
        format: 'png',
        via: 'form',
        jobId,
        uploadId: undefined,
        sha256: undefined,
      },
    ],
  )
  assert.equal(eventsFor('import/upload', 'job_0').length, 2)
  assert.equal(eventsFor('convert').length, 2)
  assert.equal(createCreationEvents(made).length, 2, 'the file was uploaded before')
})

test('imported files have their origin', () => {
  const [first] = withTasks(newJob([newTask('in', [], { operation: 'import/url' })]), {
    in: complete(5, file('a.png'), file('b.png')),
  }).tasks
  assert.ok(first)
  const eventsFor = (more: Partial<typeof first>) =>
    createImportedFileEvents(made.job, { ...first, ...more }).map((event) => {
      const { file: imported, timestamp: occurredAt } = event as unknown as {
        file: { filename: string; via: string; jobId: string }
        timestamp: string
      }
      return [imported.filename, imported.via, imported.jobId, occurredAt]
    })
  assert.deepEqual(eventsFor({}), [
    ['a.png', 'url', jobId, timestamp(5)],
    ['b.png', 'url', jobId, timestamp(5)],
  ])
  const brought = { files: [], brought: file('c.png') }
  assert.deepEqual(eventsFor({ operation: 'import/s3', ...brought }), [
    ['c.png', 'store', jobId, timestamp(5)],
  ])
})

test('downloads and deletions of a job’s files are published with their details', () => {
  const png = file('a.png')
  assert.deepEqual(
    bodyOf(createFileDownloadedEvent(over.job, png, { signed: true, ip: '127.0.0.1' }, timestamp(30))),
    {
      ...common,
      event: 'file.downloaded',
      timestamp: timestamp(30),
      sequence: 20,
      file: { jobId, filename: 'a.png', size: 1, signed: true, ip: '127.0.0.1' },
    },
  )
  const gone = (more: Partial<Job>, at: number) =>
    bodyOf(createFileDeletedEvent(of(over, more), { ...png, role: 'output' }, at))
  assert.deepEqual(gone({ deletedAt: timestamp(40) }, 0), {
    ...common,
    event: 'file.deleted',
    timestamp: timestamp(40),
    sequence: 6,
    file: { jobId, filename: 'a.png', role: 'output', reason: 'request' },
  })
  assert.deepEqual(gone({ expiredAt: timestamp(50), expiredFor: 'retention' }, 2), {
    ...common,
    event: 'file.deleted',
    timestamp: timestamp(50),
    sequence: 8,
    file: { jobId, filename: 'a.png', role: 'output', reason: 'retention' },
  })
})

test('an expired job publishes the reason after its file deletions', () => {
  assert.deepEqual(
    bodyOf(createExpiredEvent(of(over, { expiredAt: timestamp(50), expiredFor: 'upload_timeout' }), 2)),
    {
      ...common,
      event: 'job.expired',
      timestamp: timestamp(50),
      sequence: 8,
      job: { id: jobId, status: 'expired', expiredAt: timestamp(50), reason: 'upload_timeout' },
    },
  )
})

test('different events of a job have different ids, the same event has the same id', () => {
  const ids = [
    createStartedEvent(over),
    createQueuedEvent(over),
    createStartedEvent(of(over, { numbers: { started: 4 } })),
  ].map(({ id }) => id)
  assert.equal(new Set(ids).size, 3)
  assert.equal(createStartedEvent(over).id, ids[0])
  assert.match(ids[0] ?? '', /^evt_/)
})
