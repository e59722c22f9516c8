import * as z from 'zod'
import { limitsOfPlan } from '../../lib/access/plan-limits.ts'
import { openAccess } from '../../lib/access/principal.ts'
import { contract } from '../../lib/http/contract.ts'
import { planIds } from '../../lib/plans.ts'

const limit = (what: string) => z.int().nullable().describe(`${what}; null for no limit`)

const PlanView = z
  .object({
    id: z.enum(planIds),
    requestsPerMinute: limit('Of one key, one session or one address'),
    requestsPerHour: limit('The same'),
    readsPerMinute: z
      .int()
      .nullable()
      .describe('Requests that make nothing, where they have a limit of their own and count nowhere else'),
    requestsPerDay: limit('Requests that make something, of an account; of an address where there is none'),
    requestsPerMonth: limit('The same'),
    conversionMinutesPerMonth: limit('Counted, and nothing ends with them'),
    maxFileSize: z.int().describe('Bytes'),
    filesPerJob: z.int().describe('Items of a batch, imports of a job'),
    concurrentJobs: limit('Jobs at work at a time, beyond which they wait'),
    retentionHours: z.number().describe('After which a finished job and its files are deleted'),
    gpu: z.boolean(),
  })
  .meta({ id: 'Plan' })

export const listPlans = contract({
  method: 'GET',
  path: '/v1/plans',
  access: openAccess,
  tag: 'Account',
  summary: 'List the plans and what they allow',
  description:
    'Every reply to a plan with limits tells by `X-RateLimit-Limit`, `-Remaining` and `-Reset` (Unix seconds) of the limit that ends first, and by `RateLimit-Policy` and `RateLimit` of all of them. Over a limit the answer is 429 `RATE_LIMITED` with `Retry-After`. Minutes and hours begin with their first request; days and months are those of UTC.',
  reply: {
    status: 200,
    schema: z.object({
      plans: z.array(PlanView),
      anonymous: z.enum(planIds).describe('The plan of those who have no account'),
    }),
    etag: true,
    cacheControl: 'public, max-age=300',
  },
  cacheKey: () => 'plans',
  handle: (_request, { plans, config }) => ({
    data: {
      plans: planIds.map((id) => {
        const { maxFileBytes: _, ...rest } = plans[id]
        const { maxFileBytes: maxFileSize, retentionHours } = limitsOfPlan(id, { plans, config })
        return { id, ...rest, maxFileSize, retentionHours }
      }),
      anonymous: config.ANONYMOUS_PLAN,
    },
  }),
})
