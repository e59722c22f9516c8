import * as z from 'zod'
import { redactSecrets } from '../crypto/sealed.ts'
import type { Principal } from '../model/principal.ts'
import type { Services } from '../services/services.ts'
import { component } from '../validation/component.ts'
import { openUrl, toWebhookUrl } from '../webhooks/stored-url.ts'
import { Overlap, type Workflow, type WorkflowRun, WorkflowRunStatus } from './workflow.ts'

/** Renders workflows and their runs for clients. */

const Timestamp = z.iso.datetime()

export const RunView = component(
  'WorkflowRun',
  z.object({
    runId: z.string(),
    workflowId: z.string(),
    trigger: z.enum(['schedule', 'request']).describe('Whether the schedule or a request started the run'),
    status: WorkflowRunStatus.describe(
      '`waiting`: the run starts once the previous run has finished; `skipped`: the run did not start, because the previous run had not finished',
    ),
    dueAt: Timestamp.describe('Scheduled time, or time of the request'),
    jobId: z.string().nullable(),
    startedAt: Timestamp.nullable(),
    endedAt: Timestamp.nullable(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
  }),
)

export const WorkflowView = component(
  'Workflow',
  z.object({
    id: z.string(),
    name: z.string(),
    cron: z.string(),
    timezone: z.string(),
    tasks: z.record(z.string(), z.record(z.string(), z.unknown())).describe('Secrets are shown as `***`'),
    enabled: z.boolean(),
    overlap: Overlap,
    tag: z.string().nullable(),
    webhookUrl: z
      .string()
      .nullable()
      .describe('Shown without credentials and query string to API keys that can only read'),
    failures: z.int().describe('Number of consecutive failed runs'),
    paused: z
      .object({ at: Timestamp, reason: z.string() })
      .nullable()
      .describe('Set when the workflow was disabled automatically, with the reason'),
    nextRunAt: Timestamp.nullable(),
    lastRun: RunView.nullable(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
)

export const toRunView = (run: WorkflowRun): z.infer<typeof RunView> => ({
  runId: run.id,
  workflowId: run.workflowId,
  trigger: run.trigger,
  status: run.status,
  dueAt: run.dueAt,
  jobId: run.jobId ?? null,
  startedAt: run.startedAt ?? null,
  endedAt: run.endedAt ?? null,
  error: run.error ?? null,
})

export const toWorkflowView = (
  workflow: Workflow,
  lastRun: WorkflowRun | undefined,
  principal: Principal,
  { vault }: Pick<Services, 'vault'>,
): z.infer<typeof WorkflowView> => {
  const { id, name, cron, timezone, enabled, overlap, failures, createdAt, updatedAt } = workflow
  return {
    id,
    name,
    cron,
    timezone,
    tasks: redactSecrets(workflow.tasks),
    enabled,
    overlap,
    tag: workflow.tag,
    webhookUrl: workflow.webhookUrl ? toWebhookUrl(principal, openUrl(workflow.webhookUrl, id, vault)) : null,
    failures,
    paused: workflow.paused ?? null,
    nextRunAt: workflow.nextRunAt ?? null,
    lastRun: lastRun ? toRunView(lastRun) : null,
    createdAt,
    updatedAt,
  }
}
