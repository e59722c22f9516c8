import * as z from 'zod'
import { AppError } from '../../lib/errors.ts'
import { contract } from '../../lib/http/contract.ts'
import {
  createPageLinks,
  createPagination,
  cursorField,
  deprecatedNextField,
  Pagination,
  paginateList,
  readCursor,
  wholeListQuery,
} from '../../lib/http/pagination.ts'
import { createCursorSchema } from '../../lib/http/query.ts'
import { idPattern, quoteId } from '../../lib/ids.ts'
import type { Principal } from '../../lib/model/principal.ts'
import { workflowAccess, workflowReadAccess } from '../../lib/model/principal.ts'
import type { Services } from '../../lib/services/services.ts'
import { maxTasks } from '../../lib/tasks/parse-tasks.ts'
import { TaskMap } from '../../lib/tasks/reference.ts'
import { integer } from '../../lib/validation/coerce.ts'
import { createNameSchema } from '../../lib/validation/display-name.ts'
import { createNamedValues, createOptionsSchema, text } from '../../lib/validation/maxima.ts'
import { webhookUrl } from '../../lib/webhooks/target-url.ts'
import { RunView, toRunView, toWorkflowView, WorkflowView } from '../../lib/workflows/view.ts'
import { maxFailures, maxWorkflows, Overlap, type Workflow } from '../../lib/workflows/workflow.ts'
import { Workflows } from '../../lib/workflows/workflows.ts'

const Params = z.object({ workflowId: text('id').describe('Id of the workflow, `wf_…`') })

