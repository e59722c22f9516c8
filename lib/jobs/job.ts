import * as z from 'zod'
import { operations } from '../engines/engine.ts'
import { errorCodes } from '../error-catalog.ts'
import { Held } from '../fidelity/content-summary.ts'
import { Fidelity } from '../fidelity/fidelity.ts'
import { traits } from '../formats/detect/drawing.ts'

/** The records of a job. How a request becomes them stands in `task-graph.ts`, what they decide in `machine.ts`. */

export const JobStatus = z.enum([
  'pending',
  'queued',
  'processing',
  'completed',
  'failed',
  'cancelled',
  'expired',
])
export type JobStatus = z.infer<typeof JobStatus>

export const TaskStatus = z.enum(['pending', 'processing', 'completed', 'failed', 'cancelled'])
export type TaskStatus = z.infer<typeof TaskStatus>

/** Moments are RFC 3339 strings in UTC, so that they sort as text. */
const Timestamp = z.iso.datetime()

export const StoredFile = z.object({
  /** Where it is in the bucket. */
  key: z.string(),
  /** As a client sees it. */
  filename: z.string(),
  format: z.string(),
  mimeType: z.string(),
  size: z.int().describe('Bytes'),
  sha256: z.string().describe('Lower-case hex'),
  /** Of the bytes that were checked; others under the same key are refused. */
  etag: z.string().optional(),
  /** An office file that needs a password. */
  locked: z.literal(true).optional(),
  /** What else decides who can make something of it. */
  traits: z.array(z.enum(traits)).readonly().optional(),
})
export type StoredFile = z.infer<typeof StoredFile>

/** A file that an export has taken somewhere else. */
export const ExportedFile = z.object({
  url: z.string().describe('Where it is now, as `s3://bucket/key`'),
  filename: z.string(),
  size: z.int().describe('Bytes'),
  mimeType: z.string(),
  sha256: z.string().describe('Lower-case hex'),
})
export type ExportedFile = z.infer<typeof ExportedFile>

export const Warning = z.object({ code: z.string(), message: z.string(), field: z.string().optional() })
export type Warning = z.infer<typeof Warning>

export const JobError = z.object({
  code: z.enum(errorCodes),
  message: z.string(),
  details: z.record(z.string(), z.unknown()).optional(),
})
export type JobError = z.infer<typeof JobError>

/** One engine's part of a conversion; engine, image and formats are ids of the registry. */
export const ConversionStep = z.object({
  operation: z.enum(operations),
  engine: z.string(),
  image: z.string(),
  from: z.string(),
  to: z.string(),
  /** Public names; those of the request that belong to this step. */
  options: z.record(z.string(), z.unknown()),
})
export type ConversionStep = z.infer<typeof ConversionStep>

/** A way that led nowhere. */
export const TriedRoute = z.object({
  /** Up to the one that failed: a way that begins alike would fail alike. */
  steps: z.array(ConversionStep.pick({ engine: true, from: true, to: true })),
  error: JobError,
})
export type TriedRoute = z.infer<typeof TriedRoute>

const JobResult = z.object({
  files: z.array(StoredFile),
  warnings: z.array(Warning),
  engine: z.string().optional(),
  engineVersion: z.string().optional(),
  method: z.string().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
  fidelity: Fidelity.optional(),
})
export type JobResult = z.infer<typeof JobResult>

/** What a way made that kept too little of the source, `kept` being the share (0 to 1): taken when no other one keeps more. */
export const PartialResult = JobResult.extend({ kept: z.number() })
export type PartialResult = z.infer<typeof PartialResult>

/** Files that go through the same steps together. A conversion of three files has three pieces, a merge of three one. */
export const InputPlan = z.object({
  steps: z.array(ConversionStep),
  /** Index of the step to run next. */
  step: z.int(),
  /** What that step reads; what came out, when no step is left. */
  files: z.array(StoredFile),
  /** Absent on the first way. */
  tried: z.array(TriedRoute).optional(),
  fallback: PartialResult.optional(),
  /** Percent that it had when this way began. */
  reached: z.int().optional(),
  /** What one of its parts could not read: it has to go another way. */
  failure: JobError.optional(),
  /** Of the steps that are done. */
  fidelity: Fidelity.optional(),
  /** What is in the files, while parts of the task work on them. */
  held: Held.optional(),
})
export type InputPlan = z.infer<typeof InputPlan>

