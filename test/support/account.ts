import { ApiKeys, type KeyInput } from '../../lib/access/api-keys.ts'
import { getModelListKey } from '../../lib/access/auth/records.ts'
import { Account, getAccountKey } from '../../lib/accounts/accounts.ts'
import { newId } from '../../lib/ids.ts'
import { openReplayTarget } from '../../lib/local/commands/replay/replay-target.ts'
import { grantedScopes, scopes } from '../../lib/model/principal.ts'
import type { Services } from '../../lib/services/services.ts'
import type { TestService } from './service.ts'

type Stored = Pick<Services, 'table'>

/** Stores an account, as a sign-up would. */
export async function newAccount({ table }: Stored, moreFields: Partial<Account> = {}): Promise<string> {
  const id = newId('acc')
  await table.put({
    ...getAccountKey(id),
    id,
    email: `${id.toLowerCase()}@example.com`,
    emailVerified: true,
    name: 'Ada',
    plan: 'pro',
    listKey: getModelListKey('user'),
    version: 1,
    role: 'USER',
    status: 'active',
    createdAt: new Date().toISOString(),
    ...moreFields,
  })
  return id
}

/** Creates an API key for an account and returns its text. */
export async function newKey(
  services: Stored,
  owner: string,
  input: Partial<KeyInput> = {},
): Promise<string> {
  const keyFields: KeyInput = { name: 'test', kind: 'secret', scopes: [...grantedScopes], ...input }
  const createdKey = await new ApiKeys(services).create(owner, keyFields)
  if (!createdKey) throw new Error('the account has too many keys')
  return createdKey.text
}

/** Creates a key with the scopes of a signed-in user. */
export const newManagerKey = (services: Stored, owner: string): Promise<string> =>
  newKey(services, owner, { scopes: [...grantedScopes, 'ACCOUNT_MANAGE'] })

/** Creates a key with the scopes of an administrator. */
export const newAdminKey = async (services: Stored): Promise<string> =>
  newKey(services, await newAccount(services, { role: 'ADMIN' }), { scopes: [...scopes] })

/** Creates a key for a new account of a running service. */
export const createManagerKey = (service: TestService): Promise<string> =>
  withinService(service, async (stored) => newManagerKey(stored, await newAccount(stored)))
export const createAdminKey = (service: TestService): Promise<string> => withinService(service, newAdminKey)

async function withinService<T>(
  { dataDir }: TestService,
  action: (stored: Stored) => Promise<T>,
): Promise<T> {
  const environmentBefore = { ...process.env }
  process.env['DATA_DIR'] = dataDir
  const target = await openReplayTarget()
  try {
    return await action(target)
  } finally {
    await target.close()
    // Otherwise another service started by the test would use the servers of this one.
    for (const name of Object.keys(process.env)) if (!(name in environmentBefore)) delete process.env[name]
    Object.assign(process.env, environmentBefore)
  }
}

/** Changes an account and returns it; undefined if it does not exist. */
export async function changeAccount(
  { table }: Pick<Services, 'table'>,
  id: string,
  accountChange: { readonly [Name in 'plan' | 'role' | 'status' | 'name']?: Account[Name] | undefined },
): Promise<Account | undefined> {
  const updatedAt = new Date().toISOString()
  // A new version makes concurrent writers of the whole record notice the change.
  const { applied, item } = await table.update(getAccountKey(id), {
    set: { ...accountChange, updatedAt },
    setPlus: { version: ['version', 1] },
  })
  return applied ? Account.parse(item) : undefined
}
