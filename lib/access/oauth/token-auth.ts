import { findCachedAccount, getAccountPlan } from '../../accounts/owner-plan.ts'
import { TtlCache } from '../../async/ttl-cache.ts'
import { getOwnedKey } from '../../aws/owned-records.ts'
import type { Table } from '../../aws/table.ts'
import { AppError } from '../../errors.ts'
import { createAccountSuspendedError } from '../api-key-auth.ts'
import type { AuthMethod } from '../auth-method.ts'
import { readBearerToken } from '../bearer.ts'
import { createCredential } from '../credential.ts'
import { AccessTokens, type ActiveToken, getTokenKey, isAccessToken } from './tokens.ts'

/** How long a process may cache a token. The API promises that a revocation takes effect within 1 s. */
const tokenCacheMs = 500

/** Caches by table: tests have several tables in one process. */
const caches = new WeakMap<Table, TtlCache<ActiveToken | undefined>>()

function findCachedToken(token: string, table: Table): Promise<ActiveToken | undefined> {
  const cache = caches.get(table) ?? new TtlCache<ActiveToken | undefined>(tokenCacheMs)
  caches.set(table, cache)
  return cache.get(token, () => new AccessTokens(table).findActive(token))
}

/**
 * Authenticates requests with an OAuth access token.
 * @throws AppError INVALID_API_KEY; INSUFFICIENT_PERMISSIONS for a suspended account.
 */
export const authenticateByToken: AuthMethod = async ({ headers }, services) => {
  const token = readBearerToken(headers)
  if (token === undefined || !isAccessToken(token)) return undefined
  const activeToken = await findCachedToken(token, services.table)
  const account = activeToken && (await findCachedAccount(services, activeToken.client.owner))
  if (!activeToken || !account || activeToken.expiresAt * 1000 <= Date.now())
    throw new AppError(
      'INVALID_API_KEY',
      'The access token is unknown, revoked or expired. Get a new one with POST /v1/oauth/token.',
      { reason: 'unknown' },
    )
  if (account.status === 'suspended') throw createAccountSuspendedError()
  const { client, scopes } = activeToken
  return {
    ownerId: account.id,
    kind: 'token',
    role: account.role,
    scopes: new Set(scopes),
    plan: getAccountPlan(account),
    limiterKey: `client:${client.id}`,
    keyId: client.id,
    credential: createCredential(account.id, getOwnedKey('OAUTH', client.id), getTokenKey(client.id, token)),
  }
}
