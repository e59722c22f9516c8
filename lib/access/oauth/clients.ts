import * as z from 'zod'
import { createOwned, getOwnedKey, listOwnedIds, removeOwned } from '../../aws/owned-records.ts'
import type { Table, Write } from '../../aws/table.ts'
import { AppError } from '../../errors.ts'
import { idPattern, newId } from '../../ids.ts'
import { type GrantedScope, grantedScopes } from '../../model/principal.ts'
import { createSecretText, hashSecret, matchesSecretHash } from '../secret-text.ts'

/** OAuth clients: programs that authenticate with client credentials of an account (RFC 6749, 4.4). */

export const maxClients = 20
const secretPrefix = 'cs_'

export const OAuthClient = z.object({
  id: z.string(),
  owner: z.string(),
  name: z.string(),
  scopes: z.array(z.enum(grantedScopes)),
  secretHash: z.string(),
  /** Last characters of the secret, by which its owner recognizes it. */
  last4: z.string(),
  createdAt: z.iso.datetime(),
})
export type OAuthClient = z.infer<typeof OAuthClient>

export const isClientId = (text: string) => idPattern('client').test(text)

/** A hash to compare with if the client does not exist, so that the reply takes the same time. */
const dummyHash = hashSecret('')

export class Clients {
  readonly #table: Table

  constructor(table: Table) {
    this.#table = table
  }

  /**
   * Creates a client. Its secret is not stored.
   * @param extraWrites returns writes for the same transaction.
   * @throws AppError INVALID_INPUT if the owner has the maximum number of clients.
   */
  async create(
    owner: string,
    { name, scopes }: { readonly name: string; readonly scopes: readonly GrantedScope[] },
    extraWrites: (client: OAuthClient) => readonly Write[] = () => [],
  ): Promise<{ readonly client: OAuthClient; readonly secret: string }> {
    const secret = createSecretText(secretPrefix)
    const client: OAuthClient = {
      id: newId('client'),
      owner,
      name,
      scopes: [...new Set(scopes)],
      secretHash: hashSecret(secret),
      last4: secret.slice(-4),
      createdAt: new Date().toISOString(),
    }
    if (await createOwned(this.#table, 'OAUTH', client, maxClients, extraWrites(client)))
      return { client, secret }
    throw new AppError(
      'INVALID_INPUT',
      `This account already has ${maxClients} OAuth clients, the maximum. Delete one that you no longer use.`,
      { max: maxClients },
    )
  }

  async find(id: string): Promise<OAuthClient | undefined> {
    const item = isClientId(id) ? await this.#table.get(getOwnedKey('OAUTH', id)) : undefined
    return item && OAuthClient.parse(item)
  }

  /** Lists the clients of an owner, newest first. */
  async list(owner: string): Promise<OAuthClient[]> {
    const ids = await listOwnedIds(this.#table, 'OAUTH', owner)
    const items = await this.#table.getAll(ids.map((id) => getOwnedKey('OAUTH', id)))
    const clients = items.map((item) => OAuthClient.parse(item))
    return clients.sort((a, b) => (a.id < b.id ? 1 : -1))
  }

  /** Deletes a client, which invalidates its tokens. Returns false if it was already deleted. */
  remove(client: OAuthClient, extraWrites: readonly Write[] = []): Promise<boolean> {
    return removeOwned(this.#table, 'OAUTH', client, extraWrites)
  }

  /** Returns the client if the secret is correct. */
  async authenticate(id: string, secret: string): Promise<OAuthClient | undefined> {
    const client = await this.find(id)
    return matchesSecretHash(client?.secretHash ?? dummyHash, secret) ? client : undefined
  }
}