const fields = {
  name: createNameSchema(200),
  cron: z
    .string()
    .max(100)
    .describe(
      'Minute, hour, day of month, month and day of week, such as `0 3 * * *`, or a name such as `@daily`; at least 5 min between runs',
    ),
  timezone: z.string().max(64).describe('IANA name of the time zone of the schedule'),
  tasks: createNamedValues(text('name'), createOptionsSchema(), maxTasks, 'tasks'),
  enabled: z.boolean(),
  overlap: Overlap.describe('What to do if the previous run has not finished'),
  tag: z.string().max(200).nullable().describe('Tag of the jobs that the workflow creates; null for none'),
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

const ChangeBody = z.strictObject(fields).partial()

const tasksDescription =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: users write such placeholders
  'The tasks are those of POST /v1/jobs, except that files cannot be uploaded. In the strings of the tasks, `${date}` is replaced with the date of the run in the time zone of the workflow, and `${runId}` with the id of the run.'

const daylightSavingDescription =
  'If a daylight saving change skips the time of a run, the workflow runs in the first minute after the change. If the time occurs twice, the workflow runs only the first time. If runs were missed while the service was down, one run replaces them.'

const example = {
  name: 'Daily report',
  cron: '0 3 * * *',
  timezone: 'Europe/Berlin',
  tasks: {
    text: { operation: 'import/raw', filename: 'report.md', file: '# Report' },
    pdf: { operation: 'convert', input: 'text', output_format: 'pdf' },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: each run fills in the placeholder
    out: { operation: 'export/url', input: 'pdf', filename: 'report-${date}' },
  },
}

export const createWorkflow = contract({
  method: 'POST',
  path: '/v1/workflows',
  access: workflowAccess,
  tag: 'Workflows',
  summary: 'Create a workflow',
  description: `Runs a pipeline of tasks on a schedule. ${tasksDescription} ${daylightSavingDescription} After ${maxFailures} failed runs in a row the workflow is paused; \`paused\` says why. An owner may have ${maxWorkflows} workflows.`,
  body: {
    accepts: ['json'],
    schema: Body,
    reference: () => Body.extend({ tasks: TaskMap }),
    examples: { 'Every night': example },
  },
  reply: { status: 201, headers: ['location'], schema: WorkflowView },
  idempotent: true,
  errors: ['INVALID_INPUT', 'INVALID_REQUEST', 'UNSUPPORTED_FORMAT', 'URL_NOT_ALLOWED'],
  handle: async ({ body, principal }, services) => {
    const workflow = await new Workflows(services).create(principal.ownerId, body)
    return {
      data: toWorkflowView(workflow, undefined, principal, services),
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
  description: 'Lists each workflow with its schedule, its tasks and the time of its next run.',
  query: z.object(wholeListQuery),
  reply: {
    status: 200,
    headers: ['link'],
    schema: z.object({ workflows: z.array(WorkflowView), pagination: Pagination }),
  },
  errors: ['INVALID_INPUT'],
  handle: async ({ query, principal }, services) => {
    const workflows = new Workflows(services)
    const allWorkflows = await workflows.store.list(principal.ownerId)
    const { page: workflowsOnPage, pagination } = paginateList(allWorkflows, query, ({ id }) => id)
    const lastRuns = await workflows.store.readLastRuns(workflowsOnPage)
    const workflowViews = workflowsOnPage.map(async (listedWorkflow) => {
      const run = lastRuns.get(listedWorkflow.lastRun ?? '')
      return toWorkflowView(listedWorkflow, run && (await workflows.loadCurrentRun(run)), principal, services)
    })
    return {
      data: { workflows: await Promise.all(workflowViews), pagination },
      ...createPageLinks(`${services.config.PUBLIC_URL ?? ''}/v1/workflows`, query, pagination),
    }
  },
})

export const getWorkflow = contract({
  method: 'GET',
  path: '/v1/workflows/:workflowId',
  access: workflowReadAccess,
  tag: 'Workflows',
  summary: 'Get a workflow',
  description: 'The reply includes the schedule, the tasks and the time of the next run.',
  params: Params,
  reply: { status: 200, schema: WorkflowView },
  errors: ['WORKFLOW_NOT_FOUND'],
  handle: async ({ params, principal }, services) => ({
    data: await loadView(
      await requireOwnWorkflow(params.workflowId, principal, services),
      principal,
      services,
    ),
  }),
})

export const changeWorkflow = contract({
  method: 'PATCH',
  path: '/v1/workflows/:workflowId',
  access: workflowAccess,
  tag: 'Workflows',
  summary: 'Change a workflow',
  description:
    'Omitted fields keep their value; `tasks` replaces all tasks. Enabling a workflow restarts its schedule and resets its failures.',
  params: Params,
  body: {
    accepts: ['json'],
    schema: ChangeBody,
    reference: () => ChangeBody.extend({ tasks: TaskMap.optional() }),
  },
  reply: { status: 200, schema: WorkflowView },
  errors: ['WORKFLOW_NOT_FOUND', 'INVALID_INPUT', 'INVALID_REQUEST', 'UNSUPPORTED_FORMAT', 'URL_NOT_ALLOWED'],
  handle: async ({ params, body, principal }, services) => {
    const { id } = await requireOwnWorkflow(params.workflowId, principal, services)
    const changedWorkflow = await new Workflows(services).change(id, body)
    if (!changedWorkflow) throw createWorkflowNotFoundError(id)
    return { data: await loadView(changedWorkflow, principal, services) }
  },
})

export const deleteWorkflow = contract({
  method: 'DELETE',
  path: '/v1/workflows/:workflowId',
  access: workflowAccess,
  tag: 'Workflows',
  summary: 'Delete a workflow',
  description: 'Running jobs of the workflow continue.',
  params: Params,
  reply: { status: 204, schema: z.null(), form: 'empty' },
  errors: ['WORKFLOW_NOT_FOUND'],
  handle: async ({ params, principal }, services) => {
    const workflow = await requireOwnWorkflow(params.workflowId, principal, services)
    if (!(await new Workflows(services).store.remove(workflow)))
      throw createWorkflowNotFoundError(workflow.id)
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
    'A disabled workflow can be run too. If a run is in progress, a new run can start only if `overlap` cancels the current one.',
  params: Params,
  reply: { status: 202, schema: RunView },
  createsWork: true,
  errors: ['WORKFLOW_NOT_FOUND', 'CONFLICT'],
  handle: async ({ params, principal }, services) => {
    const { id } = await requireOwnWorkflow(params.workflowId, principal, services)
    const run = await new Workflows(services).runNow(id)
    if (!run) throw createWorkflowNotFoundError(id)
    return { data: toRunView(run) }
  },
})

export const listRuns = contract({
  method: 'GET',
  path: '/v1/workflows/:workflowId/runs',
  access: workflowReadAccess,
  tag: 'Workflows',
  summary: 'List the runs of a workflow',
  description: 'Newest first. Runs are kept for 90 days.',
  params: Params,
  query: z.object({
    limit: integer(1, 100).default(20),
    before: createCursorSchema('run', 'run'),
    cursor: cursorField,
  }),
  reply: {
    status: 200,
    headers: ['link'],
    schema: z.object({ runs: z.array(RunView), next: deprecatedNextField, pagination: Pagination }),
  },
  errors: ['WORKFLOW_NOT_FOUND', 'INVALID_INPUT'],
  handle: async ({ params, query, principal }, services) => {
    const { id } = await requireOwnWorkflow(params.workflowId, principal, services)
    const workflows = new Workflows(services)
    const { limit, before, cursor } = query
    const tokens = readCursor(cursor ?? before, (token) => idPattern('run').test(token))
    const { runs, next } = await workflows.store.runs(id, { limit, before: tokens.at(-1) })
    const pagination = createPagination(limit, tokens, next)
    const currentRuns = await Promise.all(runs.map((run) => workflows.loadCurrentRun(run)))
    return {
      data: { runs: currentRuns.map(toRunView), next: next ?? null, pagination },
      ...createPageLinks(`${services.config.PUBLIC_URL ?? ''}/v1/workflows/${id}/runs`, query, pagination),
    }
  },
})

const createWorkflowNotFoundError = (id: string) =>
  new AppError('WORKFLOW_NOT_FOUND', `There is no workflow ${quoteId(id)}; it may have been deleted.`, {
    workflowId: id.slice(0, 64),
  })

/** Workflows of other owners are reported as missing. @throws AppError WORKFLOW_NOT_FOUND */
async function requireOwnWorkflow(id: string, principal: Principal, services: Services): Promise<Workflow> {
  const workflow = idPattern('wf').test(id) ? await new Workflows(services).store.find(id) : undefined
  if (!workflow || workflow.owner !== principal.ownerId) throw createWorkflowNotFoundError(id)
  return workflow
}

async function loadView(workflow: Workflow, principal: Principal, services: Services) {
  const { lastRun } = workflow
  const workflows = new Workflows(services)
  const run = lastRun ? await workflows.store.run(workflow.id, lastRun) : undefined
  return toWorkflowView(workflow, run && (await workflows.loadCurrentRun(run)), principal, services)
}
