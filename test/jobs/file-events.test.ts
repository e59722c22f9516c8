import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createCreationEvents,
  createFileDeletedEvent,
  createFileDownloadedEvent,
  createFileUploadedEvent,
  createImportedFileEvents,
} from '../../lib/jobs/events.ts'
import type { Job } from '../../lib/model/job.ts'
import { commonFields, createdJob, endedJob, getBody, jobId, withJob } from './event-records.ts'
import { complete, file, newJob, newTask, timestamp, withTasks } from './records.ts'

/** The exact content of the events of files, from records with distinct timestamps. */

test('a file.uploaded event contains the file, how it was uploaded, and the upload id if there is one', () => {
  const { key: _, ...png } = file('a.png')
  const fileFields = { filename: 'a.png', size: 1, mimeType: 'image/png', format: 'png' }
  const createEvent = (key: string, moreFields: object = {}) =>
    getBody(
      createFileUploadedEvent({
        owner: 'anon_1',
        file: { ...png, key, ...moreFields },
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
  assert.deepEqual(createEvent('uploads/upl_1', { sha256: '00' }), {
    ...event,
    stream: 'uploads/upl_1',
    file: { ...fileFields, uploadId: 'upl_1', jobId: undefined, via: 'presigned', sha256: '00' },
  })
  assert.deepEqual(createEvent('received/1'), {
    ...event,
    stream: 'received/1',
    file: { ...fileFields, uploadId: undefined, jobId: undefined, via: 'presigned', sha256: undefined },
  })
})

test('the file.uploaded event of a file in a request is created with the job, but not on a retry', () => {
  const createImport = (operation: string) =>
    newTask('in', [], { operation, fixed: { status: 'completed', files: [file('a.png', 'received/1')] } })
  const listEvents = (operation: string, retryOf?: string) =>
    createCreationEvents(newJob([createImport(operation)], retryOf === undefined ? {} : { retryOf })).map(
      getBody,
    )
  const [arrivedEvent] = listEvents('import/upload')
  const { file: uploadedFile, timestamp: occurredAt } = arrivedEvent as unknown as {
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
  assert.equal(listEvents('import/upload', 'job_0').length, 2)
  assert.equal(listEvents('convert').length, 2)
  assert.equal(createCreationEvents(createdJob).length, 2, 'the file was uploaded before')
})

test('the file.uploaded event of an imported file contains the origin of the file', () => {
  const [firstTask] = withTasks(newJob([newTask('in', [], { operation: 'import/url' })]), {
    in: complete(5, file('a.png'), file('b.png')),
  }).tasks
  assert.ok(firstTask)
  const listEvents = (moreFields: Partial<typeof firstTask>) =>
    createImportedFileEvents(createdJob.job, { ...firstTask, ...moreFields }).map((event) => {
      const { file: imported, timestamp: occurredAt } = event as unknown as {
        file: { filename: string; via: string; jobId: string }
        timestamp: string
      }
      return [imported.filename, imported.via, imported.jobId, occurredAt]
    })
  assert.deepEqual(listEvents({}), [
    ['a.png', 'url', jobId, timestamp(5)],
    ['b.png', 'url', jobId, timestamp(5)],
  ])
  const brought = { files: [], brought: file('c.png') }
  assert.deepEqual(listEvents({ operation: 'import/s3', ...brought }), [
    ['c.png', 'store', jobId, timestamp(5)],
  ])
})

test('file.downloaded and file.deleted events contain the job and the file, and file.deleted events also the reason', () => {
  const png = file('a.png')
  assert.deepEqual(
    getBody(createFileDownloadedEvent(endedJob.job, png, { isSigned: true, ip: '127.0.0.1' }, timestamp(30))),
    {
      ...commonFields,
      event: 'file.downloaded',
      timestamp: timestamp(30),
      sequence: 20,
      file: { jobId, filename: 'a.png', size: 1, signed: true, ip: '127.0.0.1' },
    },
  )
  const createDeletedEventBody = (overrides: Partial<Job>, at: number) =>
    getBody(createFileDeletedEvent(withJob(endedJob, overrides), { ...png, role: 'output' }, at))
  assert.deepEqual(createDeletedEventBody({ deletedAt: timestamp(40) }, 0), {
    ...commonFields,
    event: 'file.deleted',
    timestamp: timestamp(40),
    sequence: 6,
    file: { jobId, filename: 'a.png', role: 'output', reason: 'request' },
  })
  assert.deepEqual(createDeletedEventBody({ expiredAt: timestamp(50), expiredFor: 'retention' }, 2), {
    ...commonFields,
    event: 'file.deleted',
    timestamp: timestamp(50),
    sequence: 8,
    file: { jobId, filename: 'a.png', role: 'output', reason: 'retention' },
  })
})
