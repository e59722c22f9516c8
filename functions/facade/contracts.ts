import * as z from 'zod'
import { accountOf } from '../../lib/access/accounts.ts'
import { list, read, webhooks, write } from '../../lib/access/principal.ts'
import { AppError } from '../../lib/errors.ts'
import { type AnyContract, contract, type HttpRequest } from '../../lib/http/contract.ts'
import type { JobView } from '../../lib/jobs/view.ts'
import type { Services } from '../../lib/services.ts'
import { taskOperations } from '../../lib/tasks/index.ts'
import { cancelJob } from '../routes/cancel-job.ts'
import { createJob } from '../routes/create-job.ts'
import { deleteJob } from '../routes/delete-job.ts'
import { getJob } from '../routes/get-job.ts'
import { listConversions } from '../routes/list-conversions.ts'
import { listJobs } from '../routes/list-jobs.ts'
import { retryJob } from '../routes/retry-job.ts'
import { createWebhook, deleteWebhook, listWebhooks } from '../routes/webhooks.ts'
import { facadeFailure, facadeStatus } from './failure.ts'
import { aloneBody, aloneName, JobBody, ourJob, theirOperation } from './job-request.ts'
import { taskId, taskOf, taskView, theirJob } from './job-view.ts'
import { type OurWebhook, ourEvents, theirWebhook } from './webhooks.ts'

/**
 * The job interface of another service, so that its SDKs work here with nothing but another address. Each endpoint asks
 * one of ours and says its answer in other words; what is here and what is not stands in README.md beside it.
 */

type Request = HttpRequest<unknown, unknown, unknown>

const common = {
  tag: 'Facade',
  failureForm: { statusOf: facadeStatus, bodyOf: facadeFailure },
} as const
const data = { schema: z.object({ data: z.unknown() }), form: 'raw' } as const
const baseOf = ({ config }: Services) => config.PUBLIC_URL ?? ''

const JobParams = z.object({ jobId: z.string() })
const TaskParams = z.object({ taskId: z.string() })

/** Our endpoint's answer to the same client. */
async function ask<Data>(
  asked: { handle: AnyContract['handle'] },
  request: Request,
  given: Partial<Request>,
  services: Services,
): Promise<Data> {
  const reply = await asked.handle({ ...request, headers: {}, ...given }, services)
  return reply.data as Data // by the schema of its contract
}

const jobOf = (jobId: string, request: Request, services: Services, waitS?: number) =>
  ask<JobView>(
    getJob,
    request,
    { params: { jobId }, ...(waitS !== undefined && { headers: { prefer: `wait=${waitS}` } }) },
    services,
  )

async function foundTask(id: string, request: Request, services: Services, waitS?: number) {
  const { jobId, name } = taskOf(id)
  const job = await jobOf(jobId, request, services, waitS)
  const task = job.tasks[name]
  if (!task) throw new AppError('NOT_FOUND', `There is no task ${id.slice(0, 100)}.`)
  return { job, name, task }
}

const startJob = contract({
  ...common,
  method: 'POST',
  path: '/v2/jobs',
  access: write,
  summary: 'Run tasks',
  body: { accepts: ['json'], schema: JobBody },
  reply: { status: 201, ...data },
  idempotent: true,
  handle: async (request, services) => {
    const job = await ask<JobView>(createJob, request, { body: ourJob(request.body) }, services)
    return { data: { data: theirJob(job, baseOf(services)) } }
  },
})

const showJob = contract({
  ...common,
  method: 'GET',
  path: '/v2/jobs/:jobId',
  access: read,
  summary: 'See a job',
  params: JobParams,
  reply: { status: 200, ...data },
  handle: async (request, services) => ({
    data: { data: theirJob(await jobOf(request.params.jobId, request, services), baseOf(services)) },
  }),
})

/** A gateway gives a function 30 s: whoever waits longer is sent here again. */
const waitS = 25
const isLive = (status: string) => status === 'waiting' || status === 'processing'
const again = (path: string) => ({ status: 307, headers: { location: path } })
const mayWait = { also: { 307: 'It goes on waiting there.' } }

