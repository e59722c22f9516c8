import * as z from 'zod'
import { getOwnedKey } from '../../aws/owned-records.ts'
import type { Key, Table } from '../../aws/table.ts'
import { type GrantedScope, grantedScopes } from '../../model/principal.ts'
import { createSecretText, hashSecret, isSecretText } from '../secret-text.ts'
import { isClientId, OAuthClient } from './clients.ts'

/** Opaque access tokens: their scopes are looked up for each request, so that a revocation takes effect immediately. */

export const tokenLifetimeS = 3600

const Token = z.object({
  scopes: z.array(z.enum(grantedScopes)),
  /** When the token was issued, in seconds since 1970. */
  issuedAt: z.int(),
  expiresAt: z.int(),
})

/** A valid token and its client. */
export interface ActiveToken extends z.infer<typeof Token> {
  readonly client: OAuthClient
}

/** A token is `at_`, the client's id without `client_`, and the secret. */
const createTokenPrefix = (clientId: string) => `at_${clientId.slice('client_'.length)}_`
const tokenPattern = /^at_([0-9A-Z]{26})_/

/** True if the text is meant to be an access token, valid or not. */
export const isAccessToken = (text: string) => text.startsWith('at_')

function parseClientId(token: string): string | undefined {
  const [prefix = '', id = ''] = tokenPattern.exec(token) ?? []
  const clientId = `client_${id}`
  return isClientId(clientId) && isSecretText(token, prefix) ? clientId : undefined
}

/** Tokens are in the partition of their client, so that both can be read together. */
export const getTokenKey = (clientId: string, token: string): Key => ({
  pk: getOwnedKey('OAUTH', clientId).pk,
  sk: `TOKEN#${hashSecret(token)}`,
})

const getNowS = () => Math.floor(Date.now() / 1000)

export class AccessTokens {
  readonly #table: Table

  constructor(table: Table) {
    this.#table = table
  }

  async issue({ id }: OAuthClient, scopes: readonly GrantedScope[]): Promise<string> {
    const token = createSecretText(createTokenPrefix(id))
    const issuedAt = getNowS()
    const expiresAt = issuedAt + tokenLifetimeS
    await this.#table.put({ ...getTokenKey(id, token), scopes, issuedAt, expiresAt, ttl: expiresAt })
    return token
  }

  /** Returns undefined if the token is unknown, expired or revoked, or its client was deleted. */
  async findActive(token: string): Promise<ActiveToken | undefined> {
    const clientId = parseClientId(token)
    if (clientId === undefined) return undefined
    const owner = getOwnedKey('OAUTH', clientId)
    const items = await this.#table.getAll([owner, getTokenKey(clientId, token)])
    const client = items.find(({ sk }) => sk === owner.sk)
    const record = items.find(({ sk }) => sk !== owner.sk)
    if (!client || !record) return undefined
    const { expiresAt, ...rest } = Token.parse(record)
    return expiresAt > getNowS() ? { ...rest, expiresAt, client: OAuthClient.parse(client) } : undefined
  }

  /** Revokes a token of this client; tokens of other clients are unaffected. */
  async revoke({ id }: OAuthClient, token: string): Promise<void> {
    if (parseClientId(token) === id) await this.#table.delete(getTokenKey(id, token))
  }
}
