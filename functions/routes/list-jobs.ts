import * as z from 'zod'
import { loadViewState } from '../../lib/access/job-access.ts'
import { forEachConcurrently } from '../../lib/async/for-each-concurrently.ts'
import { formatByAlias } from '../../lib/formats/index.ts'
import { contract } from '../../lib/http/contract.ts'
import { createCursorCodec, getPageCursors } from '../../lib/http/job-cursors.ts'
import { createPageLinks, Pagination } from '../../lib/http/pagination.ts'
import { JobView, StatusView, toJobView, toStatusView } from '../../lib/jobs/view.ts'
import { type Job, JobStatus } from '../../lib/model/job.ts'
import { listAccess } from '../../lib/model/principal.ts'
import type { Services } from '../../lib/services/services.ts'
import { taskOperations } from '../../lib/tasks/index.ts'
import { integer } from '../../lib/validation/coerce.ts'
import { text } from '../../lib/validation/maxima.ts'

const Statuses = text('id')
  .transform((text) => text.split(',').map((status) => status.trim()))
  .pipe(z.array(JobStatus))

const operationNames = taskOperations.map(({ name }) => name)

const Filters = z.object({
  status: Statuses.optional().describe('One or more statuses, separated by commas'),
  tag: text('id').optional(),
  targetFormat: text('id').optional(),
  operation: z.enum(operationNames).optional().describe('Operation of a task of the job'),
  createdAfter: z.iso.datetime({ offset: true }).optional(),
  createdBefore: z.iso.datetime({ offset: true }).optional(),
  sort: z.enum(['-createdAt', 'createdAt']).default('-createdAt'),
})

/** Maximum number of tasks on a page, because AWS limits replies to 6 MB. */
const maxTasksShown = 2000

const Query = Filters.extend({
  limit: integer(1, 100).default(20),
  cursor: z.string().max(500).optional().describe('`nextCursor` or `prevCursor` of another page'),
  include: z.enum(['tasks']).optional(),
})

export const listJobs = contract({
  method: 'GET',
  path: '/v1/jobs',
  access: listAccess,
  tag: 'Jobs',
  summary: 'List your jobs',
  description:
    'Pages do not shift when jobs are created, finish or expire. If few jobs match the filters, a page may be short or even empty: continue as long as there is a `nextCursor`.',
  query: Query,
  reply: {
    status: 200,
    headers: ['link'],
    schema: z.object({
      jobs: z.array(z.union([JobView, StatusView])),
      pagination: Pagination,
    }),
  },
  errors: ['INVALID_INPUT'],
  handle: async ({ query, principal }, services) => {
    const { jobs, config, keys } = services
    const { limit, include, cursor: givenCursor, ...filters } = query
    const baseUrl = config.PUBLIC_URL ?? ''
    const codec = createCursorCodec(`${principal.ownerId}\n${JSON.stringify(filters)}`, keys.cursor)
    const position = givenCursor === undefined ? undefined : codec.read(givenCursor)
    const isBackwards = position?.direction === 'prev'
    const isNewestFirst = filters.sort === '-createdAt'
    const page = await jobs.store.list({
      owner: principal.ownerId,
      limit,
      newestFirst: isNewestFirst !== isBackwards,
      after: position?.jobId,
      statuses: filters.status,
      tag: filters.tag,
      createdAfterMs: filters.createdAfter === undefined ? undefined : Date.parse(filters.createdAfter),
      createdBeforeMs: filters.createdBefore === undefined ? undefined : Date.parse(filters.createdBefore),
      maxTasks: include === 'tasks' ? maxTasksShown : undefined,
      matches: createMatcher(filters),
    })
    const orderedJobs = isBackwards ? [...page.jobs].reverse() : page.jobs
    const adjacentCursors = getPageCursors({
      foundJobs: orderedJobs,
      next: page.next,
      position,
      isNewestFirst,
    })
    const nextCursor = adjacentCursors.next ? codec.write(adjacentCursors.next) : null
    const prevCursor = adjacentCursors.prev ? codec.write(adjacentCursors.prev) : null
    const views = await loadViews(orderedJobs, include, services)
    const pagination = { limit, hasMore: nextCursor !== null, nextCursor, prevCursor }
    return { data: { jobs: views, pagination }, ...createPageLinks(`${baseUrl}/v1/jobs`, query, pagination) }
  },
})

/** Maximum number of jobs read concurrently. */
const maxConcurrentReads = 8

/** Returns the views in the order of the jobs. */
async function loadViews(
  jobs: readonly Job[],
  include: 'tasks' | undefined,
  services: Services,
): Promise<(JobView | StatusView)[]> {
  const { resultLink } = services
  const views = new Map<string, JobView | StatusView>()
  await forEachConcurrently(jobs, maxConcurrentReads, async (job) => {
    if (include !== 'tasks') {
      views.set(job.id, toStatusView(await loadViewState(job, services), resultLink))
      return
    }
    const state = await services.jobs.store.getState(job.id)
    views.set(job.id, toJobView(state ?? (await loadViewState(job, services)), resultLink))
  })
  return jobs.flatMap(({ id }) => views.get(id) ?? [])
}

/** Returns a function that checks the filters that the store's indexes do not cover. */
function createMatcher({
  status,
  tag,
  targetFormat,
  operation,
}: z.infer<typeof Filters>): (job: Job) => boolean {
  const format = targetFormat === undefined ? undefined : (formatByAlias(targetFormat)?.id ?? targetFormat)
  return (job) =>
    job.status !== 'expired' &&
    !job.deletedAt &&
    (!status || status.includes(job.status)) &&
    (tag === undefined || job.tag === tag) &&
    (format === undefined || job.display.target?.format === format) &&
    (operation === undefined || job.display.operations.includes(operation))
}