/** By the second address, or by a path that older SDKs know. */
const waitForJob = ['/sync/v2/jobs/:jobId', '/v2/jobs/:jobId/wait'].map((path) =>
  contract({
    ...common,
    method: 'GET',
    path,
    access: read,
    summary: 'Wait for a job',
    params: JobParams,
    reply: { status: 200, ...mayWait, ...data },
    handle: async (request, services) => {
      const { jobId } = request.params
      const job = theirJob(await jobOf(jobId, request, services, waitS), baseOf(services))
      return { data: { data: job }, ...(isLive(job.status) && again(path.replace(':jobId', jobId))) }
    },
  }),
)

const removeJob = contract({
  ...common,
  method: 'DELETE',
  path: '/v2/jobs/:jobId',
  access: write,
  summary: 'Delete a job',
  params: JobParams,
  reply: { status: 204, schema: z.null(), form: 'empty' },
  handle: async (request, services) => {
    await ask(deleteJob, request, {}, services)
    return { data: null }
  },
})

const Paging = z.looseObject({
  per_page: z.coerce.number().int().min(1).max(100).default(100),
  page: z.coerce.number().int().min(1).max(50).default(1),
  'filter[status]': z.enum(['waiting', 'processing', 'finished', 'error']).optional(),
  'filter[tag]': z.string().optional(),
  'filter[job_id]': z.string().optional(),
  'filter[operation]': z.string().optional(),
})
type Paging = z.output<typeof Paging>

const ourStatuses = {
  waiting: ['pending', 'queued'],
  processing: ['processing'],
  finished: ['completed'],
  error: ['failed', 'cancelled'],
} as const

interface ListData {
  readonly jobs: readonly JobView[]
  readonly pagination: { readonly nextCursor: string | null }
}

/** Our lists go by cursors: the pages before are passed over. */
async function pageOfJobs(
  request: Request,
  { page, per_page: limit, ...filters }: Paging,
  services: Services,
) {
  const status = filters['filter[status]']
  const query = {
    ...{ limit, include: 'tasks', sort: '-createdAt' },
    ...(status && { status: ourStatuses[status] }),
    ...(filters['filter[tag]'] !== undefined && { tag: filters['filter[tag]'] }),
  }
  let cursor: string | null | undefined
  for (let at = 1; ; at++) {
    const { jobs, pagination } = await ask<ListData>(
      listJobs,
      request,
      { query: { ...query, ...(cursor && { cursor }) } },
      services,
    )
    cursor = pagination.nextCursor
    if (at === page) return { jobs, hasMore: cursor !== null }
    if (cursor === null) return { jobs: [], hasMore: false }
  }
}

function pageView(items: readonly unknown[], path: string, { page, per_page }: Paging, hasMore: boolean) {
  const at = (number: number) => `${path}?page=${number}&per_page=${per_page}`
  const from = (page - 1) * per_page + 1
  return {
    data: [...items],
    links: {
      first: at(1),
      last: null,
      prev: page > 1 ? at(page - 1) : null,
      next: hasMore ? at(page + 1) : null,
    },
    meta: {
      ...{ current_page: page, path, per_page },
      from: items.length > 0 ? from : null,
      to: items.length > 0 ? from + items.length - 1 : null,
    },
  }
}

const listed = { status: 200, schema: z.looseObject({ data: z.array(z.unknown()) }), form: 'raw' } as const

const allJobs = contract({
  ...common,
  method: 'GET',
  path: '/v2/jobs',
  access: list,
  summary: 'List jobs',
  query: Paging,
  reply: listed,
  handle: async (request, services) => {
    const { jobs, hasMore } = await pageOfJobs(request, request.query, services)
    const views = jobs.map((job) => theirJob(job, baseOf(services)))
    return { data: pageView(views, `${baseOf(services)}/v2/jobs`, request.query, hasMore) }
  },
})

