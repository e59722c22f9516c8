import * as z from 'zod'
import { getOwnedKey } from '../aws/owned-records.ts'
import type { Key } from '../aws/table.ts'
import { StoredUrl } from '../webhooks/stored-url.ts'

/** What to do if a run is due while the previous one is still running. */
export const Overlap = z.enum(['skip', 'queue', 'cancel-previous'])

const Timestamp = z.iso.datetime()

const RunError = z.object({ code: z.string(), message: z.string() })

/** A workflow creates a job on a schedule. */
export const Workflow = z.object({
  id: z.string(),
  owner: z.string(),
  name: z.string(),
  cron: z.string(),
  timezone: z.string(),
  /** Tasks as in POST /v1/jobs, with sealed secrets. */
  tasks: z.record(z.string(), z.record(z.string(), z.unknown())),
  enabled: z.boolean(),
  overlap: Overlap,
  tag: z.string().nullable(),
  /** The URL that receives events; workflows created before this field existed lack it. */
  webhookUrl: StoredUrl.nullish(),
  /** Number of consecutive failed runs. */
  failures: z.int(),
  /** Set if the workflow was disabled because its runs failed. */
  paused: z.object({ at: Timestamp, reason: z.string() }).optional(),
  nextRunAt: Timestamp.optional(),
  /** Id of the run whose job may still be running. */
  live: z.string().optional(),
  /** Id of the run that waits for the live run to end. */
  waiting: z.string().optional(),
  lastRun: z.string().optional(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  /** Incremented with each change, for optimistic locking. */
  version: z.int(),
  wakeAt: Timestamp.optional(),
})
export type Workflow = z.infer<typeof Workflow>

export const WorkflowRunStatus = z.enum(['waiting', 'running', 'completed', 'failed', 'cancelled', 'skipped'])

/** A run of a workflow, stored in the workflow's partition. */
export const WorkflowRun = z.object({
  id: z.string(),
  workflowId: z.string(),
  trigger: z.enum(['schedule', 'request']),
  status: WorkflowRunStatus,
  /** Time for which the run was scheduled or requested. */
  dueAt: Timestamp,
  /**
   * Id of the job. It is chosen before the job is created, so that only one job is created; undefined in skipped runs.
   */
  jobId: z.string().optional(),
  startedAt: Timestamp.optional(),
  endedAt: Timestamp.optional(),
  error: RunError.optional(),
  /** When the table deletes the record, in seconds since 1970. */
  ttl: z.int(),
})
export type WorkflowRun = z.infer<typeof WorkflowRun>

/** Maximum number of workflows per owner. */
export const maxWorkflows = 50
/** Number of consecutive failed runs after which a workflow is paused. */
export const maxFailures = 10
/** How many seconds a run is kept. */
export const runLifetimeS = 90 * 86_400

export const getWorkflowKey = (id: string): Key => getOwnedKey('WORKFLOW', id)
export const getRunKey = ({ workflowId, id }: Pick<WorkflowRun, 'workflowId' | 'id'>): Key => ({
  pk: getWorkflowKey(workflowId).pk,
  sk: `RUN#${id}`,
})
