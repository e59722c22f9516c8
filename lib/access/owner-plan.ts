import type { Item } from '../aws/table.ts'
import { type PlanId, planIdOf } from '../plans.ts'
import type { Services } from '../services.ts'
import { ShortMemory } from '../ttl-cache.ts'
import { Account, accountOf, isAccount } from './accounts.ts'

/** Milliseconds after which a changed plan, a suspension or a revoked key is noticed by every process; 5 s are promised. */
export const accountCacheMs = 4000

const accounts = new WeakMap<object, ShortMemory<Account | undefined>>()

/** An account as it was a moment ago. */
export function findCachedAccount(
  services: Pick<Services, 'table'>,
  id: string,
): Promise<Account | undefined> {
  return cacheOf(services).get(id, () => accountOf(services, id))
}

/** An account that came along with something else. */
export function cacheAccount(services: Pick<Services, 'table'>, id: string, item: Item | undefined): void {
  cacheOf(services).put(id, item && Account.parse(item))
}

function cacheOf({ table }: Pick<Services, 'table'>) {
  const known = accounts.get(table) ?? new ShortMemory<Account | undefined>(accountCacheMs)
  accounts.set(table, known)
  return known
}

/** The plan of an account; one that the table of plans does not have counts as the smallest. */
export const planOfAccount = ({ plan }: Pick<Account, 'plan'>): PlanId => planIdOf(plan) ?? 'free'

/** The plan of whoever owns something, where nobody has sent a request: workflows, work that waited. */
export async function planOfOwner(
  services: Pick<Services, 'table' | 'config'>,
  ownerId: string,
): Promise<PlanId> {
  const account = isAccount(ownerId) ? await findCachedAccount(services, ownerId) : undefined
  return account ? planOfAccount(account) : services.config.ANONYMOUS_PLAN
}
