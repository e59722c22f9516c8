import * as z from 'zod'
import { errorCodes } from '../error-catalog.ts'
import { traits } from '../formats/detect/traits.ts'
import { component } from '../validation/component.ts'
import { Fidelity } from './fidelity.ts'
import { operations } from './operations.ts'
import { StoredSummary } from './stored-summary.ts'
import { TaskInput } from './task-input.ts'
import { WarningDetails } from './warning-details.ts'

/**
 * The records of a job. `task-graph.ts` creates them from a request, and `job-state-machine.ts` decides what follows.
 */

export const JobStatus = component(
  'JobStatus',
  z.enum(['pending', 'queued', 'processing', 'completed', 'failed', 'cancelled', 'expired']),
)
export type JobStatus = z.infer<typeof JobStatus>

export const TaskStatus = component(
  'TaskStatus',
  z.enum(['pending', 'processing', 'completed', 'failed', 'cancelled']),
)
export type TaskStatus = z.infer<typeof TaskStatus>

/** A timestamp (RFC 3339) in UTC, so that timestamps sort as text. */
const Timestamp = z.iso.datetime()

export const StoredFile = z.object({
  /** Key of the file in the bucket. */
  key: z.string(),
  /** Name that is shown to clients. */
  filename: z.string(),
  format: z.string(),
  mimeType: z.string(),
  size: z.int().describe('Size in bytes'),
  sha256: z.string().describe('SHA-256 in lower-case hex'),
  /** ETag of the bytes that were checked; if the object has changed since then, it is refused. */
  etag: z.string().optional(),
  /** True for an office file that needs a password. */
  locked: z.literal(true).optional(),
  /** Further properties that decide which engines can read the file. */
  traits: z.array(z.enum(traits)).readonly().optional(),
  /**
   * Names of the files in a ZIP that represents a list, such as the pages of a PDF; for a selection, only the selected
   * names. Empty if there are too many to pass on.
   */
  members: z.array(z.string()).readonly().optional(),
  /** Inputs only: key of the whole list. Its members are converted one by one, and the results form a list again. */
  each: z.string().optional(),
})
export type StoredFile = z.infer<typeof StoredFile>

/** A file that an export task stored outside the service. */
export const ExportedFile = z.object({
  url: z.string().describe('Location of the file, such as `s3://bucket/key`'),
  filename: z.string(),
  size: z.int().describe('Size in bytes'),
  mimeType: z.string(),
  sha256: z.string().describe('SHA-256 in lower-case hex'),
})
export type ExportedFile = z.infer<typeof ExportedFile>

export const Warning = component(
  'Warning',
  z.object({
    code: z.string(),
    message: z.string(),
    field: z.string().optional(),
    details: WarningDetails.optional(),
  }),
)
export type Warning = z.infer<typeof Warning>

export const JobError = component(
  'JobError',
  z.object({
    code: z.enum(errorCodes),
    message: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
  }),
)
export type JobError = z.infer<typeof JobError>

/** One engine's step of a conversion. Engine, container image and formats are ids from the registries. */
export const ConversionStep = z.object({
  operation: z.enum(operations),
  engine: z.string(),
  image: z.string(),
  from: z.string(),
  to: z.string(),
  /** The request's options that apply to this step, by their public names. */
  options: z.record(z.string(), z.unknown()),
})
export type ConversionStep = z.infer<typeof ConversionStep>

/** A route that failed. */
export const TriedRoute = z.object({
  /** Steps up to the failed step: a route that starts with the same steps would fail too. */
  steps: z.array(ConversionStep.pick({ engine: true, from: true, to: true })),
  error: JobError,
})
export type TriedRoute = z.infer<typeof TriedRoute>

const ResultFile = StoredFile.extend({
  /** Seconds after the end of the job until links to the file expire, if its export limits them. */
  linkLifetimeS: z.int().optional(),
})
export type ResultFile = z.infer<typeof ResultFile>

