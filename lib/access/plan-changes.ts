import type { Write } from '../aws/table.ts'
import { wakeShardOf } from '../jobs/keys.ts'
import type { Services } from '../services.ts'
import { publishToOwner, subscriptionEvents } from './account-events.ts'
import type { Account } from './accounts.ts'

/**
 * Changes of plans that their owners are to be told of. They are stored with the change, so that one is told of
 * whoever made it: a command on the machine has no bus, and a process may end between the two.
 */

const partitionOf = (account: string) => `PLAN#${account}`

export const planChangeWrite = (before: Account, { id, plan }: Account, now: Date): Write => ({
  put: {
    ...{ pk: partitionOf(id), sk: now.toISOString(), plan, before: before.plan },
    ...{ wakeAt: now.toISOString(), wakeShard: wakeShardOf(id) },
  },
})

/** Tells an owner of all that he was not told of. It may be done twice: the events are the same. */
export async function publishPlanChanges(
  account: string,
  services: Pick<Services, 'table' | 'bus'>,
): Promise<void> {
  const { table } = services
  for (const { pk, sk, plan, before } of await table.partition(partitionOf(account))) {
    const [had, has] = [{ plan: String(before) }, { id: account, plan: String(plan) }]
    await publishToOwner(services, subscriptionEvents(had, has, new Date(String(sk))))
    await table.delete({ pk: String(pk), sk: String(sk) })
  }
}