/**
 * What a record still waits for, and what became of what it waited for, as numbers. An arrival takes one's own number
 * out of `open`, which may be repeated; the set is gone with its last number.
 */
const dependencyFields = {
  open: z.set(z.int()).optional(),
  /** Came to nothing, and was needed. */
  lost: z.set(z.int()).optional(),
  /** Gave something. */
  got: z.set(z.int()).optional(),
}
export interface DependencyState {
  readonly open?: ReadonlySet<number> | undefined
  readonly lost?: ReadonlySet<number> | undefined
  readonly got?: ReadonlySet<number> | undefined
}

/** Gathers up to a hundred arrivals into one, for a job or a join of more. */
export const JoinBucket = z.object({
  jobId: z.string(),
  /** Numbers that it began with. */
  size: z.int(),
  ...dependencyFields,
})
export type JoinBucket = z.infer<typeof JoinBucket>

const taskFields = {
  /** Place in the request, from 0. */
  number: z.int(),
  name: z.string(),
  operation: z.string(),
  /** Numbers of the tasks whose files it takes. */
  ins: z.array(z.int()),
  status: TaskStatus,
  code: z.string().optional(),
  message: z.string().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
  warnings: z.array(Warning),
}

/** A task that needs no work: a file that is there already, a link to what others make, what was refused at once. */
export const FixedTask = z.object({
  ...taskFields,
  files: z.array(StoredFile).optional(),
  /** Fields of an export, as `filename`. */
  spec: z.record(z.string(), z.unknown()).optional(),
})
export type FixedTask = z.infer<typeof FixedTask>

export const Task = z.object({
  ...taskFields,
  jobId: z.string(),
  /** Whom the job was made for: queues are fair between them. */
  owner: z.string().optional(),
  /** Of a part: its place among the parts of the task's attempt that made it. */
  part: z.int().optional(),
  /** The fields of its operation as they came, secrets sealed; of a part its share. */
  spec: z.record(z.string(), z.unknown()),
  /** Who waits for it: the number of a task, or `number#latch` of one that waits for more than a hundred. */
  outs: z.array(z.string()),
  /** Pages of `outs` in records of their own, where there are too many. */
  edgePages: z.int().optional(),
  ...dependencyFields,
  /** The job has so many tasks that buckets of them are counted. */
  bucketed: z.boolean().optional(),
  /** Some of its files were there from the start. */
  fed: z.boolean(),
  continueOnError: z.boolean().optional(),
  percent: z.int().min(0).max(100),
  stage: z.string().optional(),
  attempt: z.int(),
  /** Present while a worker has it. */
  leaseId: z.string().optional(),
  leaseUntil: Timestamp.optional(),
  /** Between two images, or while its parts run: what is done and what is left. */
  pieces: z.array(InputPlan).optional(),
  /** Of a part: key of what was cut for it alone. */
  cut: z.string().optional(),
  /** Of a part that is over: milliseconds that its worker had it. */
  ranMs: z.int().optional(),
  /** The attempt whose parts it waits for or was joined from. */
  expandedBy: z.int().optional(),
  partCount: z.int().optional(),
  files: z.array(StoredFile),
  /** Of an export: what its store has of a file that is not whole yet, in case the worker dies. */
  begun: z.string().optional(),
  /** Of an export: what is where. */
  deliveries: z.array(ExportedFile).optional(),
  /** An upload that is awaited: how to send it. */
  form: z.record(z.string(), z.unknown()).optional(),
  /** The upload that is awaited, or into which an import of its own brings a file. */
  uploadId: z.string().optional(),
  /** What such an import brought; the file is the upload's. */
  brought: StoredFile.optional(),
  engine: z.string().optional(),
  engineVersion: z.string().optional(),
  method: z.string().optional(),
  fidelity: Fidelity.optional(),
  createdAt: Timestamp,
  startedAt: Timestamp.optional(),
  endedAt: Timestamp.optional(),
  /** Lease, or reason, that ended it or gave it on: when that is repeated, it knows itself by it. */
  endedBy: z.string().optional(),
  /** Seconds since the epoch; the table drops it then, whatever became of the job. */
  ttl: z.int(),
})
export type Task = z.infer<typeof Task>

/** What an event says that the job's record does not say by itself. */
export const EventFact = z.object({
  at: Timestamp,
  percent: z.int().optional(),
  stage: z.string().optional(),
  taskName: z.string().optional(),
})
export type EventFact = z.infer<typeof EventFact>

