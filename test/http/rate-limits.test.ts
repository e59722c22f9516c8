import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  getLimitRecordKey,
  getWindowEnd,
  type WindowName,
  type WindowUsage,
} from '../../lib/access/rate-limit-windows.ts'
import { countRequest, createRateLimitError, readWindowUsages } from '../../lib/access/rate-limiter.ts'
import type { Table } from '../../lib/aws/table.ts'
import type { Principal } from '../../lib/model/principal.ts'
import { type Plan, type PlanId, planIds } from '../../lib/plans.ts'
import { after, before } from '../hooks.ts'
import { type EmbeddedApp, openApp } from './embedded-app.ts'
import { methodBindingHandler } from './support/limited-app.ts'

let app: EmbeddedApp

before(async () => {
  app = await openApp()
})

after(() => app.close())

/** Returns an app in which anonymous clients have this plan, with some of its limits changed. */
function createAppWithPlan(plan: PlanId, limits: Partial<Plan> = {}): EmbeddedApp {
  const { config, plans } = app.services
  const changedPlans = Object.fromEntries(planIds.map((id) => [id, { ...plans[id], ...limits }]))
  return app.with({
    config: { ...config, ANONYMOUS_PLAN: plan },
    plans: changedPlans as typeof plans, // has the same keys
  })
}

let principalCount = 0

const createPrincipal = (moreFields: Partial<Principal> = {}): Principal => ({
  ownerId: `acc_${++principalCount}`,
  kind: 'key',
  plan: 'free',
  role: 'USER',
  scopes: new Set(),
  limiterKey: `key:${principalCount}`,
  ...moreFields,
})

test('of a thousand concurrent requests to five processes, exactly as many as the rate limit permits are allowed', async () => {
  const { services } = createAppWithPlan('free')
  const principal = createPrincipal()
  // Each of these services has a separate cache, like several processes.
  const processes = Array.from({ length: 5 }, () => ({
    ...services,
    table: new Proxy(services.table, methodBindingHandler),
  }))
  const allResults = await Promise.all(
    processes.flatMap((each) => Array.from({ length: 200 }, () => countRequest(each, principal, 'read'))),
  )
  assert.equal(allResults.filter(({ isAllowed }) => isAllowed).length, 60)
  assert.equal((await countRequest(services, createPrincipal(), 'read')).isAllowed, true)
})

test('many requests of a client are counted with few writes, and each reports the exact number of requests so far', async () => {
  const updates: unknown[] = []
  const table = new Proxy(app.services.table, {
    get: (target, name, receiver) => {
      if (name === 'update') updates.push(name)
      return methodBindingHandler.get?.(target, name as keyof Table & string, receiver)
    },
  })
  const services = {
    ...createAppWithPlan('free', { requestsPerMinute: 200, requestsPerDay: 100 }).services,
    table,
  }
  const principal = createPrincipal()
  const now = Date.now()
  const usedCounts: number[] = []
  for (;;) {
    const { isAllowed, usages } = await countRequest(services, principal, 'work', now)
    if (!isAllowed) break
    usedCounts.push(usages.find(({ policy }) => policy.name === 'day')?.used ?? 0)
    assert.deepEqual(
      (await readWindowUsages(services, principal, now)).map((usage) => usage.used),
      [usedCounts.length, usedCounts.length],
    )
  }
  assert.deepEqual(
    usedCounts,
    Array.from({ length: 100 }, (_, at) => at + 1),
  )
  assert.ok(updates.length < 40, `${updates.length} writes`)
  // Requests counted by another process in the meantime reduce the remaining requests.
  const otherServices = { ...services, table: new Proxy(app.services.table, methodBindingHandler) }
  const secondPrincipal = createPrincipal()
  let allowedCount = 0
  for (let at = 0; at < 200; at++)
    if ((await countRequest(at % 3 === 0 ? otherServices : services, secondPrincipal, 'work', now)).isAllowed)
      allowedCount++
  assert.equal(allowedCount, 100)
  // The next minute starts at zero, even if part of a block remains.
  const thirdPrincipal = createPrincipal()
  for (let at = 0; at < 9; at++) await countRequest(services, thirdPrincipal, 'work', now)
  const [minute] = (await countRequest(services, thirdPrincipal, 'work', now + 60_001)).usages
  assert.deepEqual([minute?.policy.name, minute?.used], ['minute', 1])
})

test('a rate-limit window restarts when it ends, while other windows continue', async () => {
  const { services } = createAppWithPlan('free', {
    requestsPerMinute: 2,
    requestsPerDay: 3,
    requestsPerMonth: 100,
  })
  const principal = createPrincipal()
  const noon = Date.UTC(2026, 4, 31, 12)
  const countOnce = async (now: number) => {
    const { isAllowed, usages } = await countRequest(services, principal, 'work', now)
    return [isAllowed, ...usages.map(({ used }) => used)]
  }
  assert.deepEqual(await countOnce(noon), [true, 1, 1, 1])
  assert.deepEqual(await countOnce(noon), [true, 2, 2, 2])
  assert.deepEqual(await countOnce(noon + 59_000), [false, 2, 2, 2])
  assert.deepEqual(await countOnce(noon + 60_001), [true, 1, 3, 3])
  assert.deepEqual(await countOnce(noon + 60_002), [false, 1, 3, 3])
  // The next day is in the next month, so the month restarts as well.
  assert.deepEqual(await countOnce(noon + 12 * 3_600_000), [true, 1, 1, 1])
  assert.equal(getWindowEnd('month', Date.UTC(2026, 11, 31)), Date.UTC(2027, 0, 1))
})