const JobResult = z.object({
  files: z.array(ResultFile),
  warnings: z.array(Warning),
  engine: z.string().optional(),
  engineVersion: z.string().optional(),
  method: z.string().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
  fidelity: Fidelity.optional(),
})
export type JobResult = z.infer<typeof JobResult>

/**
 * Result of a route that lost too much of the source. `kept` is the fraction that it kept (0 to 1). If no other route
 * keeps more, it becomes the result.
 */
export const PartialResult = JobResult.extend({ kept: z.number() })
export type PartialResult = z.infer<typeof PartialResult>

/**
 * Files that go through the same steps together. Converting three files takes three input plans; merging them takes
 * one.
 */
export const InputPlan = z.object({
  steps: z.array(ConversionStep),
  /** Index of the step to run next. */
  step: z.int(),
  /** Input files of that step; the results if no step is left. */
  files: z.array(StoredFile),
  /** Routes that failed before; undefined on the first route. */
  tried: z.array(TriedRoute).optional(),
  fallback: PartialResult.optional(),
  /** Progress in percent when this route started. */
  reached: z.int().optional(),
  /** Error of a chunk that could not be read; the input then has to take another route. */
  failure: JobError.optional(),
  /** Fidelity of the completed steps. */
  fidelity: Fidelity.optional(),
  /** Content of the files, recorded while chunks of the task are processed. */
  held: StoredSummary.optional(),
})
export type InputPlan = z.infer<typeof InputPlan>

/**
 * Numbers of the dependencies that a record waits for, and their outcomes. Each dependency removes its own number from
 * `open`, which is idempotent; the attribute disappears with its last number.
 */
const dependencyFields = {
  open: z.set(z.int()).optional(),
  /** Dependencies that failed although they were required. */
  lost: z.set(z.int()).optional(),
  /** Dependencies that have completed. */
  got: z.set(z.int()).optional(),
}
export interface DependencyState {
  readonly open?: ReadonlySet<number> | undefined
  readonly lost?: ReadonlySet<number> | undefined
  readonly got?: ReadonlySet<number> | undefined
}

/** Combines up to a hundred dependencies into one, for a job or task that waits for more. */
export const JoinBucket = z.object({
  jobId: z.string(),
  /** Size of `open` at creation. */
  size: z.int(),
  ...dependencyFields,
})
export type JoinBucket = z.infer<typeof JoinBucket>

const taskFields = {
  /** Position of the task in the request, from 0. */
  number: z.int(),
  name: z.string(),
  operation: z.string(),
  /** Numbers of the input tasks. */
  ins: z.array(z.int()),
  /** The inputs as the client sent them, unless they are an array of names. */
  input: z.union([TaskInput, z.array(TaskInput)]).optional(),
  status: TaskStatus,
  code: z.string().optional(),
  message: z.string().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
  warnings: z.array(Warning),
}

/** A task without work: a file that is already stored, links to results of other tasks, or a rejected task. */
export const FixedTask = z.object({
  ...taskFields,
  files: z.array(StoredFile).optional(),
  /** Fields of an export, such as `filename`. */
  spec: z.record(z.string(), z.unknown()).optional(),
})
export type FixedTask = z.infer<typeof FixedTask>

