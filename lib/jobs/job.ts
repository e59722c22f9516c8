import * as z from 'zod'
import { operations } from '../engines/engine.ts'
import { type ErrorCode, errorStatus } from '../errors.ts'

/** Job states and moves: see `machine.ts`. */
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

const TaskOperation = z.enum(['import/upload', 'convert', 'compress', 'merge', 'export/url'])

/** Moments are RFC 3339 strings in UTC, so that they sort as text. */
const Moment = z.iso.datetime()

export const StoredFile = z.object({
  /** Where it is in the bucket. */
  key: z.string(),
  /** As a client sees it. */
  filename: z.string(),
  format: z.string(),
  mimeType: z.string(),
  size: z.int().describe('Bytes'),
  sha256: z.string().describe('Lower-case hex'),
})
export type StoredFile = z.infer<typeof StoredFile>

export const Warning = z.object({ code: z.string(), message: z.string(), field: z.string().optional() })
export type Warning = z.infer<typeof Warning>

const codes = Object.keys(errorStatus) as [ErrorCode, ...ErrorCode[]] // keys of a const table

export const JobError = z.object({
  code: z.enum(codes),
  message: z.string(),
  details: z.record(z.string(), z.unknown()).optional(),
})
export type JobError = z.infer<typeof JobError>

/** One engine's part of a conversion; engine, image and formats are ids of the registry. */
export const Step = z.object({
  /** Absent from jobs of a version that only converted. */
  operation: z.enum(operations).default('convert'),
  engine: z.string(),
  image: z.string(),
  from: z.string(),
  to: z.string(),
  /** Public names; those of the request that belong to this step. */
  options: z.record(z.string(), z.unknown()),
})
export type Step = z.infer<typeof Step>

export const Task = z.object({
  jobId: z.string(),
  name: z.string(),
  version: z.int(),
  operation: TaskOperation,
  input: z.array(z.string()).describe('Names of the tasks whose files this one takes'),
  /** Names of the tasks that take this one's files. */
  dependents: z.array(z.string()),
  /** Inputs that are not there yet; at 0 the task is ready. */
  waitingFor: z.int(),
  status: TaskStatus,
  percent: z.int().min(0).max(100),
  stage: z.string().optional(),
  /** Of the current step, from 1. */
  attempt: z.int(),
  steps: z.array(Step),
  /** Index of the step to run next. */
  step: z.int(),
  /** What the next step reads while it runs, what the task gives when it is completed. */
  files: z.array(StoredFile),
  leaseId: z.string().optional(),
  leaseUntil: Moment.optional(),
  engine: z.string().optional(),
  engineVersion: z.string().optional(),
  method: z.string().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
  warnings: z.array(Warning),
  createdAt: Moment,
  startedAt: Moment.optional(),
  endedAt: Moment.optional(),
  code: z.string().optional(),
  message: z.string().optional(),
})
export type Task = z.infer<typeof Task>

export const Job = z.object({
  id: z.string(),
  owner: z.string(),
  version: z.int(),
  status: JobStatus,
  tag: z.string().nullable(),
  requestId: z.string(),
  /** Number of the last event of this job. */
  sequence: z.int(),
  source: z.object({ filename: z.string(), format: z.string(), size: z.int() }),
  target: z.object({ format: z.string() }),
  taskNames: z.array(z.string()),
  /** Tasks that do work, those of them that are not over, and the sum of their percents. */
  workTasks: z.int(),
  openTasks: z.int(),
  percentSum: z.int(),
  percent: z.int().min(0).max(100),
  stage: z.string(),
  taskName: z.string().optional(),
  /** Seconds that processing may take. */
  timeoutS: z.int(),
  warnings: z.array(Warning),
  error: JobError.optional(),
  files: z.array(StoredFile),
  method: z.string().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
  engine: z.string().optional(),
  engineVersion: z.string().optional(),
  cancelledBy: z.enum(['user', 'system']).optional(),
  createdAt: Moment,
  queuedAt: Moment.optional(),
  startedAt: Moment.optional(),
  endedAt: Moment.optional(),
  expiresAt: Moment,
  expiredAt: Moment.optional(),
  /** When somebody must look even if no message comes. */
  wakeAt: Moment.optional(),
})
export type Job = z.infer<typeof Job>

const terminalStatuses: readonly JobStatus[] = ['completed', 'failed', 'cancelled', 'expired']
export const isTerminal = (status: JobStatus) => terminalStatuses.includes(status)
export const isLive = (status: JobStatus) => status === 'queued' || status === 'processing'

/** Everything of a job lies below one prefix; the name of the file itself never is part of a key. */
export const jobPrefix = (jobId: string) => `jobs/${jobId}/`
