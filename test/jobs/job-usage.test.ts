import assert from 'node:assert/strict'
import { test } from 'node:test'
import { measureJobUsage } from '../../lib/jobs/job-usage.ts'
import type { Job, JobState, StoredFile } from '../../lib/model/job.ts'
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

const createFileOfSize = (name: string, size: number, format = 'webp'): StoredFile => ({
  ...file(name),
  size,
  format,
})
const changeJobFields = (state: JobState, overrides: Partial<Job>): JobState => ({
  ...state,
  job: { ...state.job, ...overrides },
})

const createdState = newJob(
  [
    ...[createStoredImport('in'), newTask('fetched', [], { operation: 'import/url' })],
    ...[newTask('first', [0, 1]), newTask('second', [2]), createExport('out', [3])],
  ],
  { keyId: 'key_1' },
)
const finishedState = withTasks(createdState, {
  fetched: { ...complete(3, createFileOfSize('a', 40)), brought: createFileOfSize('a', 30) },
  first: { ...complete(5, createFileOfSize('b', 7)), startedAt: timestamp(3), engine: 'vips' },
  second: { ...complete(9, createFileOfSize('c', 500)), startedAt: timestamp(6), engine: 'ffmpeg' },
})
const over = changeJobFields(finishedState, {
  status: 'completed',
  queuedAt: timestamp(1),
  startedAt: timestamp(3),
  endedAt: timestamp(9),
})

test('usage statistics count work time, input bytes and output bytes of a job', () => {
  assert.deepEqual(measureJobUsage(over), {
    format: 'webp',
    engine: 'ffmpeg',
    key: 'key_1',
    workMs: 5000,
    bytesIn: 1 + 30,
    bytesOut: 500,
    durationMs: 6000,
    queueMs: 2000,
  })
})

test('the usage of a failed job counts no output bytes', () => {
  const failedJob = changeJobFields(withTasks(over, { second: { files: [] } }), { status: 'failed' })
  const { bytesOut, format, workMs } = measureJobUsage(failedJob)
  assert.deepEqual([bytesOut, format, workMs], [0, 'webp', 5000])
  const display = { ...failedJob.job.display, target: null }
  assert.equal(measureJobUsage(changeJobFields(failedJob, { display })).format, null)
})

test('the usage of a job that never started counts no time', () => {
  const waitingJob = changeJobFields(newJob([createStoredImport('in'), newTask('work', [0])]), {
    status: 'cancelled',
    endedAt: timestamp(9),
  })
  assert.deepEqual(measureJobUsage(waitingJob), {
    format: 'webp',
    engine: null,
    workMs: 0,
    bytesIn: 1,
    bytesOut: 0,
  })
  const startedJob = changeJobFields(waitingJob, { startedAt: timestamp(4) })
  assert.deepEqual(
    [measureJobUsage(startedJob).durationMs, measureJobUsage(startedJob).queueMs],
    [5000, 4000],
  )
  // The clocks of two machines may differ.
  assert.equal(measureJobUsage(changeJobFields(waitingJob, { startedAt: timestamp(12) })).durationMs, 0)
})

test('the usage of a job with a single task names the engine of the task', () => {
  const [onlyTask] = newJob([createStoredImport('in'), newTask('work', [0])]).tasks
  assert.ok(onlyTask)
  const singleTaskState = withTasks(newJob([createStoredImport('in'), newTask('work', [0])]), {
    work: { ...complete(5, createFileOfSize('b', 7)), engine: 'pdf' },
  })
  assert.equal(measureJobUsage(changeJobFields(singleTaskState, { status: 'completed' })).engine, 'pdf')
})