test('a full rate-limit window is checked again after some seconds, and the record of a client expires after its last window', async () => {
  const updates: unknown[] = []
  const table = new Proxy(app.services.table, {
    get: (target, name, receiver) => {
      if (name === 'update') updates.push(name)
      return methodBindingHandler.get?.(target, name as keyof Table & string, receiver)
    },
  })
  const services = {
    ...createAppWithPlan('free', { requestsPerMinute: 1, requestsPerDay: 9 }).services,
    table,
  }
  const principal = createPrincipal()
  const noon = Date.UTC(2126, 4, 30, 12)
  const countOnce = async (ms: number) => {
    updates.length = 0
    const { isAllowed, usages } = await countRequest(services, principal, 'work', noon + ms)
    return [isAllowed, usages.map(({ used }) => used).join(), updates.length]
  }
  assert.deepEqual((await countOnce(0))[0], true)
  assert.deepEqual(await countOnce(1), [false, '1,1', 1])
  assert.deepEqual(await countOnce(4000), [false, '1,1', 0])
  assert.deepEqual(await countOnce(4001), [false, '1,1', 1])
  const { ttl } = (await app.services.table.get(getLimitRecordKey(principal))) ?? {}
  assert.equal(ttl, Date.UTC(2126, 5, 2) / 1000)
})

test('a plan with a limit of 0 refuses requests without writing a record', async () => {
  const { services } = createAppWithPlan('free', { requestsPerMinute: 5, requestsPerDay: 0 })
  const principal = createPrincipal()
  const now = Date.UTC(2026, 4, 30, 12)
  const { isAllowed, usages } = await countRequest(services, principal, 'work', now)
  assert.equal(isAllowed, false)
  assert.deepEqual(
    usages.map(({ policy, used, endsAt }) => [policy.name, used, endsAt]),
    [
      ['minute', 0, now + 60_000],
      ['day', 0, Date.UTC(2026, 4, 31)],
    ],
  )
  assert.equal(await app.services.table.get(getLimitRecordKey(principal)), undefined)
})

test('the rate-limit usage, including that of reads, can be read without counting a request', async () => {
  const { services } = createAppWithPlan('free', {
    requestsPerMinute: 9,
    requestsPerDay: 9,
    readsPerMinute: 9,
  })
  const principal = createPrincipal()
  await countRequest(services, principal, 'work')
  await countRequest(services, principal, 'read')
  await countRequest(services, principal, 'read')
  const listUsages = async (of: typeof services, principal: Principal) =>
    (await readWindowUsages(of, principal)).map(({ policy, used }) => `${policy.name} ${used}`)
  assert.deepEqual(await listUsages(services, principal), ['minute 1', 'day 1', 'reads 2'])
  assert.deepEqual(await listUsages(services, createPrincipal()), ['minute 0', 'day 0', 'reads 0'])
  assert.deepEqual(
    await listUsages(createAppWithPlan('free', { readsPerMinute: null }).services, principal),
    ['minute 1', 'day 1'],
  )
  assert.deepEqual(
    await readWindowUsages(
      createAppWithPlan('self-hosted').services,
      createPrincipal({ plan: 'self-hosted' }),
    ),
    [],
  )
})

test('the rate-limit error contains the limit, the scope, and the seconds until the last full window ends', () => {
  const usage = (name: WindowName, usedCount: number, endsAt: number) => ({
    policy: { name, counter: name, limit: 60 },
    used: usedCount,
    endsAt,
  })
  const rateLimitErrorFor = (kind: Principal['kind'], ...usages: readonly WindowUsage[]) => {
    const { message, details } = createRateLimitError(
      { isAllowed: false, usages },
      createPrincipal({ kind }),
      1000,
    )
    return { message, details }
  }
  const windowUsages = [usage('minute', 60, 31_000), usage('hour', 60, 601_000), usage('day', 59, 901_000)]
  assert.deepEqual(rateLimitErrorFor('key', ...windowUsages), {
    message: 'The plan free allows 60 requests per hour. Try again in 600 s.',
    details: { limit: 60, window: 'hour', retryAfter: 600, scope: 'key', plan: 'free' },
  })
  const [minute] = windowUsages
  assert.ok(minute)
  assert.equal(rateLimitErrorFor('session', minute).details?.['scope'], 'account')
  assert.deepEqual(rateLimitErrorFor('anonymous', usage('reads', 61, 31_000)), {
    message: 'The plan free allows 60 read requests per minute. Try again in 30 s.',
    details: { limit: 60, window: 'minute', retryAfter: 30, scope: 'ip', plan: 'free' },
  })
})
