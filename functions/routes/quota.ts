import * as z from 'zod'
import { getWindowEnd } from '../../lib/access/rate-limit-windows.ts'
import { readWindowUsages } from '../../lib/access/rate-limiter.ts'
import { getPlanLimits } from '../../lib/accounts/plan-limits.ts'
import { contract } from '../../lib/http/contract.ts'
import { liveStatuses } from '../../lib/model/job.ts'
import { type Principal, usageReadAccess } from '../../lib/model/principal.ts'
import { planIds } from '../../lib/plans.ts'
import type { Services } from '../../lib/services/services.ts'
import { getDay } from '../../lib/usage/records.ts'
import { readUsage } from '../../lib/usage/usage.ts'
import { component } from '../../lib/validation/component.ts'

const Quota = component(
  'Quota',
  z.object({
    name: z.enum(['requests', 'reads', 'conversion-minutes']),
    window: z
      .enum(['minute', 'hour', 'day', 'month'])
      .describe('Period of the limit; days and months follow the UTC calendar'),
    limit: z.number().nullable().describe('Maximum in the window; null if usage is only counted'),
    used: z.number(),
    remaining: z.number().nullable(),
    resetsAt: z.iso.datetime(),
  }),
)
type Quota = z.infer<typeof Quota>

const QuotaView = component(
  'QuotaState',
  z.object({
    plan: z.enum(planIds),
    quotas: z.array(Quota),
    concurrentJobs: z.object({
      limit: z.int().nullable(),
      running: z.int(),
      queued: z.int().describe('Queued jobs, including those that wait for their files'),
    }),
    maxFileSize: z.int().describe('Maximum size of a file in bytes'),
    filesPerJob: z.int(),
  }),
)

/** Unfinished jobs are only counted up to this number. */
const maxLiveJobs = 500

export const getQuota = contract({
  method: 'GET',
  path: '/v1/account/quota',
  access: usageReadAccess,
  tag: 'Account',
  summary: 'Get the remaining quota of your plan',
  description:
    'Limits per minute and hour are those of the key or session of this request; limits per day and month are those of the account, and count only requests that create work: conversions, merges, batches, jobs, imports, retries and runs of workflows.',
  reply: { status: 200, schema: QuotaView },
  handle: async ({ principal }, services) => {
    const [requestUsages, minutes, liveJobCounts] = await Promise.all([
      readWindowUsages(services, principal),
      readConversionMinutes(principal, services),
      countLiveJobs(principal, services),
    ])
    const requests = requestUsages.map(({ policy: { name, limit }, used, endsAt }): Quota => {
      const isRead = name === 'reads'
      return {
        name: isRead ? 'reads' : 'requests',
        window: isRead ? 'minute' : name,
        limit,
        used,
        remaining: Math.max(0, limit - used),
        resetsAt: new Date(endsAt).toISOString(),
      }
    })
    const maxMinutes = services.plans[principal.plan].conversionMinutesPerMonth
    const { plan, concurrentJobs, maxFileBytes, filesPerJob } = getPlanLimits(principal.plan, services)
    const minutesQuota: Quota = {
      name: 'conversion-minutes',
      window: 'month',
      limit: maxMinutes,
      used: minutes,
      remaining: maxMinutes === null ? null : Math.max(0, maxMinutes - minutes),
      resetsAt: new Date(getWindowEnd('month', Date.now())).toISOString(),
    }
    return {
      data: {
        plan,
        quotas: [...requests, minutesQuota],
        concurrentJobs: { limit: concurrentJobs, ...liveJobCounts },
        maxFileSize: maxFileBytes,
        filesPerJob,
      },
    }
  },
})

/** Returns the conversion minutes of the current month. */
async function readConversionMinutes({ ownerId }: Principal, { table }: Services): Promise<number> {
  const to = getDay(new Date().toISOString())
  const { totals } = await readUsage(table, ownerId, { to, granularity: 'month' })
  return totals.conversionMinutes
}

async function countLiveJobs({ ownerId: owner }: Principal, { jobs }: Services) {
  const page = await jobs.store.list({
    owner,
    limit: maxLiveJobs,
    newestFirst: true,
    statuses: liveStatuses,
    matches: ({ status }) => liveStatuses.some((liveStatus) => liveStatus === status),
  })
  const runningCount = page.jobs.filter(({ status }) => status === 'processing').length
  return { running: runningCount, queued: page.jobs.length - runningCount }
}
