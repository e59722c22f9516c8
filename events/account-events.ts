import * as z from 'zod'

const Subscription = z.object({
  id: z.string(),
  plan: z.string(),
  previousPlan: z.string().optional(),
  status: z.enum(['active', 'cancelled']),
  interval: z.enum(['month', 'year']).nullable(),
  currentPeriodStart: z.iso.datetime(),
  currentPeriodEnd: z.iso.datetime().nullable(),
  cancelAt: z.iso.datetime().optional(),
})

const Quota = z.object({
  name: z.string().describe('As `requests-per-day`'),
  limit: z.int(),
  used: z.int(),
  remaining: z.int(),
  percent: z.int(),
  threshold: z.int().describe('Percent from which it is told, once in each window'),
  resetsAt: z.iso.datetime(),
})

/** What happens to the plan of an account, and to what the plan allows. */
export const accountEvents = {
  'subscription.created': { subscription: Subscription },
  'subscription.updated': { subscription: Subscription },
  'subscription.cancelled': { subscription: Subscription },
  'quota.warning': { quota: Quota },
  'quota.exceeded': { quota: Quota },
} as const satisfies Readonly<Record<string, z.ZodRawShape>>
