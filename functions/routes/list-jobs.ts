import { createHmac, timingSafeEqual } from 'node:crypto'
import * as z from 'zod'
import { AppError } from '../../lib/errors.ts'
import { contract } from '../../lib/http/contract.ts'
import { viewedState } from '../../lib/http/job-access.ts'
import { idPattern } from '../../lib/ids.ts'
import { type Job, JobStatus } from '../../lib/jobs/job.ts'
import { JobView, jobView, StatusView, statusView } from '../../lib/jobs/view.ts'

const Statuses = z
  .string()
  .transform((text) => text.split(',').map((status) => status.trim()))
  .pipe(z.array(JobStatus))

const Filters = z.object({
  status: Statuses.optional().describe('One or several, separated by commas'),
  tag: z.string().optional(),
  targetFormat: z.string().optional(),
  operation: z.string().optional().describe('One that a task of the job has, as `convert` or `merge`'),
  createdAfter: z.iso.datetime({ offset: true }).optional(),
  createdBefore: z.iso.datetime({ offset: true }).optional(),
  sort: z.enum(['-createdAt', 'createdAt']).default('-createdAt'),
})

const Query = Filters.extend({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  cursor: z.string().max(500).optional().describe('`nextCursor` or `prevCursor` of another page'),
  include: z.enum(['tasks']).optional(),
})

export const listJobs = contract({
  method: 'GET',
  path: '/v1/jobs',
  tag: 'Jobs',
  summary: 'List your jobs',
  description: 'Pages do not shift when new jobs come in.',
  query: Query,
  reply: {
    status: 200,
    schema: z.object({
      jobs: z.array(z.union([JobView, StatusView])),
      pagination: z.object({
        limit: z.int(),
        hasMore: z.boolean(),
        nextCursor: z.string().nullable(),
        prevCursor: z.string().nullable(),
      }),
    }),
  },
  errors: ['INVALID_INPUT'],
  handle: async ({ query, owner }, services) => {
    const { jobs, config, keys } = services
    const { limit, include, cursor: given, ...filters } = query
    const baseUrl = config.PUBLIC_URL ?? ''
    const codec = cursorCodec(`${owner.id}\n${JSON.stringify(filters)}`, keys.cursor)
    const position = given === undefined ? undefined : codec.read(given)
    const back = position?.direction === 'prev'
    const page = await jobs.store.list({
      owner: owner.id,
      limit,
      newestFirst: (filters.sort === '-createdAt') !== back,
      after: position?.jobId,
      statuses: filters.status,
      tag: filters.tag,
      createdAfterMs: filters.createdAfter === undefined ? undefined : Date.parse(filters.createdAfter),
      createdBeforeMs: filters.createdBefore === undefined ? undefined : Date.parse(filters.createdBefore),
      matches: matcher(filters),
    })
    const found = back ? [...page.jobs].reverse() : [...page.jobs]
    const hasMore = back || page.next !== undefined
    const hasPrevious = back ? page.next !== undefined : position !== undefined
    // A page of a narrow filter may be empty and yet not the last: it goes on where the search stopped.
    const last = back ? found.at(-1)?.id : (page.next ?? found.at(-1)?.id)
    const first = back ? (page.next ?? found[0]?.id) : found[0]?.id
    const nextCursor = hasMore && last ? codec.write({ direction: 'next', jobId: last }) : null
    const prevCursor = hasPrevious && first ? codec.write({ direction: 'prev', jobId: first }) : null
    const views = await Promise.all(
      found.map(async (job) => {
        if (include !== 'tasks') return statusView(await viewedState(job, services), baseUrl)
        const state = await jobs.store.whole(job.id)
        return jobView(state ?? (await viewedState(job, services)), baseUrl)
      }),
    )
    return {
      data: { jobs: views, pagination: { limit, hasMore, nextCursor, prevCursor } },
      ...(nextCursor && {
        headers: { link: `<${baseUrl}/v1/jobs?${pageQuery(query, nextCursor)}>; rel="next"` },
      }),
    }
  },
})

/** What the lists by state, tag and age cannot tell. */
function matcher({ status, tag, targetFormat, operation }: z.infer<typeof Filters>): (job: Job) => boolean {
  return (job) =>
    job.status !== 'expired' &&
    !job.deletedAt &&
    (!status || status.includes(job.status)) &&
    (tag === undefined || job.tag === tag) &&
    (targetFormat === undefined || job.display.target?.format === targetFormat) &&
    (operation === undefined || job.display.operations.includes(operation))
}

function pageQuery(query: z.infer<typeof Query>, cursor: string): URLSearchParams {
  const entries = Object.entries({ ...query, cursor }).filter(([, value]) => value !== undefined)
  return new URLSearchParams(Object.fromEntries(entries.map(([name, value]) => [name, String(value)])))
}

interface Position {
  readonly direction: 'next' | 'prev'
  readonly jobId: string
}

/** Cursors hold for one owner and one set of filters; anything else is refused, not misread. */
function cursorCodec(scope: string, secret: Buffer) {
  const tag = (text: string) =>
    createHmac('sha256', secret).update(`cursor\n${scope}\n${text}`).digest('base64url').slice(0, 22)
  return {
    write: ({ direction, jobId }: Position) => {
      const text = `${direction}.${jobId}`
      return Buffer.from(`${text}.${tag(text)}`).toString('base64url')
    },
    read: (cursor: string): Position => {
      const [direction, jobId = '', given = ''] = Buffer.from(cursor, 'base64url').toString('utf8').split('.')
      const expected = Buffer.from(tag(`${direction}.${jobId}`))
      const authentic = given.length === expected.length && timingSafeEqual(Buffer.from(given), expected)
      if (authentic && (direction === 'next' || direction === 'prev') && idPattern('job').test(jobId))
        return { direction, jobId }
      throw new AppError(
        'INVALID_INPUT',
        'cursor: expected the cursor of another page of this same list (same filters). Start again without it.',
        {
          field: 'cursor',
        },
      )
    },
  }
}
