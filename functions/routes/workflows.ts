import * as z from 'zod'
import type { Principal } from '../../lib/access/principal.ts'
import { workflowAccess, workflowReadAccess } from '../../lib/access/principal.ts'
import { integer } from '../../lib/coerce.ts'
import { readableName } from '../../lib/display-name.ts'
import { AppError } from '../../lib/errors.ts'
import { contract } from '../../lib/http/contract.ts'
import { pageCursor } from '../../lib/http/query.ts'
import { idPattern, namedId } from '../../lib/ids.ts'
import type { Services } from '../../lib/services.ts'
import { TaskMap } from '../../lib/tasks/reference.ts'
import { webhookUrl } from '../../lib/webhooks/target-url.ts'
import { RunView, runView, WorkflowView, workflowView } from '../../lib/workflows/view.ts'
import { maxFailures, maxWorkflows, Overlap, type Workflow } from '../../lib/workflows/workflow.ts'
import { Workflows } from '../../lib/workflows/workflows.ts'

const Params = z.object({ workflowId: z.string().describe('Id of the workflow, `wf_…`') })

const fields = {
  name: readableName(200),
  cron: z
    .string()
    .max(100)
    .describe(
      'Minute, hour, day of month, month, day of week, as `0 3 * * *`, or a name as `@daily`; at least 5 min from run to run',
    ),
  timezone: z.string().max(64).describe('IANA name of the time zone of these times'),
  tasks: z.record(z.string(), z.record(z.string(), z.unknown())),
  enabled: z.boolean(),
  overlap: Overlap.describe('What to do when the run before is not over'),
  tag: z.string().max(200).nullable().describe('That of the jobs; null for none'),
  webhookUrl: webhookUrl.nullable(),
}

const Body = z.strictObject({
  ...fields,
  timezone: fields.timezone.default('UTC'),
  enabled: fields.enabled.default(true),
  overlap: fields.overlap.default('skip'),
  tag: fields.tag.default(null),
  webhookUrl: fields.webhookUrl.default(null),
})

const Changes = z.strictObject(fields).partial()

const aboutTasks =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: these are what users write
  'Tasks are those of POST /v1/jobs, but files have to come from elsewhere. In their texts `${date}` stands for the day of the run on the clocks of the time zone, `${runId}` for the id of the run.'

const aboutClocks =
  'A time that the clocks are put forward over is run at the first minute after it, one that comes twice is run the first time. What was missed during a stop is run once.'

const example = {
  name: 'The report of the day',
  cron: '0 3 * * *',
  timezone: 'Europe/Berlin',
  tasks: {
    text: { operation: 'import/raw', filename: 'report.md', file: '# Report' },
    pdf: { operation: 'convert', input: 'text', output_format: 'pdf' },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is filled in at each run
    out: { operation: 'export/url', input: 'pdf', filename: 'report-${date}' },
  },
}

export const createWorkflow = contract({
  method: 'POST',
  path: '/v1/workflows',
  access: workflowAccess,
  tag: 'Workflows',
  summary: 'Run a pipeline by the clock',
  description: `${aboutTasks} ${aboutClocks} After ${maxFailures} failed runs in a row it is switched off, and says why in \`paused\`. One owner may have ${maxWorkflows}.`,
  body: {
    accepts: ['json'],
    schema: Body,
    reference: Body.extend({ tasks: TaskMap }),
    examples: { 'Every night': example },
  },
  reply: { status: 201, headers: ['location'], schema: WorkflowView },
  idempotent: true,
  errors: ['INVALID_INPUT', 'INVALID_REQUEST', 'URL_NOT_ALLOWED'],
  handle: async ({ body, principal }, services) => {
    const workflow = await new Workflows(services).create(principal.ownerId, body)
    return {
      data: workflowView(workflow, undefined),
      headers: { location: `/v1/workflows/${workflow.id}` },
    }
  },
})

export const listWorkflows = contract({
  method: 'GET',
  path: '/v1/workflows',
  access: workflowReadAccess,
  tag: 'Workflows',
  summary: 'List your workflows',
  reply: { status: 200, schema: z.object({ workflows: z.array(WorkflowView) }) },
  handle: async ({ principal }, services) => {
    const all = new Workflows(services)
    const own = await all.store.list(principal.ownerId)
    const lastRuns = await all.store.lastRuns(own)
    const seen = own.map(async (one) => {
      const run = lastRuns.get(one.lastRun ?? '')
      return workflowView(one, run && (await all.current(run)))
    })
    return { data: { workflows: await Promise.all(seen) } }
  },
})

