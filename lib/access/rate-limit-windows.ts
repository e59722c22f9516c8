import type { Principal } from '../model/principal.ts'
import type { Plan } from '../plans.ts'

/** Rate-limit windows of plans and their usage: pure functions. */

export const windowNames = ['minute', 'hour', 'reads', 'day', 'month'] as const
export type WindowName = (typeof windowNames)[number]

export interface Policy {
  readonly name: WindowName
  /** Name of the counter in the record of the account or IP address. */
  readonly counter: string
  readonly limit: number
}

/** Usage of a rate-limit window. */
export interface WindowUsage {
  readonly policy: Policy
  readonly used: number
  /** When the window ends, in milliseconds since 1970. */
  readonly endsAt: number
}

const minuteMs = 60_000
const windowLengthsMs = { minute: minuteMs, reads: minuteMs, hour: 60 * minuteMs } as const

/**
 * Returns the end of a window. Short windows start with their first request; days and months follow the UTC calendar.
 */
export function getWindowEnd(name: WindowName, now: number): number {
  const today = new Date(now)
  if (name === 'day') return Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() + 1)
  if (name === 'month') return Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1)
  return now + windowLengthsMs[name]
}

/** Returns the length of a window for `RateLimit-Policy`; a month has 31 days. */
export const getWindowSeconds = (name: WindowName): number =>
  name === 'month' ? 31 * 86_400 : name === 'day' ? 86_400 : windowLengthsMs[name] / 1000

/** `work` creates a job; `write` creates something else, such as an upload or a webhook. */
export type RequestKind = 'read' | 'write' | 'work'

/** Returns the policies that apply to a request. Minutes and hours are per key, days and months per account. */
export function createPolicies(
  plan: Plan,
  { limiterKey }: Pick<Principal, 'limiterKey'>,
  kind: RequestKind,
): Policy[] {
  const policy = (name: WindowName, limit: number | null, counter: string = name): Policy[] =>
    limit === null ? [] : [{ name, limit, counter }]
  // Dots are replaced, because in DynamoDB expressions a dot selects a map entry.
  const createLimiterPolicy = (name: WindowName, limit: number | null) =>
    policy(name, limit, `${name} ${limiterKey.replaceAll('.', '-')}`)
  if (kind === 'read' && plan.readsPerMinute !== null)
    return createLimiterPolicy('reads', plan.readsPerMinute)
  return [
    ...createLimiterPolicy('minute', plan.requestsPerMinute),
    ...createLimiterPolicy('hour', plan.requestsPerHour),
    ...(kind === 'work'
      ? [...policy('day', plan.requestsPerDay), ...policy('month', plan.requestsPerMonth)]
      : []),
  ]
}

/**
 * Returns the key of the record with the rate-limit counters. There is one record per account, so that more API keys
 * don't raise the limits; for anonymous clients, there is one per IP address.
 */
export const getLimitRecordKey = ({
  kind,
  ownerId,
  limiterKey,
}: Pick<Principal, 'kind' | 'ownerId' | 'limiterKey'>) =>
  ({ pk: `LIMIT#${kind === 'anonymous' ? limiterKey : ownerId}`, sk: 'LIMIT' }) as const

const getRemaining = ({ policy, used }: WindowUsage) => Math.max(0, policy.limit - used)

/** Returns the window with the fewest remaining requests, or the one that ends last if several are equal. */
export function findTightestWindow(usages: readonly WindowUsage[]): WindowUsage | undefined {
  return [...usages].sort((a, b) => getRemaining(a) - getRemaining(b) || b.endsAt - a.endsAt)[0]
}

/** Returns the common `X-RateLimit-*` headers and those of draft-ietf-httpapi-ratelimit-headers. */
export function createRateLimitHeaders(usages: readonly WindowUsage[], now: number): Record<string, string> {
  const tightestWindow = findTightestWindow(usages)
  if (!tightestWindow) return {}
  const { policy, endsAt } = tightestWindow
  const remaining = getRemaining(tightestWindow)
  return {
    'x-ratelimit-limit': String(policy.limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(Math.ceil(endsAt / 1000)),
    'ratelimit-policy': usages
      .map(({ policy: { name, limit } }) => `"${name}";q=${limit};w=${getWindowSeconds(name)}`)
      .join(', '),
    ratelimit: `"${policy.name}";r=${remaining};t=${computeSecondsUntil(endsAt, now)}`,
  }
}

export const computeSecondsUntil = (time: number, now: number) => Math.max(1, Math.ceil((time - now) / 1000))