const allTasks = contract({
  ...common,
  method: 'GET',
  path: '/v2/tasks',
  access: list,
  summary: 'List tasks',
  query: Paging,
  reply: listed,
  handle: async (request, services) => {
    const { query } = request
    const jobId = query['filter[job_id]']
    const { 'filter[status]': status, ...rest } = query
    const { jobs, hasMore } =
      jobId === undefined
        ? await pageOfJobs(request, rest, services)
        : { jobs: [await jobOf(jobId, request, services)], hasMore: false }
    const operation = query['filter[operation]']
    const tasks = jobs
      .flatMap((job) => theirJob(job, baseOf(services)).tasks)
      .filter((task) => (!status || task.status === status) && (!operation || task.operation === operation))
    return { data: pageView(tasks, `${baseOf(services)}/v2/tasks`, query, hasMore) }
  },
})

const showTask = contract({
  ...common,
  method: 'GET',
  path: '/v2/tasks/:taskId',
  access: read,
  summary: 'See a task',
  params: TaskParams,
  reply: { status: 200, ...data },
  handle: async (request, services) => {
    const { job, name } = await foundTask(request.params.taskId, request, services)
    return { data: { data: taskOfJob(job, name, services) } }
  },
})

const taskOfJob = (job: JobView, name: string, services: Services) =>
  theirJob(job, baseOf(services)).tasks.find((task) => task.name === name)

const waitForTask = ['/sync/v2/tasks/:taskId', '/v2/tasks/:taskId/wait'].map((path) =>
  contract({
    ...common,
    method: 'GET',
    path,
    access: read,
    summary: 'Wait for a task',
    params: TaskParams,
    reply: { status: 200, ...mayWait, ...data },
    handle: async (request, services) => {
      const { taskId: id } = request.params
      const before = await foundTask(id, request, services)
      const isOver = !isLive(taskView(before.job, before.name, before.task, '').status)
      const { job, name } = isOver ? before : await foundTask(id, request, services, waitS)
      const task = taskOfJob(job, name, services)
      return { data: { data: task }, ...(task && isLive(task.status) && again(path.replace(':taskId', id))) }
    },
  }),
)

const cancelTask = contract({
  ...common,
  method: 'POST',
  path: '/v2/tasks/:taskId/cancel',
  access: write,
  summary: 'Cancel a task, and with it its job',
  params: TaskParams,
  reply: { status: 200, ...data },
  handle: async (request, services) => {
    const { job, name } = await foundTask(request.params.taskId, request, services)
    const cancelled = await ask<JobView>(cancelJob, request, { params: { jobId: job.jobId } }, services)
    return { data: { data: taskOfJob(cancelled, name, services) } }
  },
})

const retryTask = contract({
  ...common,
  method: 'POST',
  path: '/v2/tasks/:taskId/retry',
  access: write,
  summary: 'Do the job of a task again',
  params: TaskParams,
  reply: { status: 201, ...data },
  idempotent: true,
  handle: async (request, services) => {
    const { job, name } = await foundTask(request.params.taskId, request, services)
    const made = await ask<JobView>(retryJob, request, { params: { jobId: job.jobId } }, services)
    const task = taskOfJob(made, name, services)
    return { data: { data: { ...task, retry_of_task_id: taskId(job.jobId, name) } } }
  },
})

const removeTask = contract({
  ...common,
  method: 'DELETE',
  path: '/v2/tasks/:taskId',
  access: write,
  summary: 'Delete a task that stands alone',
  params: TaskParams,
  reply: { status: 204, schema: z.null(), form: 'empty' },
  handle: async (request, services) => {
    const { job } = await foundTask(request.params.taskId, request, services)
    if (theirJob(job, '').tasks.length > 1)
      throw new AppError('CONFLICT', 'The task belongs to a job of several tasks. Delete the job.', {
        jobId: job.jobId,
      })
    await ask(deleteJob, request, { params: { jobId: job.jobId } }, services)
    return { data: null }
  },
})

/** Operations that can stand alone: they bring their file themselves. */
const bringing = taskOperations
  .filter(({ kind }) => kind === 'import')
  .map(({ name }) => theirOperation(name))

