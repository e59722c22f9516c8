import type { Account } from '../accounts/accounts.ts'
import type { Write } from '../aws/table.ts'
import { getWakeShard } from '../jobs/keys.ts'
import type { Services } from '../services/services.ts'
import { createSubscriptionEvents, publishToOwner } from './account-events.ts'

/**
 * Plan changes whose events are not yet published. They are stored in the transaction of the change, because a process
 * may die before it publishes the event, and the admin command has no event bus.
 */

const getPartitionKey = (account: string) => `PLAN#${account}`

export const createPlanChangeWrite = (accountBefore: Account, { id, plan }: Account, now: Date): Write => ({
  put: {
    pk: getPartitionKey(id),
    sk: now.toISOString(),
    plan,
    before: accountBefore.plan,
    wakeAt: now.toISOString(),
    wakeShard: getWakeShard(id),
  },
})

/** Publishes the pending plan changes of an account. Safe to repeat: the events have the same ids. */
export async function publishPlanChanges(
  account: string,
  services: Pick<Services, 'table' | 'bus' | 'findSubscribers'>,
): Promise<void> {
  const { table } = services
  for (const { pk, sk, plan, before } of await table.partition(getPartitionKey(account))) {
    const [had, has] = [{ plan: String(before) }, { id: account, plan: String(plan) }]
    await publishToOwner(services, createSubscriptionEvents(had, has, new Date(String(sk))))
    await table.delete({ pk: String(pk), sk: String(sk) })
  }
}
