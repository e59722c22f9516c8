import { Account, getAccountKey, readAccount } from '../accounts/accounts.ts'
import type { Item, Write } from '../aws/table.ts'
import type { Services } from '../services/services.ts'
import { createAuditWrite } from './audit.ts'
import { getModelListKey } from './auth/records.ts'
import { createPlanChangeWrite } from './plan-changes.ts'
import { endSessions } from './sessions.ts'

/** Administrators' operations on accounts; each is recorded in the audit trail. */

type Deps = Pick<Services, 'table' | 'vault' | 'keys'>

export type AccountChange = { readonly [Name in 'plan' | 'role' | 'status']?: Account[Name] | undefined }

interface Actor {
  /** Id of the administrator's account, or `command`. */
  readonly id: string
  readonly ip?: string | undefined
}

const changeableFields = ['plan', 'role', 'status'] as const
/** Maximum number of attempts if another administrator changes the account at the same time. */
const maxAttempts = 5

/**
 * Changes an account and returns its state before and after the change; undefined if it does not exist. Suspending an
 * account, or removing its ADMIN role, ends its sessions.
 */
export async function updateAccount(
  id: string,
  change: AccountChange,
  actor: Actor,
  services: Deps,
): Promise<{ readonly before: Account; readonly after: Account } | undefined> {
  for (let attemptsLeft = maxAttempts; attemptsLeft > 0; attemptsLeft--) {
    const accountBefore = await readAccount(services, id)
    if (!accountBefore) return undefined
    const accountAfter = { ...accountBefore, ...withoutUndefined(change) }
    if (!(await services.table.transact(createWrites(accountBefore, accountAfter, actor)))) continue
    // Repeating the call after a crash ends the remaining sessions.
    const losesAccess =
      accountAfter.status === 'suspended' || (accountBefore.role === 'ADMIN' && accountAfter.role !== 'ADMIN')
    if (losesAccess) await endSessions(id, services)
    return { before: accountBefore, after: accountAfter }
  }
  throw new Error(
    `Account ${id} could not be changed in ${maxAttempts} attempts because of concurrent changes.`,
  )
}

const withoutUndefined = (change: AccountChange) =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))

/** Creates the change, its audit entries and the event for its owner, as one transaction. */
function createWrites(
  accountBefore: Account,
  accountAfter: Account,
  { id: actor, ip }: Actor,
  now = new Date(),
): Write[] {
  const changedFields = changeableFields.filter((name) => accountBefore[name] !== accountAfter[name])
  const pickFields = (account: Account) =>
    Object.fromEntries(changedFields.map((name) => [name, account[name]]))
  return [
    {
      update: getAccountKey(accountAfter.id),
      // Increments the version, so that a concurrent writer of the whole record notices the change.
      change: {
        set: { ...pickFields(accountAfter), updatedAt: now.toISOString() },
        setPlus: { version: ['version', 1] },
      },
      if: { exists: true, equal: pickFields(accountBefore) },
    },
    ...changedFields.map((name) =>
      createAuditWrite(
        {
          actor,
          ip,
          action: `user.${name}`,
          subject: accountAfter.id,
          before: accountBefore[name],
          after: accountAfter[name],
        },
        now,
      ),
    ),
    ...(accountBefore.plan === accountAfter.plan
      ? []
      : [createPlanChangeWrite(accountBefore, accountAfter, now)]),
  ]
}

interface AccountSearch {
  /** Part of the email address or the name. */
  readonly q?: string | undefined
  readonly plan?: string | undefined
  readonly limit: number
  /** Id of the last account of the previous page. */
  readonly before?: string | undefined
}

/** Maximum number of accounts scanned for one page: a narrow search must not read the whole table. */
const maxScanned = 1000
const pageSize = 100

/** Lists accounts, newest first; `next` is where the search stopped, null at the end. */
export async function listAccounts(
  { q, plan, limit, before }: AccountSearch,
  { table }: Pick<Services, 'table'>,
): Promise<{ accounts: Account[]; next: string | null }> {
  const searchText = q?.toLowerCase()
  const foundAccounts: Account[] = []
  let lastId = before ?? 'acc_~'
  for (let scannedCount = 0; scannedCount < maxScanned; scannedCount += pageSize) {
    const { items } = await table.query({
      IndexName: 'byList',
      KeyConditionExpression: 'listKey = :all AND id < :before',
      ExpressionAttributeValues: { ':all': getModelListKey('user'), ':before': lastId },
      ScanIndexForward: false,
      Limit: pageSize,
    })
    for (const account of await loadNewestFirst(items, table)) {
      lastId = account.id
      const matchesSearch =
        (plan === undefined || account.plan === plan) &&
        (searchText === undefined || `${account.email}\n${account.name.toLowerCase()}`.includes(searchText))
      if (matchesSearch && foundAccounts.push(account) === limit)
        return { accounts: foundAccounts, next: lastId }
    }
    if (items.length < pageSize) return { accounts: foundAccounts, next: null }
  }
  return { accounts: foundAccounts, next: lastId }
}

async function loadNewestFirst(items: readonly Item[], table: Services['table']): Promise<Account[]> {
  const records = await table.getAll(items.map(({ id }) => getAccountKey(String(id))))
  return records.map((item) => Account.parse(item)).sort((a, b) => (a.id < b.id ? 1 : -1))
}