const startTask = bringing.map((operation) =>
  contract({
    ...common,
    method: 'POST',
    path: `/v2/${operation}`,
    access: write,
    summary: `Run ${operation} by itself`,
    body: { accepts: ['json'], schema: z.looseObject({}) },
    reply: { status: 201, ...data },
    idempotent: true,
    handle: async (request, services) => {
      const body = ourJob(aloneBody(operation, request.body))
      const job = await ask<JobView>(createJob, request, { body }, services)
      return { data: { data: taskOfJob(job, aloneName, services) } }
    },
  }),
)

const showUser = contract({
  ...common,
  method: 'GET',
  path: '/v2/users/me',
  access: read,
  summary: 'See who you are',
  reply: { status: 200, ...data },
  handle: async ({ principal }, services) => {
    const account = await accountOf(services, principal.ownerId)
    return {
      data: {
        data: {
          id: principal.ownerId,
          username: account?.name ?? null,
          email: account?.email ?? null,
          credits: null,
          created_at: account?.createdAt ?? null,
          links: { self: `${baseOf(services)}/v2/users/me` },
        },
      },
    }
  },
})

const FormatFilters = z.looseObject({
  'filter[input_format]': z.string().optional(),
  'filter[output_format]': z.string().optional(),
})

interface Conversions {
  readonly conversions: readonly {
    readonly from: string
    readonly to: string
    readonly engines: readonly string[]
  }[]
}

const formatsAt = (path: string) =>
  contract({
    ...common,
    method: 'GET',
    path,
    access: read,
    summary: 'List what converts to what',
    query: FormatFilters,
    reply: listed,
    handle: async (request, services) => {
      const { 'filter[input_format]': from, 'filter[output_format]': to } = request.query
      const query = { operation: 'convert', ...(from && { from }), ...(to && { to }) }
      const { conversions } = await ask<Conversions>(listConversions, request, { query }, services)
      const rows = conversions.map((pair) => ({
        operation: 'convert',
        input_format: pair.from,
        output_format: pair.to,
        engine: pair.engines[0] ?? null,
        credits: null,
      }))
      return { data: { data: rows } }
    },
  })

const addWebhook = contract({
  ...common,
  method: 'POST',
  path: '/v2/webhooks',
  access: webhooks,
  summary: 'Be told of jobs',
  body: {
    accepts: ['json'],
    schema: z.looseObject({
      url: z.string(),
      events: z.array(z.enum(['job.created', 'job.finished', 'job.failed'])),
    }),
  },
  reply: { status: 201, ...data },
  idempotent: true,
  handle: async (request, services) => {
    const { url, events } = request.body
    const body = { url, events: ourEvents(events), format: 'facade-v2', enabled: true }
    return { data: { data: theirWebhook(await ask(createWebhook, request, { body }, services)) } }
  },
})

const myWebhooks = contract({
  ...common,
  method: 'GET',
  path: '/v2/users/me/webhooks',
  access: webhooks,
  summary: 'List webhooks',
  reply: listed,
  handle: async (request, services) => {
    const query = { limit: 100 }
    const { webhooks: all } = await ask<{ webhooks: OurWebhook[] }>(
      listWebhooks,
      request,
      { query },
      services,
    )
    return { data: { data: all.map(theirWebhook) } }
  },
})

const removeWebhook = contract({
  ...common,
  method: 'DELETE',
  path: '/v2/webhooks/:webhookId',
  access: webhooks,
  summary: 'Delete a webhook',
  params: z.object({ webhookId: z.string() }),
  reply: { status: 204, schema: z.null(), form: 'empty' },
  handle: async (request, services) => {
    await ask(deleteWebhook, request, {}, services)
    return { data: null }
  },
})

export const facade: readonly AnyContract[] = [
  startJob,
  allJobs,
  showJob,
  ...waitForJob,
  removeJob,
  allTasks,
  showTask,
  ...waitForTask,
  cancelTask,
  retryTask,
  removeTask,
  ...startTask,
  showUser,
  formatsAt('/v2/convert/formats'),
  formatsAt('/v2/operations'),
  addWebhook,
  myWebhooks,
  removeWebhook,
]
