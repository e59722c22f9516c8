import { Account, accountKey } from '../lib/access/accounts.ts'
import { ApiKeys, type KeyInput } from '../lib/access/api-keys.ts'
import { modelListKey } from '../lib/access/auth/records.ts'
import { grantedScopes, scopes } from '../lib/access/principal.ts'
import { newId } from '../lib/ids.ts'
import { openReplayTarget } from '../lib/local/replay/replay-target.ts'
import type { Services } from '../lib/services.ts'
import type { TestService } from './service.ts'

type Stored = Pick<Services, 'table'>

/** Puts an account into the table, as a sign-up would. */
export async function newAccount({ table }: Stored, more: Partial<Account> = {}): Promise<string> {
  const id = newId('acc')
  await table.put({
    ...accountKey(id),
    ...{ id, email: `${id.toLowerCase()}@example.com`, emailVerified: true, name: 'Ada', plan: 'pro' },
    ...{
      listKey: modelListKey('user'),
      version: 1,
      role: 'USER',
      status: 'active',
      createdAt: new Date().toISOString(),
      ...more,
    },
  })
  return id
}

/** The text of a new key of an account. */
export async function newKey(services: Stored, owner: string, input: Partial<KeyInput> = {}): Promise<string> {
  const whole: KeyInput = { name: 'test', kind: 'secret', scopes: [...grantedScopes], ...input }
  const made = await new ApiKeys(services).create(owner, whole)
  if (!made) throw new Error('the account has too many keys')
  return made.text
}

/** A key that may do what a person who has signed in may. */
export const newManagerKey = (services: Stored, owner: string): Promise<string> =>
  newKey(services, owner, { scopes: [...grantedScopes, 'ACCOUNT_MANAGE'] })

/** A key that may do what an administrator who has signed in may. */
export const newAdminKey = async (services: Stored): Promise<string> =>
  newKey(services, await newAccount(services, { role: 'ADMIN' }), { scopes: [...scopes] })

/** Of a new account of a running service. */
export const managerOf = (service: TestService): Promise<string> =>
  within(service, async (place) => newManagerKey(place, await newAccount(place)))
export const adminOf = (service: TestService): Promise<string> => within(service, newAdminKey)

async function within<T>({ dataDir }: TestService, work: (place: Stored) => Promise<T>): Promise<T> {
  const before = { ...process.env }
  process.env['DATA_DIR'] = dataDir
  const place = await openReplayTarget()
  try {
    return await work(place)
  } finally {
    await place.close()
    // Another service that the test starts would take the servers of this one for its own.
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
    Object.assign(process.env, before)
  }
}

/** The account as it is afterwards; undefined when there is none. */
export async function changeAccount(
  { table }: Pick<Services, 'table'>,
  id: string,
  change: { readonly [Name in 'plan' | 'role' | 'status' | 'name']?: Account[Name] | undefined },
): Promise<Account | undefined> {
  const updatedAt = new Date().toISOString()
  // The version tells whoever read the whole record before that it is another now.
  const { applied, item } = await table.update(accountKey(id), {
    set: { ...change, updatedAt },
    setPlus: { version: ['version', 1] },
  })
  return applied ? Account.parse(item) : undefined
}
