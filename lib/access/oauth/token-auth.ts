import type { Table } from '../../aws/table.ts'
import { AppError } from '../../errors.ts'
import { ShortMemory } from '../../ttl-cache.ts'
import { suspended } from '../api-key-auth.ts'
import type { Way } from '../auth-method.ts'
import { bearerOf } from '../bearer.ts'
import { noticedAfterMs, planOfAccount, recentAccount } from '../owner-plan.ts'
import { type Held, isAccessToken, Tokens } from './tokens.ts'

/** By table, of which tests have several in one process. */
const memories = new WeakMap<Table, ShortMemory<Held | undefined>>()

function recentlyHeld(token: string, table: Table): Promise<Held | undefined> {
  const memory = memories.get(table) ?? new ShortMemory<Held | undefined>(noticedAfterMs)
  memories.set(table, memory)
  return memory.get(token, () => new Tokens(table).held(token))
}

/**
 * Who sends an access token.
 * @throws AppError INVALID_API_KEY; INSUFFICIENT_PERMISSIONS for an account that is suspended.
 */
export const byToken: Way = async ({ headers }, services) => {
  const token = bearerOf(headers)
  if (token === undefined || !isAccessToken(token)) return undefined
  const held = await recentlyHeld(token, services.table)
  const account = held && (await recentAccount(services, held.client.owner))
  if (!held || !account || held.expiresAt * 1000 <= Date.now())
    throw new AppError(
      'INVALID_API_KEY',
      'The access token is unknown, revoked or older than an hour. Ask /v1/oauth/token for a new one.',
      { reason: 'unknown' },
    )
  if (account.status === 'suspended') throw suspended()
  const { client, scopes } = held
  return {
    ...{ ownerId: account.id, kind: 'token', role: account.role, scopes: new Set(scopes) },
    ...{ plan: planOfAccount(account), limiterKey: `client:${client.id}`, keyId: client.id },
  }
}
