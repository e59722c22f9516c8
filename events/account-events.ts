import * as z from 'zod'

const SubscriptionView = z.object({
  id: z.string(),
  plan: z.string(),
  previousPlan: z.string().optional(),
  status: z.enum(['active', 'cancelled']),
  interval: z.enum(['month', 'year']).nullable(),
  currentPeriodStart: z.iso.datetime(),
  currentPeriodEnd: z.iso.datetime().nullable(),
  cancelAt: z.iso.datetime().optional(),
})

const QuotaView = z.object({
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
  'subscription.created': { subscription: SubscriptionView },
  'subscription.updated': { subscription: SubscriptionView },
  'subscription.cancelled': { subscription: SubscriptionView },
  'quota.warning': { quota: QuotaView },
  'quota.exceeded': { quota: QuotaView },
} as const satisfies Readonly<Record<string, z.ZodRawShape>>
