import { TtlCache } from '../async/ttl-cache.ts'
import type { Item } from '../aws/table.ts'
import { type PlanId, toPlanId } from '../plans.ts'
import type { Services } from '../services/services.ts'
import { Account, isAccount, readAccount } from './accounts.ts'

/**
 * How long a process may cache accounts and keys. The API promises that changes of plans, suspensions and revocations
 * take effect within 5 s.
 */
export const accountCacheMs = 4000

const accountCaches = new WeakMap<object, TtlCache<Account | undefined>>()

/** Returns an account, whose data may be some seconds old. */
export function findCachedAccount(
  services: Pick<Services, 'table'>,
  id: string,
): Promise<Account | undefined> {
  return getCache(services).get(id, () => readAccount(services, id))
}

/** Caches an account that was read together with something else. */
export function cacheAccount(services: Pick<Services, 'table'>, id: string, item: Item | undefined): void {
  getCache(services).set(id, item && Account.parse(item))
}

function getCache({ table }: Pick<Services, 'table'>) {
  const accountCache = accountCaches.get(table) ?? new TtlCache<Account | undefined>(accountCacheMs)
  accountCaches.set(table, accountCache)
  return accountCache
}

/** Returns the plan of an account; an unknown plan counts as `free`. */
export const getAccountPlan = ({ plan }: Pick<Account, 'plan'>): PlanId => toPlanId(plan) ?? 'free'

/** Returns the plan of an owner when no request of the owner is at hand, for example for workflows and queued jobs. */
export async function getOwnerPlan(
  services: Pick<Services, 'table' | 'config'>,
  ownerId: string,
): Promise<PlanId> {
  const account = isAccount(ownerId) ? await findCachedAccount(services, ownerId) : undefined
  return account ? getAccountPlan(account) : services.config.ANONYMOUS_PLAN
}
