import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  FixedTask,
  type InputPlan,
  Job,
  JoinBucket,
  type StoredFile,
  Task,
  type Warning,
} from '../../lib/model/job.ts'
import { timestamp } from './records.ts'

/** The type of a record that has all of its optional attributes. */
type Complete<T> = { readonly [Name in keyof T]-?: Exclude<T[Name], undefined> }

const [at, numbers, details] = [timestamp(0), new Set([1, 2]), { pages: 2 }]
const file: Complete<StoredFile> = {
  key: 'jobs/job_1/1/a',
  filename: 'a.svg',
  format: 'svg',
  mimeType: 'image/svg+xml',
  size: 1,
  sha256: '00',
  etag: '"1"',
  locked: true,
  traits: ['browser-drawing'],
  members: ['page-1.png'],
  each: 'jobs/job_1/1/a',
}
const warning: Complete<Warning> = {
  code: 'PAGES_DROPPED',
  message: 'Two pages.',
  field: 'pages',
  details: { kept: 1, total: 3 },
}
const error = { code: 'CORRUPT_FILE', message: 'It is cut off.', details } as const
const fidelity = { words: { source: 2, result: 1, share: 0.5 }, dropped: ['animation'], uncounted: ['doc'] }
const madeBy = { engine: 'vips', engineVersion: '8', method: 'encode', fidelity }
const result = { ...madeBy, details, files: [{ ...file, linkLifetimeS: 60 }], warnings: [warning] }
const step = { engine: 'vips', from: 'svg', to: 'png' }
const inputPlan: Complete<InputPlan> = {
  steps: [{ ...step, operation: 'convert', image: 'image', options: { dpi: 7 } }],
  step: 1,
  files: [file],
  tried: [{ steps: [step], error }],
  fallback: { ...result, kept: 0.5 },
  reached: 40,
  failure: error,
  fidelity,
  held: { counts: { pages: 1 }, seconds: 1, soundSeconds: 1, features: ['pictures'] },
}
const dependencies = { open: numbers, lost: numbers, got: numbers }
const recordFields = {
  number: 1,
  name: 'work',
  operation: 'convert',
  ins: [0],
  input: [{ task: 'in', file: 'a.svg' }],
  ...error,
  warnings: [warning],
  status: 'failed' as const,
}
const fixedRecord: Complete<FixedTask> = { ...recordFields, files: [file], spec: { filename: 'a' } }
const delivery = { url: 's3://bucket/key', filename: 'a', size: 1, mimeType: 'image/png', sha256: '00' }
const task: Complete<Task> = {
  ...recordFields,
  ...dependencies,
  ...madeBy,
  jobId: 'job_1',
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-b7ad6b7169203331-01',
  owner: 'anon_1',
  part: 1000,
  spec: { to: 'png' },
  outs: ['2#1'],
  edgePages: 1,
  bucketed: true,
  fed: true,
  continueOnError: true,
  percent: 40,
  metadata: '{}',
  stage: 'convert',
  attempt: 2,
  uncounted: 1,
  leaseId: 'l',
  leaseUntil: at,
  shared: true,
  runId: 'r',
  apart: true,
  workedMs: 1,
  attemptMs: 1,
  pieces: [inputPlan],
  cut: 'key',
  ranMs: 1,
  expandedBy: 1,
  partCount: 2,
  files: [file],
  begun: 'upload 1',
  deliveries: [delivery],
  form: { url: 'http://localhost' },
  uploadId: 'upl_1',
  brought: file,
  createdAt: at,
  startedAt: at,
  endedAt: at,
  endedBy: 'l',
  ttl: 1,
}
const source = { filename: 'a.svg', format: 'svg', size: 1 }
const job: Complete<Job> = {
  id: 'job_1',
  owner: 'anon_1',
  keyId: 'key_1',
  requestId: 'req_1',
  status: 'failed',
  tag: 't',
  display: { source, target: { format: 'png' }, operations: ['convert'], pollS: 2 },
  retryOf: 'job_0',
  cameLater: source,
  total: 2,
  ...dependencies,
  require: 'any',
  failFast: true,
  packsResults: true,
  zipJob: 'job_2',
  hasWebhook: true,
  inOneList: true,
  waiting: numbers,
  running: { 1: 40 },
  units: 2,
  toldPercent: 40,
  stage: 'convert',
  taskName: 'work',
  sequence: 3,
  numbers: { created: 1 },
  warnings: [warning],
  fixed: [fixedRecord],
  log: { 1: { at, percent: 40, stage: 'convert', taskName: 'work' } },
  error,
  result,
  summary: { total: 2, completed: 1, failed: 1 },
  cancelledBy: 'user',
  retentionS: 60,
  createdAt: at,
  queuedAt: at,
  startedAt: at,
  startedWith: 1,
  endedAt: at,
  endedBy: 'l',
  expiresAt: at,
  expiredAt: at,
  expiredFor: 'retention',
  deletedAt: at,
  deletedBy: 'request 2',
  filesTold: true,
  unsaid: true,
  wakeAt: at,
}

test('the schemas of jobs and tasks keep all attributes of stored records', () => {
  const joinBucket: Complete<JoinBucket> = { jobId: 'job_1', size: 2, ...dependencies }
  assert.deepEqual(Job.parse(job), job)
  assert.deepEqual(Task.parse(task), task)
  assert.deepEqual(FixedTask.parse(fixedRecord), fixedRecord)
  assert.deepEqual(JoinBucket.parse(joinBucket), joinBucket)
})
