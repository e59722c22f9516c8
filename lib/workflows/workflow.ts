import * as z from 'zod'
import type { Key } from '../aws/table.ts'
import { ownedKey } from '../owned-records.ts'

/** What to do when the time of a run comes and the one before is not over. */
export const Overlap = z.enum(['skip', 'queue', 'cancel-previous'])

const Timestamp = z.iso.datetime()

const RunError = z.object({ code: z.string(), message: z.string() })

/** A job that is made again and again by the clock. */
export const Workflow = z.object({
  id: z.string(),
  owner: z.string(),
  name: z.string(),
  cron: z.string(),
  timezone: z.string(),
  /** As in POST /v1/jobs, secrets sealed. */
  tasks: z.record(z.string(), z.record(z.string(), z.unknown())),
  enabled: z.boolean(),
  overlap: Overlap,
  tag: z.string().nullable(),
  /** Absent of those that were made before there was one. */
  webhookUrl: z.string().nullish(),
  /** Runs in a row that failed. */
  failures: z.int(),
  /** It was stopped because its runs fail. */
  paused: z.object({ at: Timestamp, reason: z.string() }).optional(),
  nextRunAt: Timestamp.optional(),
  /** The run whose job is not known to be over, and one that waits for its end. */
  live: z.string().optional(),
  waiting: z.string().optional(),
  lastRun: z.string().optional(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  /** Grows with each change: who decides by an older one decides again. */
  version: z.int(),
  wakeAt: Timestamp.optional(),
})
export type Workflow = z.infer<typeof Workflow>

export const WorkflowRunStatus = z.enum(['waiting', 'running', 'completed', 'failed', 'cancelled', 'skipped'])

/** One run, kept beside its workflow. */
export const WorkflowRun = z.object({
  id: z.string(),
  workflowId: z.string(),
  trigger: z.enum(['schedule', 'request']),
  status: WorkflowRunStatus,
  /** When the clock wanted it; of one that was asked for, when that was. */
  dueAt: Timestamp,
  /** Chosen before the job is made, so that it is made once. Absent of a run that was skipped. */
  jobId: z.string().optional(),
  startedAt: Timestamp.optional(),
  endedAt: Timestamp.optional(),
  error: RunError.optional(),
  /** Seconds since the epoch. */
  ttl: z.int(),
})
export type WorkflowRun = z.infer<typeof WorkflowRun>

/** Workflows of one owner. */
export const maxWorkflows = 50
/** Failed runs in a row after which a workflow is paused. */
export const maxFailures = 10
/** Seconds that a run is listed. */
export const runLifetimeS = 90 * 86_400

export const workflowKey = (id: string): Key => ownedKey('WORKFLOW', id)
export const runKey = ({ workflowId, id }: Pick<WorkflowRun, 'workflowId' | 'id'>): Key => ({
  pk: workflowKey(workflowId).pk,
  sk: `RUN#${id}`,
})
