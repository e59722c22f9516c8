import * as z from 'zod'
import { component } from '../lib/validation/component.ts'

const SubscriptionView = component(
  'Subscription',
  z.object({
    id: z.string(),
    plan: z.string(),
    previousPlan: z.string().optional(),
    status: z.enum(['active', 'cancelled']),
    interval: z.enum(['month', 'year']).nullable(),
    currentPeriodStart: z.iso.datetime(),
    currentPeriodEnd: z.iso.datetime().nullable(),
    cancelAt: z.iso.datetime().optional(),
  }),
)

const QuotaView = component(
  'QuotaUse',
  z.object({
    name: z.string().describe('Name of the quota, such as `requests-per-day`'),
    limit: z.int(),
    used: z.int(),
    remaining: z.int(),
    percent: z.int(),
    threshold: z.int().describe('Percentage of the quota at which the event is sent, once per window'),
    resetsAt: z.iso.datetime(),
  }),
)

/** Events about an account's plan and its quotas. */
export const accountEvents = {
  'subscription.created': { subscription: SubscriptionView },
  'subscription.updated': { subscription: SubscriptionView },
  'subscription.cancelled': { subscription: SubscriptionView },
  'quota.warning': { quota: QuotaView },
  'quota.exceeded': { quota: QuotaView },
} as const satisfies Readonly<Record<string, z.ZodRawShape>>
