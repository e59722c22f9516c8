import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventSchema, toPublicEvent } from '../../events/index.ts'
import { createQuotaThresholdEvents, createSubscriptionEvents } from '../../lib/access/account-events.ts'
import { getWindowEnd, type WindowName } from '../../lib/access/rate-limit-windows.ts'
import { newId } from '../../lib/ids.ts'

const now = new Date('2026-03-04T05:06:07.890Z')
const id = newId('acc')
const createUsage = (name: WindowName, used: number, limit: number) => ({
  policy: { name, counter: name, limit },
  used,
  endsAt: getWindowEnd(name, now.getTime()),
})
const createQuotaEvents = (name: WindowName, used: number, limit = 50, kind: 'key' | 'anonymous' = 'key') =>
  createQuotaThresholdEvents({ ownerId: id, kind }, [createUsage(name, used, limit)], now)

test('a daily or monthly quota of an API key creates a quota.warning event at 80 % and a quota.exceeded event at its limit', () => {
  const names = (name: WindowName, limit: number) =>
    Array.from({ length: limit }, (_, at) =>
      createQuotaEvents(name, at + 1, limit).map(({ event }) => [at + 1, event]),
    ).flat()
  assert.deepEqual(names('day', 50), [
    [40, 'quota.warning'],
    [50, 'quota.exceeded'],
  ])
  assert.deepEqual(names('month', 3), [
    [3, 'quota.warning'],
    [3, 'quota.exceeded'],
  ])
  assert.deepEqual(names('minute', 50), [])
  assert.deepEqual(createQuotaEvents('day', 40, 50, 'anonymous'), [])
  const [event] = createQuotaEvents('day', 40)
  assert.ok(event)
  const { quota } = eventSchema('quota.warning').parse(toPublicEvent(event))
  assert.deepEqual(quota, {
    name: 'requests-per-day',
    limit: 50,
    used: 40,
    remaining: 10,
    percent: 80,
    threshold: 80,
    resetsAt: '2026-03-05T00:00:00.000Z',
  })
})

test('changing the plan of an account creates a subscription.created, subscription.updated or subscription.cancelled event', () => {
  const cases = [
    ['free', 'pro', 'subscription.created', 'active'],
    ['pro', 'business', 'subscription.updated', 'active'],
    ['business', 'free', 'subscription.cancelled', 'cancelled'],
  ] as const
  for (const [statusBefore, plan, name, status] of cases) {
    const [event] = createSubscriptionEvents({ plan: statusBefore }, { id, plan }, now)
    assert.ok(event)
    assert.equal(event.event, name)
    assert.equal(event.owner, id)
    const { subscription } = eventSchema(name).parse(toPublicEvent(event))
    assert.deepEqual(
      [subscription.plan, subscription.previousPlan, subscription.status],
      [plan, statusBefore, status],
    )
  }
  assert.deepEqual(createSubscriptionEvents({ plan: 'pro' }, { id, plan: 'pro' }, now), [])
})
