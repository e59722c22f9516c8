import * as z from 'zod'
import { type AnyContract, contract } from '../../lib/http/contract.ts'
import type { JobView } from '../../lib/jobs/view.ts'
import { listAccess } from '../../lib/model/principal.ts'
import type { Services } from '../../lib/services/services.ts'
import { integer } from '../../lib/validation/coerce.ts'
import { defined } from '../../lib/validation/defined.ts'
import { createJsonSchema, text } from '../../lib/validation/maxima.ts'
import { listJobs } from '../routes/list-jobs.ts'
import {
  callEndpoint,
  compatDefaults,
  fetchJobView,
  getPublicUrl,
  listReply,
  type Request,
} from './call-endpoint.ts'
import { toCompatJobView } from './job-view.ts'

const Paging = z
  .object({
    per_page: integer(1, 100).default(100),
    page: integer(1, 50).default(1),
    'filter[status]': z.enum(['waiting', 'processing', 'finished', 'error']).optional(),
    'filter[tag]': text('id').optional(),
    'filter[job_id]': text('id').optional(),
    'filter[operation]': text('id').optional(),
  })
  .catchall(createJsonSchema())
type Paging = z.output<typeof Paging>

const nativeStatuses = {
  waiting: ['pending', 'queued'],
  processing: ['processing'],
  finished: ['completed'],
  error: ['failed', 'cancelled'],
} as const

interface ListData {
  readonly jobs: readonly JobView[]
  readonly pagination: { readonly nextCursor: string | null }
}

/** Loads a page by number. Lists of the service have cursors, so this reads and skips the previous pages. */
async function loadJobPage(
  request: Request,
  { page, per_page: limit, ...filters }: Paging,
  services: Services,
) {
  const status = filters['filter[status]']
  const query = {
    limit,
    include: 'tasks',
    sort: '-createdAt',
    ...defined({ status: status && nativeStatuses[status], tag: filters['filter[tag]'] }),
  }
  let cursor: string | null | undefined
  for (let at = 1; ; at++) {
    const { jobs, pagination } = await callEndpoint<ListData>(
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

function toPageView(items: readonly unknown[], path: string, { page, per_page }: Paging, hasMore: boolean) {
  const createPageUrl = (number: number) => `${path}?page=${number}&per_page=${per_page}`
  const from = (page - 1) * per_page + 1
  return {
    data: [...items],
    links: {
      first: createPageUrl(1),
      last: null,
      prev: page > 1 ? createPageUrl(page - 1) : null,
      next: hasMore ? createPageUrl(page + 1) : null,
    },
    meta: {
      current_page: page,
      path,
      per_page,
      from: items.length > 0 ? from : null,
      to: items.length > 0 ? from + items.length - 1 : null,
    },
  }
}

const listCompatJobs = contract({
  ...compatDefaults,
  method: 'GET',
  path: '/v2/jobs',
  access: listAccess,
  summary: 'List jobs',
  query: Paging,
  reply: listReply,
  handle: async (request, services) => {
    const { jobs, hasMore } = await loadJobPage(request, request.query, services)
    const views = jobs.map((job) => toCompatJobView(job, getPublicUrl(services)))
    return { data: toPageView(views, `${getPublicUrl(services)}/v2/jobs`, request.query, hasMore) }
  },
})

const listCompatTasks = contract({
  ...compatDefaults,
  method: 'GET',
  path: '/v2/tasks',
  access: listAccess,
  summary: 'List tasks',
  query: Paging,
  reply: listReply,
  handle: async (request, services) => {
    const { query } = request
    const jobId = query['filter[job_id]']
    const { 'filter[status]': status, ...rest } = query
    const { jobs, hasMore } =
      jobId === undefined
        ? await loadJobPage(request, rest, services)
        : { jobs: [await fetchJobView(jobId, request, services)], hasMore: false }
    const operation = query['filter[operation]']
    const tasks = jobs
      .flatMap((job) => toCompatJobView(job, getPublicUrl(services)).tasks)
      .filter((task) => (!status || task.status === status) && (!operation || task.operation === operation))
    return { data: toPageView(tasks, `${getPublicUrl(services)}/v2/tasks`, query, hasMore) }
  },
})

export const listContracts: readonly AnyContract[] = [listCompatJobs, listCompatTasks]