/** A file that a job began with. */
const SourceSummary = z.object({ filename: z.string(), format: z.string(), size: z.int() })

/** What is shown of a job without its tasks. */
const DisplayFields = z.object({
  /** Of what was there when it was made. */
  source: SourceSummary.nullable(),
  target: z.object({ format: z.string() }).nullable(),
  operations: z.array(z.string()),
  /** Seconds after which it is worth asking again. */
  pollS: z.int(),
})

export const BatchSummary = z.object({ total: z.int(), completed: z.int(), failed: z.int() })
export type BatchSummary = z.infer<typeof BatchSummary>

export const Job = z.object({
  id: z.string(),
  owner: z.string(),
  /** The API key or the client that it was made by. */
  keyId: z.string().optional(),
  requestId: z.string(),
  status: JobStatus,
  tag: z.string().nullable(),
  retryOf: z.string().optional(),
  display: DisplayFields,
  /** What came later, as the end of the job found it: events from before do not know it. */
  cameLater: SourceSummary.optional(),
  /** Tasks of the request. */
  total: z.int(),
  /** Numbers of the tasks that have records; above a hundred tasks, numbers of their buckets. */
  ...dependencyFields,
  /** `any`: one task that gave something is enough. */
  require: z.enum(['all', 'any']),
  /** The first failure ends the job at once. */
  failFast: z.boolean().optional(),
  /** It has a `webhookUrl` of its own. */
  hasWebhook: z.literal(true).optional(),
  /** Uploads that have not arrived; nothing runs before. */
  waiting: z.set(z.int()).optional(),
  /** Percent of what is under way, by the numbers of `open`. */
  running: z.record(z.string(), z.number()),
  units: z.int().describe('Numbers that `open` began with'),
  /** Percent of the last event that told of progress: none tells less. */
  toldPercent: z.int().optional(),
  stage: z.string().optional(),
  taskName: z.string().optional(),
  /** Number of the last event. */
  sequence: z.int(),
  /** Number of each event that has one, by its name or the name of its fact. */
  numbers: z.record(z.string(), z.int()),
  /** Facts of events that may not be out. */
  log: z.record(z.string(), EventFact),
  warnings: z.array(Warning),
  /** Absent where they are too many for this record; then they stand in one of their own. */
  fixed: z.array(FixedTask).optional(),
  error: JobError.optional(),
  /** Absent where it is too large for this record; then the tasks tell it. */
  result: JobResult.optional(),
  summary: BatchSummary.optional(),
  cancelledBy: z.enum(['user', 'system']).optional(),
  retentionS: z.int(),
  createdAt: Timestamp,
  queuedAt: Timestamp.optional(),
  startedAt: Timestamp.optional(),
  /** Number of the task that started first. */
  startedWith: z.int().optional(),
  endedAt: Timestamp.optional(),
  endedBy: z.string().optional(),
  expiresAt: Timestamp,
  expiredAt: Timestamp.optional(),
  expiredFor: z.enum(['retention', 'upload_timeout']).optional(),
  /** Somebody asked to have it deleted; nobody sees it any more. */
  deletedAt: Timestamp.optional(),
  /** Names the request that did it: another one may have come in the same millisecond. */
  deletedBy: z.string().optional(),
  /** The deletion of its files is told. */
  filesTold: z.boolean().optional(),
  /** What an API call or the clock decided is not known to be out. */
  unsaid: z.boolean().optional(),
  /** When somebody must look even if no message comes. */
  wakeAt: Timestamp.optional(),
})
export type Job = z.infer<typeof Job>

/** A job with all its tasks, or with those that somebody knows. */
export interface JobState {
  readonly job: Job
  readonly fixed: readonly FixedTask[]
  readonly tasks: readonly Task[]
  /** What tasks have split into. */
  readonly chunks: readonly Task[]
}

const terminalStatuses: readonly JobStatus[] = ['completed', 'failed', 'cancelled', 'expired']
export const isTerminalStatus = (status: JobStatus) => terminalStatuses.includes(status)
export const liveStatuses = ['pending', 'queued', 'processing'] as const satisfies readonly JobStatus[]
export const isLiveStatus = (status: JobStatus) => !isTerminalStatus(status)
export const isTaskOver = ({ status }: { readonly status: TaskStatus }) =>
  status === 'completed' || status === 'failed' || status === 'cancelled'

/** Everything that a job makes lies below one prefix; the name of the file itself never is part of a key. */
export const jobPrefix = (jobId: string) => `jobs/${jobId}/`
