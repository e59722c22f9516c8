import type { Services } from '../services/services.ts'
import { isAccount } from './accounts.ts'

/**
 * Returns the key of the record that names the anonymous identity of an account. The record outlives every pending
 * upload, because uploads are not moved to the account: they keep the anonymous identity as their owner.
 */
export const getAdoptionKey = (account: string) => ({ pk: `MOVED#${account}`, sk: 'MOVED' })

/** True if both owners are the same, or if `owner` is the anonymous identity with which `account` signed up. */
export async function isSameOwner(
  owner: string,
  account: string,
  { table }: Pick<Services, 'table'>,
): Promise<boolean> {
  if (owner === account) return true
  if (isAccount(owner) || !isAccount(account)) return false
  return (await table.get(getAdoptionKey(account)))?.['from'] === owner
}
