import { KeyedMutex } from '../async/keyed-mutex.ts'
import type { Item, Table } from '../aws/table.ts'
import { AppError } from '../errors.ts'
import type { Principal } from '../model/principal.ts'
import type { Services } from '../services/services.ts'
import { PermitBlocks } from './permit-blocks.ts'
import {
  computeSecondsUntil,
  createPolicies,
  getLimitRecordKey,
  getWindowEnd,
  type Policy,
  type RequestKind,
  type WindowUsage,
} from './rate-limit-windows.ts'

/**
 * Counts requests in one record per account or IP address, with conditional writes, so that concurrent processes never
 * exceed a limit. At high rates, one write counts several requests.
 */

/** Maximum number of attempts to update a record that other processes update at the same time. */
const maxAttempts = 20
/** How long a process remembers that a window is full; the limit may be raised in the meantime. */
const fullCacheMs = 4000
const dayS = 86_400

const getCountAttribute = (counter: string) => `count ${counter}`
const getEndAttribute = (counter: string) => `until ${counter}`

interface RateLimitResult {
  readonly isAllowed: boolean
  readonly usages: readonly WindowUsage[]
}

interface LimiterCache {
  readonly fullByName: Map<string, { readonly until: number; readonly limitResult: RateLimitResult }>
  /** Serializes the updates of a record in this process: a thousand concurrent updates would conflict in the table. */
  readonly mutex: KeyedMutex
  readonly blocks: PermitBlocks
}
const caches = new WeakMap<object, LimiterCache>()

function getCache({ table }: Pick<Services, 'table'>): LimiterCache {
  const cache = caches.get(table) ?? {
    fullByName: new Map(),
    mutex: new KeyedMutex(),
    blocks: new PermitBlocks(),
  }
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
  const policies = createPolicies(services.plans[principal.plan], principal, kind)
  if (policies.length === 0) return { isAllowed: true, usages: [] }
  const cache = getCache(services)
  const key = getLimitRecordKey(principal)
  return cache.mutex.run(key.pk, () => countUnlessFull(services.table, key, policies, now, cache))
}

async function countUnlessFull(
  table: Table,
  key: ReturnType<typeof getLimitRecordKey>,
  policies: readonly Policy[],
  now: number,
  { fullByName, blocks }: LimiterCache,
): Promise<RateLimitResult> {
  const name = `${key.pk} ${policies.map(({ counter, limit }) => `${counter} ${limit}`).join()}`
  const fullWindow = fullByName.get(name)
  if (fullWindow && fullWindow.until > now) return fullWindow.limitResult
  fullByName.delete(name)
  const countedUsages = blocks.takePermit(name, now)
  if (countedUsages) return { isAllowed: true, usages: countedUsages }
  const limitResult = await countInTable(table, key, policies, now, { blocks, name })
  if (!limitResult.isAllowed) {
    const windowEnds = limitResult.usages.filter(isFull).map(({ endsAt }) => endsAt)
    fullByName.set(name, { until: Math.min(now + fullCacheMs, ...windowEnds), limitResult })
    if (fullByName.size > 10_000) fullByName.clear()
  }
  return limitResult
}

const isFull = ({ policy, used }: WindowUsage) => used >= policy.limit

