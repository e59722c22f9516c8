import { KeyedMutex } from '../async/keyed-mutex.ts'
import type { Item, Table } from '../aws/table.ts'
import { AppError } from '../errors.ts'
import type { Principal } from '../model/principal.ts'
import type { Services } from '../services/services.ts'
import { PermitBlocks } from './permit-blocks.ts'
import {
  limitRecordKey,
  type Policy,
  policiesOf,
  type RequestKind,
  secondsUntil,
  type WindowUsage,
  windowEnd,
} from './rate-limit-windows.ts'

/**
 * Counts requests in one record per account or IP address, with conditional writes, so that concurrent processes never
 * exceed a limit. At high rates, one write counts several requests.
 */

/** Attempts to update a record that other processes update at the same time. */
const maxAttempts = 20
/** How long a process remembers that a window is full; the limit may be raised in the meantime. */
const fullCacheMs = 4000
const dayS = 86_400

const countOf = (counter: string) => `count ${counter}`
const endAttribute = (counter: string) => `until ${counter}`

interface RateLimitResult {
  readonly isAllowed: boolean
  readonly usages: readonly WindowUsage[]
}

interface LimiterCache {
  readonly full: Map<string, { readonly until: number; readonly taken: RateLimitResult }>
  /** Serializes the updates of a record in this process: a thousand concurrent updates would conflict in the table. */
  readonly turns: KeyedMutex
  readonly blocks: PermitBlocks
}
const caches = new WeakMap<object, LimiterCache>()

function cacheOf({ table }: Pick<Services, 'table'>): LimiterCache {
  const cache = caches.get(table) ?? { full: new Map(), turns: new KeyedMutex(), blocks: new PermitBlocks() }
  caches.set(table, cache)
  return cache
}

/** Counts a request, unless one of the client's rate-limit windows is full. */
export async function countRequest(
  services: Pick<Services, 'table' | 'plans'>,
  principal: Principal,
  kind: RequestKind,
  now: number = Date.now(),
): Promise<RateLimitResult> {
  const policies = policiesOf(services.plans[principal.plan], principal, kind)
  if (policies.length === 0) return { isAllowed: true, usages: [] }
  const cache = cacheOf(services)
  const key = limitRecordKey(principal)
  return cache.turns.run(key.pk, () => countUnlessFull(services.table, key, policies, now, cache))
}

async function countUnlessFull(
  table: Table,
  key: ReturnType<typeof limitRecordKey>,
  policies: readonly Policy[],
  now: number,
  { full, blocks }: LimiterCache,
): Promise<RateLimitResult> {
  const name = `${key.pk} ${policies.map(({ counter, limit }) => `${counter} ${limit}`).join()}`
  const fullWindow = full.get(name)
  if (fullWindow && fullWindow.until > now) return fullWindow.taken
  full.delete(name)
  const countedUsages = blocks.takePermit(name, now)
  if (countedUsages) return { isAllowed: true, usages: countedUsages }
  const limitResult = await countInTable(table, key, policies, now, { blocks, name })
  if (!limitResult.isAllowed) {
    const windowEnds = limitResult.usages.filter(isFull).map(({ endsAt }) => endsAt)
    full.set(name, { until: Math.min(now + fullCacheMs, ...windowEnds), taken: limitResult })
    if (full.size > 10_000) full.clear()
  }
  return limitResult
}

const isFull = ({ policy, used }: WindowUsage) => used >= policy.limit

