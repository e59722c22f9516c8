import type { BusEvent, EventBody, EventName } from '../../events/index.ts'
import type { Account } from '../accounts/accounts.ts'
import { deriveId } from '../ids.ts'
import type { Principal } from '../model/principal.ts'
import { addSubscribers } from '../model/subscribers.ts'
import type { Services } from '../services/services.ts'
import { getWarningCount, warningPercent } from './quota-thresholds.ts'
import type { WindowUsage } from './rate-limit-windows.ts'

/** Events about plans and quotas. Creating the same event again yields the same id. */

function createEvent<Name extends EventName>(
  name: Name,
  owner: string,
  at: Date,
  { idParts, body }: { readonly idParts: readonly (string | number)[]; readonly body: EventBody<Name> },
): BusEvent {
  const id = deriveId('evt', at, owner, name, ...idParts)
  return {
    event: name,
    timestamp: at.toISOString(),
    id,
    sequence: 1,
    apiVersion: 'v1',
    owner,
    stream: id,
    ...body,
  }
}

/**
 * Creates the events of a request that reaches the warning threshold or the limit of a daily or monthly quota. The last
 * request of a small quota reaches both.
 */
export function createQuotaThresholdEvents(
  { ownerId, kind }: Pick<Principal, 'ownerId' | 'kind'>,
  usages: readonly WindowUsage[],
  now: Date,
): BusEvent[] {
  if (kind === 'anonymous') return []
  return usages.flatMap(({ policy: { name, limit }, used, endsAt }) => {
    if (name !== 'day' && name !== 'month') return []
    const isFull = used === limit
    const thresholds = [
      ...(used === getWarningCount(limit) ? [warningPercent] : []),
      ...(isFull ? [100] : []),
    ]
    const quota = {
      name: `requests-per-${name}`,
      limit,
      used,
      remaining: limit - used,
      percent: Math.floor((used / limit) * 100),
      resetsAt: new Date(endsAt).toISOString(),
    }
    return thresholds.map((threshold) => {
      const event = threshold === 100 ? ('quota.exceeded' as const) : ('quota.warning' as const)
      return createEvent(event, ownerId, now, {
        idParts: [name, endsAt],
        body: { quota: { ...quota, threshold } },
      })
    })
  })
}

/** Plans that cost nothing. */
const freePlans: readonly string[] = ['anonymous', 'free', 'self-hosted']

/** Creates the subscription event of a plan change; none if the plan is the same or both plans are free. */
export function createSubscriptionEvents(
  accountBefore: Pick<Account, 'plan'>,
  { id, plan }: Pick<Account, 'id' | 'plan'>,
  now: Date,
): BusEvent[] {
  if (accountBefore.plan === plan) return []
  const [wasPaid, isPaid] = [!freePlans.includes(accountBefore.plan), !freePlans.includes(plan)]
  if (!wasPaid && !isPaid) return []
  const event = !wasPaid ? 'subscription.created' : isPaid ? 'subscription.updated' : 'subscription.cancelled'
  const at = now.toISOString()
  const subscription = {
    id: `sub_${id.slice('acc_'.length)}`,
    plan,
    previousPlan: accountBefore.plan,
    status: isPaid ? ('active' as const) : ('cancelled' as const),
    // Billing is done outside this service, so the billing period is unknown.
    interval: null,
    currentPeriodStart: at,
    currentPeriodEnd: isPaid ? null : at,
  }
  return [createEvent(event, id, now, { idParts: [accountBefore.plan, plan], body: { subscription } })]
}

/** Publishes the events to the subscribers of their owner. */
export async function publishToOwner(
  { findSubscribers, bus }: Pick<Services, 'findSubscribers' | 'bus'>,
  events: readonly BusEvent[],
): Promise<void> {
  const [firstEvent] = events
  if (!firstEvent) return
  const getSubscribers = await findSubscribers(firstEvent.owner)
  await bus.publish(events.map((event) => addSubscribers(event, getSubscribers)))
}