async function countInTable(
  table: Table,
  key: ReturnType<typeof getLimitRecordKey>,
  policies: readonly Policy[],
  now: number,
  { blocks, name }: { readonly blocks: PermitBlocks; readonly name: string },
): Promise<RateLimitResult> {
  let item: Item | undefined
  if (policies.some(({ limit }) => limit === 0))
    return { isAllowed: false, usages: policies.map((policy) => toWindowUsage(policy, item, now)) }
  // Usually, all windows have already started.
  let runningPolicies: readonly Policy[] = policies
  let count = blocks.getBlockSize(name, now)
  for (let attemptsLeft = maxAttempts; attemptsLeft > 0; attemptsLeft--) {
    const startingPolicies = policies.filter((policy) => !runningPolicies.includes(policy))
    const startingEnds = startingPolicies.map(
      ({ name, counter }) => [getEndAttribute(counter), getWindowEnd(name, now)] as const,
    )
    const { applied, item: storedItem } = await table.update(
      key,
      {
        set: {
          ...Object.fromEntries(startingEnds),
          ...Object.fromEntries(startingPolicies.map(({ counter }) => [getCountAttribute(counter), 1])),
          // The record expires after every window has ended.
          ...(startingPolicies.length > 0 && { ttl: Math.ceil(getWindowEnd('month', now) / 1000) + dayS }),
        },
        setPlus: Object.fromEntries(
          runningPolicies.map(({ counter }) => [
            getCountAttribute(counter),
            [getCountAttribute(counter), count],
          ]),
        ),
      },
      {
        condition: {
          ...(runningPolicies.length > 0 && { exists: true }),
          after: Object.fromEntries(runningPolicies.map(({ counter }) => [getEndAttribute(counter), now])),
          below: Object.fromEntries(
            runningPolicies.map(({ counter, limit }) => [getCountAttribute(counter), limit - count + 1]),
          ),
          // A window is only started if its end has not changed since it was read: no other process has started it.
          absent: startingPolicies.flatMap(({ counter }) =>
            item?.[getEndAttribute(counter)] === undefined ? [getEndAttribute(counter)] : [],
          ),
          equal: Object.fromEntries(
            startingPolicies.flatMap(({ counter }) => {
              const endBefore = item?.[getEndAttribute(counter)]
              return endBefore === undefined ? [] : [[getEndAttribute(counter), endBefore]]
            }),
          ),
        },
      },
    )
    item = storedItem
    const usages = policies.map((policy) => toWindowUsage(policy, item, now))
    if (applied) return { isAllowed: true, usages: blocks.addBlock(name, key.pk, count, usages) }
    count = 1
    runningPolicies = policies.filter(({ counter }) => Number(item?.[getEndAttribute(counter)] ?? 0) > now)
    if (usages.some((usage) => runningPolicies.includes(usage.policy) && isFull(usage)))
      return { isAllowed: false, usages }
  }
  throw new Error(
    `A rate-limit record could not be updated in ${maxAttempts} attempts because of concurrent requests.`,
  )
}

function toWindowUsage(policy: Policy, item: Item | undefined, now: number): WindowUsage {
  const endsAt = Number(item?.[getEndAttribute(policy.counter)] ?? 0)
  if (endsAt <= now) return { policy, used: 0, endsAt: getWindowEnd(policy.name, now) }
  return { policy, used: Number(item?.[getCountAttribute(policy.counter)] ?? 0), endsAt }
}

/** Returns the usage of the client's rate-limit windows without counting a request. */
export async function readWindowUsages(
  services: Pick<Services, 'table' | 'plans'>,
  principal: Principal,
  now: number = Date.now(),
): Promise<WindowUsage[]> {
  const plan = services.plans[principal.plan]
  const readPolicies = plan.readsPerMinute === null ? [] : createPolicies(plan, principal, 'read')
  const policies = [...createPolicies(plan, principal, 'work'), ...readPolicies]
  if (policies.length === 0) return []
  const item = await services.table.get(getLimitRecordKey(principal))
  const usages = policies.map((policy) => toWindowUsage(policy, item, now))
  return getCache(services).blocks.subtractUnused(getLimitRecordKey(principal).pk, usages)
}

/** Returns the usage of the windows that count read requests, without counting this request. */
export async function getReadWindowUsages(
  services: Pick<Services, 'table' | 'plans'>,
  principal: Principal,
  now: number = Date.now(),
): Promise<WindowUsage[]> {
  const counters = createPolicies(services.plans[principal.plan], principal, 'read').map(
    ({ counter }) => counter,
  )
  if (counters.length === 0) return []
  const usages = await readWindowUsages(services, principal, now)
  return usages.filter(({ policy }) => counters.includes(policy.counter))
}

/** Returns the error for a client that sent too many requests. */
export function createRateLimitError(
  { usages }: RateLimitResult,
  principal: Principal,
  now: number = Date.now(),
): AppError {
  // The full window that ends last: no request is allowed before its end.
  const [fullWindow] = usages.filter(isFull).sort((a, b) => b.endsAt - a.endsAt)
  const { name = 'minute', limit = 0 } = fullWindow?.policy ?? {}
  const retryAfter = computeSecondsUntil(fullWindow?.endsAt ?? now, now)
  const scope = principal.kind === 'anonymous' ? 'ip' : principal.kind === 'session' ? 'account' : 'key'
  const window = name === 'reads' ? 'minute' : name
  return new AppError(
    'RATE_LIMITED',
    `The plan ${principal.plan} allows ${limit} ${name === 'reads' ? 'read ' : ''}requests per ${window}. Try again in ${retryAfter} s.`,
    { limit, window, retryAfter, scope, plan: principal.plan },
  )
}