export const Task = z.object({
  ...taskFields,
  jobId: z.string(),
  /** Owner of the job, which queues need in order to be fair between owners. */
  owner: z.string().optional(),
  /** Trace of the request that created the job, which the sweep or an upload continues. */
  traceparent: z.string().optional(),
  /** Chunks only: number of the chunk, see `getChunkNumber`. */
  part: z.int().optional(),
  /** Fields of the operation as requested, with sealed secrets; in a chunk, the spec of the chunk. */
  spec: z.record(z.string(), z.unknown()),
  /**
   * Tasks that depend on this one: the number of a task, or `number#bucket` of a task that waits for more than a
   * hundred.
   */
  outs: z.array(z.string()),
  /** Number of separate records that contain `outs`, if there are too many for this record. */
  edgePages: z.int().optional(),
  ...dependencyFields,
  /** Whether the job has too many tasks to count them individually and counts them in buckets. */
  bucketed: z.boolean().optional(),
  /** Whether some of the task's input files were available from the start. */
  fed: z.boolean(),
  continueOnError: z.boolean().optional(),
  percent: z.int().min(0).max(100),
  stage: z.string().optional(),
  attempt: z.int(),
  /** Number of attempts that were lost for reasons outside the task. */
  uncounted: z.int().optional(),
  /** Id of the lease; set while a worker processes the task. */
  leaseId: z.string().optional(),
  leaseUntil: Timestamp.optional(),
  /** Whether the worker also runs other tasks. */
  shared: z.boolean().optional(),
  /** Id of the run of the service to which the worker belongs. */
  runId: z.string().optional(),
  /** Whether the task may have crashed a worker, so that it only runs in a worker without other tasks. */
  apart: z.boolean().optional(),
  /** How many milliseconds workers have spent on the task, for its time limit. */
  workedMs: z.int().optional(),
  /**
   * The share of the running attempt in `workedMs`, which is subtracted if the attempt is lost for reasons outside the
   * task.
   */
  attemptMs: z.int().optional(),
  /** Progress of the inputs, stored between two container images and while chunks are processed. */
  pieces: z.array(InputPlan).optional(),
  /** Chunks only: key of the file that was cut for this chunk. */
  cut: z.string().optional(),
  /** Finished chunks only: processing time in milliseconds. */
  ranMs: z.int().optional(),
  /** The attempt that split the task; the task waits for the chunks of this attempt, or joins them. */
  expandedBy: z.int().optional(),
  partCount: z.int().optional(),
  files: z.array(StoredFile),
  /**
   * Exports only: state of an unfinished upload in the target store, so that it can be cleaned up if the worker dies.
   */
  begun: z.string().optional(),
  /** Exports only: the stored files. */
  deliveries: z.array(ExportedFile).optional(),
  /** How a client sends the upload that the task waits for. */
  form: z.record(z.string(), z.unknown()).optional(),
  /** The upload that the task waits for, or that an import creates. */
  uploadId: z.string().optional(),
  /** The file that an import fetched for an upload; the file belongs to the upload. */
  brought: StoredFile.optional(),
  /** Text of the JSON result of an operation that reads the properties of a file; undefined if it is too large. */
  metadata: z.string().optional(),
  engine: z.string().optional(),
  engineVersion: z.string().optional(),
  method: z.string().optional(),
  fidelity: Fidelity.optional(),
  createdAt: Timestamp,
  startedAt: Timestamp.optional(),
  endedAt: Timestamp.optional(),
  /**
   * Marks the write that ended the task or passed it on: the id of the lease, or the cause, such as `cancel` or
   * `part 3`. If the write is repeated, this value shows that the first one succeeded.
   */
  endedBy: z.string().optional(),
  /** When the table deletes the record in any case, in seconds since 1970. */
  ttl: z.int(),
})
export type Task = z.infer<typeof Task>

/** Details of an event that cannot be derived from the rest of the job's record. */
export const EventFact = z.object({
  at: Timestamp,
  percent: z.int().optional(),
  stage: z.string().optional(),
  taskName: z.string().optional(),
})
export type EventFact = z.infer<typeof EventFact>

/** The first source file of a job. */
const SourceSummary = z.object({ filename: z.string(), format: z.string(), size: z.int() })

/** Summary of a job that can be shown without reading its tasks. */
const DisplayFields = z.object({
  /** The source file; null if it was not available when the job was created. */
  source: SourceSummary.nullable(),
  target: z.object({ format: z.string() }).nullable(),
  operations: z.array(z.string()),
  /** Recommended polling interval in seconds. */
  pollS: z.int(),
})

export const BatchSummary = component(
  'BatchSummary',
  z.object({ total: z.int(), completed: z.int(), failed: z.int() }),
)
export type BatchSummary = z.infer<typeof BatchSummary>