async function countInTable(
  table: Table,
  key: ReturnType<typeof limitRecordKey>,
  policies: readonly Policy[],
  now: number,
  { blocks, name }: { readonly blocks: PermitBlocks; readonly name: string },
): Promise<RateLimitResult> {
  let item: Item | undefined
  if (policies.some(({ limit }) => limit === 0))
    return { isAllowed: false, usages: policies.map((policy) => windowUsageOf(policy, item, now)) }
  // Usually, all windows have already started.
  let runningPolicies: readonly Policy[] = policies
  let count = blocks.blockSizeFor(name, now)
  for (let left = maxAttempts; left > 0; left--) {
    const starting = policies.filter((policy) => !runningPolicies.includes(policy))
    const startingEnds = starting.map(
      ({ name, counter }) => [endAttribute(counter), windowEnd(name, now)] as const,
    )
    const { applied, item: storedItem } = await table.update(
      key,
      {
        set: {
          ...Object.fromEntries(startingEnds),
          ...Object.fromEntries(starting.map(({ counter }) => [countOf(counter), 1])),
          // By then every window has ended.
          ...(starting.length > 0 && { ttl: Math.ceil(windowEnd('month', now) / 1000) + dayS }),
        },
        setPlus: Object.fromEntries(
          runningPolicies.map(({ counter }) => [countOf(counter), [countOf(counter), count]]),
        ),
      },
      {
        condition: {
          ...(runningPolicies.length > 0 && { exists: true }),
          after: Object.fromEntries(runningPolicies.map(({ counter }) => [endAttribute(counter), now])),
          below: Object.fromEntries(
            runningPolicies.map(({ counter, limit }) => [countOf(counter), limit - count + 1]),
          ),
          // Windows to start must be unchanged since they were read as ended.
          absent: starting.flatMap(({ counter }) =>
            item?.[endAttribute(counter)] === undefined ? [endAttribute(counter)] : [],
          ),
          equal: Object.fromEntries(
            starting.flatMap(({ counter }) => {
              const endBefore = item?.[endAttribute(counter)]
              return endBefore === undefined ? [] : [[endAttribute(counter), endBefore]]
            }),
          ),
        },
      },
    )
    item = storedItem
    const usages = policies.map((policy) => windowUsageOf(policy, item, now))
    if (applied) return { isAllowed: true, usages: blocks.addBlock(name, key.pk, count, usages) }
    count = 1
    runningPolicies = policies.filter(({ counter }) => Number(item?.[endAttribute(counter)] ?? 0) > now)
    if (usages.some((usage) => runningPolicies.includes(usage.policy) && isFull(usage)))
      return { isAllowed: false, usages }
  }
  throw new Error(
    `A rate-limit record could not be updated in ${maxAttempts} attempts because of concurrent requests.`,
  )
}

function windowUsageOf(policy: Policy, item: Item | undefined, now: number): WindowUsage {
  const endsAt = Number(item?.[endAttribute(policy.counter)] ?? 0)
  if (endsAt <= now) return { policy, used: 0, endsAt: windowEnd(policy.name, now) }
  return { policy, used: Number(item?.[countOf(policy.counter)] ?? 0), endsAt }
}

/** Returns the usage of the client's rate-limit windows without counting a request. */
export async function windowUsages(
  services: Pick<Services, 'table' | 'plans'>,
  principal: Principal,
  now: number = Date.now(),
): Promise<WindowUsage[]> {
  const plan = services.plans[principal.plan]
  const readPolicies = plan.readsPerMinute === null ? [] : policiesOf(plan, principal, 'read')
  const policies = [...policiesOf(plan, principal, 'work'), ...readPolicies]
  if (policies.length === 0) return []
  const item = await services.table.get(limitRecordKey(principal))
  const usages = policies.map((policy) => windowUsageOf(policy, item, now))
  return cacheOf(services).blocks.subtractUnused(limitRecordKey(principal).pk, usages)
}

/** Returns the usage of the windows that count reads, without counting one. */
export async function readUsages(
  services: Pick<Services, 'table' | 'plans'>,
  principal: Principal,
  now: number = Date.now(),
): Promise<WindowUsage[]> {
  const counters = policiesOf(services.plans[principal.plan], principal, 'read').map(({ counter }) => counter)
  if (counters.length === 0) return []
  const usages = await windowUsages(services, principal, now)
  return usages.filter(({ policy }) => counters.includes(policy.counter))
}

/** Returns the error for a client that sent too many requests. */
export function rateLimitError(
  { usages }: RateLimitResult,
  principal: Principal,
  now: number = Date.now(),
): AppError {
  // The full window that ends last: no request is allowed before.
  const [fullWindow] = usages.filter(isFull).sort((a, b) => b.endsAt - a.endsAt)
  const { name = 'minute', limit = 0 } = fullWindow?.policy ?? {}
  const retryAfter = secondsUntil(fullWindow?.endsAt ?? now, now)
  const scope = principal.kind === 'anonymous' ? 'ip' : principal.kind === 'session' ? 'account' : 'key'
  const window = name === 'reads' ? 'minute' : name
  return new AppError(
    'RATE_LIMITED',
    `The plan ${principal.plan} allows ${limit} ${name === 'reads' ? 'read ' : ''}requests per ${window}. Try again in ${retryAfter} s.`,
    { limit, window, retryAfter, scope, plan: principal.plan },
  )
}