export const getWorkflow = contract({
  method: 'GET',
  path: '/v1/workflows/:workflowId',
  access: workflowReadAccess,
  tag: 'Workflows',
  summary: 'See a workflow',
  params: Params,
  reply: { status: 200, schema: WorkflowView },
  errors: ['WORKFLOW_NOT_FOUND'],
  handle: async ({ params, principal }, services) => ({
    data: await loadView(await requireOwnWorkflow(params.workflowId, principal, services), services),
  }),
})

export const changeWorkflow = contract({
  method: 'PATCH',
  path: '/v1/workflows/:workflowId',
  access: workflowAccess,
  tag: 'Workflows',
  summary: 'Change a workflow',
  description: 'What is left out stays as it is; tasks are given whole. Switched on, it begins anew.',
  params: Params,
  body: { accepts: ['json'], schema: Changes, reference: Changes.extend({ tasks: TaskMap.optional() }) },
  reply: { status: 200, schema: WorkflowView },
  errors: ['WORKFLOW_NOT_FOUND', 'INVALID_INPUT', 'INVALID_REQUEST', 'URL_NOT_ALLOWED'],
  handle: async ({ params, body, principal }, services) => {
    const { id } = await requireOwnWorkflow(params.workflowId, principal, services)
    const changed = await new Workflows(services).change(id, body)
    if (!changed) throw notFound(id)
    return { data: await loadView(changed, services) }
  },
})

export const deleteWorkflow = contract({
  method: 'DELETE',
  path: '/v1/workflows/:workflowId',
  access: workflowAccess,
  tag: 'Workflows',
  summary: 'Delete a workflow',
  description: 'A job that it has made goes on.',
  params: Params,
  reply: { status: 204, schema: z.null(), form: 'empty' },
  errors: ['WORKFLOW_NOT_FOUND'],
  handle: async ({ params, principal }, services) => {
    const workflow = await requireOwnWorkflow(params.workflowId, principal, services)
    if (!(await new Workflows(services).store.remove(workflow))) throw notFound(workflow.id)
    return { data: null }
  },
})

export const runWorkflow = contract({
  method: 'POST',
  path: '/v1/workflows/:workflowId/run',
  access: workflowAccess,
  tag: 'Workflows',
  summary: 'Run a workflow now',
  description:
    'Also while it is switched off; beside a run that is under way only where `overlap` cancels that.',
  params: Params,
  reply: { status: 202, schema: RunView },
  errors: ['WORKFLOW_NOT_FOUND', 'CONFLICT'],
  handle: async ({ params, principal }, services) => {
    const { id } = await requireOwnWorkflow(params.workflowId, principal, services)
    const run = await new Workflows(services).runNow(id)
    if (!run) throw notFound(id)
    return { data: runView(run) }
  },
})

export const listRuns = contract({
  method: 'GET',
  path: '/v1/workflows/:workflowId/runs',
  access: workflowReadAccess,
  tag: 'Workflows',
  summary: 'List the runs of a workflow',
  description: 'The newest first; each is kept for 90 days.',
  params: Params,
  query: z.object({
    limit: integer(1, 100).default(20),
    before: pageCursor('run', 'run'),
  }),
  reply: { status: 200, schema: z.object({ runs: z.array(RunView), next: z.string().nullable() }) },
  errors: ['WORKFLOW_NOT_FOUND', 'INVALID_INPUT'],
  handle: async ({ params, query, principal }, services) => {
    const { id } = await requireOwnWorkflow(params.workflowId, principal, services)
    const all = new Workflows(services)
    const { runs, next } = await all.store.runs(id, query)
    const current = await Promise.all(runs.map((run) => all.current(run)))
    return { data: { runs: current.map(runView), next: next ?? null } }
  },
})

const notFound = (id: string) =>
  new AppError('WORKFLOW_NOT_FOUND', `There is no workflow ${namedId(id)}; it may have been deleted.`, {
    workflowId: id.slice(0, 64),
  })

/** Nobody learns of workflows of others. @throws AppError WORKFLOW_NOT_FOUND */
async function requireOwnWorkflow(id: string, principal: Principal, services: Services): Promise<Workflow> {
  const workflow = idPattern('wf').test(id) ? await new Workflows(services).store.find(id) : undefined
  if (!workflow || workflow.owner !== principal.ownerId) throw notFound(id)
  return workflow
}

async function loadView(workflow: Workflow, services: Services) {
  const { lastRun } = workflow
  const all = new Workflows(services)
  const run = lastRun ? await all.store.run(workflow.id, lastRun) : undefined
  return workflowView(workflow, run && (await all.current(run)))
}