export const Job = z.object({
  id: z.string(),
  owner: z.string(),
  /** Id of the API key or OAuth client that created the job. */
  keyId: z.string().optional(),
  requestId: z.string(),
  status: JobStatus,
  tag: z.string().nullable(),
  retryOf: z.string().optional(),
  display: DisplayFields,
  /** The first imported file. This field is set when the job ends, so earlier events do not contain it. */
  cameLater: SourceSummary.optional(),
  /** Number of tasks in the request. */
  total: z.int(),
  /** Numbers of the tasks that have records; if there are more than a hundred tasks, numbers of their buckets. */
  ...dependencyFields,
  /** `any` means that one completed task is enough. */
  require: z.enum(['all', 'any']),
  /** Whether the first failure ends the job immediately. */
  failFast: z.boolean().optional(),
  /** Set for a batch, whose download URL delivers all results, several as a ZIP. */
  packsResults: z.literal(true).optional(),
  /** Id of the job that packs the results of a batch into a ZIP; set when the ZIP is first requested. */
  zipJob: z.string().optional(),
  /** Set if the request had a `webhookUrl`. */
  hasWebhook: z.literal(true).optional(),
  /** Set if the job stays in the same index partition whatever its status, because its owner has few jobs. */
  inOneList: z.literal(true).optional(),
  /** Numbers of the tasks that wait for an upload; no task runs before these uploads are complete. */
  waiting: z.set(z.int()).optional(),
  /** Percentage of each running unit, by the numbers in `open`. */
  running: z.record(z.string(), z.number()),
  units: z.int().describe('Size of `open` at creation'),
  /** Percentage in the last progress event; later events never report less. */
  toldPercent: z.int().optional(),
  stage: z.string().optional(),
  taskName: z.string().optional(),
  /** Number of the last event. */
  sequence: z.int(),
  /** Sequence numbers of events, by the name of the event or of its fact. */
  numbers: z.record(z.string(), z.int()),
  /** Facts of events that may not be published yet. */
  log: z.record(z.string(), EventFact),
  warnings: z.array(Warning),
  /** Tasks without work; undefined if they do not fit and are stored in a separate record. */
  fixed: z.array(FixedTask).optional(),
  error: JobError.optional(),
  /** The result; undefined if it does not fit and is built from the tasks. */
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
  /**
   * Random id of the write that ended the job, or the id of the lease that made this write. If the write is repeated,
   * this value shows that the first one succeeded.
   */
  endedBy: z.string().optional(),
  expiresAt: Timestamp,
  expiredAt: Timestamp.optional(),
  expiredFor: z.enum(['retention', 'upload_timeout']).optional(),
  /** When a client deleted the job. Since then, the job has not been visible. */
  deletedAt: Timestamp.optional(),
  /** Id of the delete request. It tells apart two delete requests that arrive in the same millisecond. */
  deletedBy: z.string().optional(),
  /** Whether the deletion of the job's files has been published. */
  filesTold: z.boolean().optional(),
  /** Whether events that an API call or the clock caused may still be unpublished. */
  unsaid: z.boolean().optional(),
  /** When the sweep checks the job even if no message arrives. */
  wakeAt: Timestamp.optional(),
})
export type Job = z.infer<typeof Job>

/** A job with all its tasks, or with those that the caller has read. */
export interface JobState {
  readonly job: Job
  readonly fixed: readonly FixedTask[]
  readonly tasks: readonly Task[]
  /** Chunks of split tasks. */
  readonly chunks: readonly Task[]
}

const terminalStatuses: readonly JobStatus[] = ['completed', 'failed', 'cancelled', 'expired']
export const isTerminalStatus = (status: JobStatus) => terminalStatuses.includes(status)
export const liveStatuses = ['pending', 'queued', 'processing'] as const satisfies readonly JobStatus[]
export const isLiveStatus = (status: JobStatus) => !isTerminalStatus(status)
export const isTaskOver = ({ status }: { readonly status: TaskStatus }) =>
  status === 'completed' || status === 'failed' || status === 'cancelled'

/** Returns the key prefix of everything that a job creates. Filenames are never part of a key. */
export const getJobPrefix = (jobId: string) => `jobs/${jobId}/`
