import type { Plan } from '../plans.ts'
import type { Principal } from './principal.ts'

/** What a plan allows in a stretch of time, and what is left of it: pure. */

export const windowNames = ['minute', 'hour', 'reads', 'day', 'month'] as const
export type WindowName = (typeof windowNames)[number]

export interface Policy {
  readonly name: WindowName
  /** Under which it is counted in the record of the owner, or of the address. */
  readonly counter: string
  readonly limit: number
}

/** How far a window is. */
export interface WindowUsage {
  readonly policy: Policy
  readonly used: number
  /** Milliseconds since 1970. */
  readonly endsAt: number
}

const minuteMs = 60_000
const lengthMs = { minute: minuteMs, reads: minuteMs, hour: 60 * minuteMs } as const

/** Short windows begin with their first request; days and months are those of the calendar, in UTC. */
export function windowEnd(name: WindowName, now: number): number {
  const today = new Date(now)
  if (name === 'day') return Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() + 1)
  if (name === 'month') return Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1)
  return now + lengthMs[name]
}

/** Seconds of a window, for `RateLimit-Policy`; a month as it is at most. */
export const windowSeconds = (name: WindowName): number =>
  name === 'month' ? 31 * 86_400 : name === 'day' ? 86_400 : lengthMs[name] / 1000

/** What a request counts against. Minutes and hours are those of a key; days and months those of its account. */
export function policiesOf(
  plan: Plan,
  { limiterKey }: Pick<Principal, 'limiterKey'>,
  isWrite: boolean,
): Policy[] {
  const policy = (name: WindowName, limit: number | null, counter: string = name): Policy[] =>
    limit === null ? [] : [{ name, limit, counter }]
  // A dot would lead into a map.
  const perLimiter = (name: WindowName, limit: number | null) =>
    policy(name, limit, `${name} ${limiterKey.replaceAll('.', '-')}`)
  if (!isWrite && plan.readsPerMinute !== null) return perLimiter('reads', plan.readsPerMinute)
  return [
    ...perLimiter('minute', plan.requestsPerMinute),
    ...perLimiter('hour', plan.requestsPerHour),
    ...(isWrite ? [...policy('day', plan.requestsPerDay), ...policy('month', plan.requestsPerMonth)] : []),
  ]
}

/** Where windows are counted: with the account, so that more keys give no more; else with the address. */
export const limitRecordKey = ({
  kind,
  ownerId,
  limiterKey,
}: Pick<Principal, 'kind' | 'ownerId' | 'limiterKey'>) =>
  ({ pk: `LIMIT#${kind === 'anonymous' ? limiterKey : ownerId}`, sk: 'LIMIT' }) as const

const leftOf = ({ policy, used }: WindowUsage) => Math.max(0, policy.limit - used)

/** The one that ends first for a client that goes on; of equals the one that lasts longest. */
export function tightest(usages: readonly WindowUsage[]): WindowUsage | undefined {
  return [...usages].sort((a, b) => leftOf(a) - leftOf(b) || b.endsAt - a.endsAt)[0]
}

/** Both forms: the old one that everybody reads, and draft-ietf-httpapi-ratelimit-headers. */
export function rateLimitHeaders(usages: readonly WindowUsage[], now: number): Record<string, string> {
  const first = tightest(usages)
  if (!first) return {}
  const { policy, endsAt } = first
  const left = leftOf(first)
  return {
    'x-ratelimit-limit': String(policy.limit),
    'x-ratelimit-remaining': String(left),
    'x-ratelimit-reset': String(Math.ceil(endsAt / 1000)),
    'ratelimit-policy': usages
      .map(({ policy: { name, limit } }) => `"${name}";q=${limit};w=${windowSeconds(name)}`)
      .join(', '),
    ratelimit: `"${policy.name}";r=${left};t=${secondsUntil(endsAt, now)}`,
  }
}

export const secondsUntil = (moment: number, now: number) => Math.max(1, Math.ceil((moment - now) / 1000))
