import * as z from 'zod'
import { getPlanLimits } from '../../lib/accounts/plan-limits.ts'
import { contract } from '../../lib/http/contract.ts'
import { createPageLinks, Pagination, paginateList, wholeListQuery } from '../../lib/http/pagination.ts'
import { openAccess } from '../../lib/model/principal.ts'
import { planIds } from '../../lib/plans.ts'
import { component } from '../../lib/validation/component.ts'

const limit = (description: string) => z.int().nullable().describe(`${description}; null for no limit`)

const workRequests =
  'Requests that create a job, such as a conversion, an import or a run of a workflow; per account, or per IP address without an account'

const PlanView = component(
  'Plan',
  z.object({
    id: z.enum(planIds),
    requestsPerMinute: limit('Requests per key, session or IP address'),
    requestsPerHour: limit('Requests per key, session or IP address'),
    readsPerMinute: z
      .int()
      .nullable()
      .describe('Read requests, if they have a separate limit and do not count towards the others'),
    requestsPerDay: limit(workRequests),
    requestsPerMonth: limit(workRequests),
    conversionMinutesPerMonth: limit('Minutes of conversion, which are counted but not enforced'),
    maxFileSize: z.int().describe('Maximum size of a file in bytes'),
    filesPerJob: z.int().describe('Maximum number of items per batch, and of imports per job'),
    concurrentJobs: limit('Number of jobs that may run at the same time; others wait'),
    retentionHours: z.number().describe('Hours after which a finished job and its files are deleted'),
    gpu: z.boolean(),
  }),
)

export const listPlans = contract({
  method: 'GET',
  path: '/v1/plans',
  access: openAccess,
  tag: 'Account',
  summary: 'List the plans and what they allow',
  description:
    'Every reply, even to requests that do not count, such as this one, has `X-RateLimit-Limit`, `-Remaining` and `-Reset` (Unix seconds) for the tightest limit, `RateLimit-Policy` with all limits, and `RateLimit`; a plan without limits, such as `self-hosted`, has none of these headers. Requests over a limit get 429 `RATE_LIMITED` with `Retry-After`. Minutes and hours start with the first request; days and months follow the UTC calendar.',
  query: z.object(wholeListQuery),
  reply: {
    status: 200,
    headers: ['link'],
    schema: z.object({
      plans: z.array(PlanView),
      pagination: Pagination,
      anonymous: z.enum(planIds).describe('Plan of clients without an account'),
    }),
    etag: true,
    cacheControl: 'public, max-age=300',
  },
  errors: ['INVALID_INPUT'],
  cacheKey: ({ query }) => (query.limit === undefined && query.cursor === undefined ? 'plans' : undefined),
  handle: ({ query }, { plans, config }) => {
    const { page, pagination } = paginateList(planIds, query, (id) => id)
    return {
      data: {
        pagination,
        plans: page.map((id) => {
          const { maxFileBytes: _, ...rest } = plans[id]
          const { maxFileBytes: maxFileSize, retentionHours } = getPlanLimits(id, { plans, config })
          return { id, ...rest, maxFileSize, retentionHours }
        }),
        anonymous: config.ANONYMOUS_PLAN,
      },
      ...createPageLinks(`${config.PUBLIC_URL ?? ''}/v1/plans`, query, pagination),
    }
  },
})
