import * as z from 'zod'
import type { Table, Write } from '../../aws/table.ts'
import { AppError } from '../../errors.ts'
import { idPattern, newId } from '../../ids.ts'
import { createOwned, ownedIds, ownedKey, removeOwned } from '../../owned-records.ts'
import { type GrantedScope, grantedScopes } from '../principal.ts'
import { hashSecret, matchesSecretHash, newSecretText } from '../secret-text.ts'

/** Programs that an account lets in by themselves (RFC 6749, 4.4). */

export const maxClients = 20
const secretPrefix = 'cs_'

export const Client = z.object({
  id: z.string(),
  owner: z.string(),
  name: z.string(),
  scopes: z.array(z.enum(grantedScopes)),
  secretHash: z.string(),
  /** Of the secret, for people who have several. */
  last4: z.string(),
  createdAt: z.iso.datetime(),
})
export type Client = z.infer<typeof Client>

export const isClientId = (text: string) => idPattern('client').test(text)

/** Compared with when there is no such client, so that the answer takes as long. */
const dummyHash = hashSecret('')

export class Clients {
  readonly #table: Table

  constructor(table: Table) {
    this.#table = table
  }

  /** The secret is nowhere to be had afterwards. @param along is written with it. @throws AppError INVALID_INPUT when there are too many. */
  async create(
    owner: string,
    { name, scopes }: { readonly name: string; readonly scopes: readonly GrantedScope[] },
    along: (client: Client) => readonly Write[] = () => [],
  ): Promise<{ readonly client: Client; readonly secret: string }> {
    const secret = newSecretText(secretPrefix)
    const client: Client = {
      ...{ id: newId('client'), owner, name, scopes: [...new Set(scopes)] },
      ...{ secretHash: hashSecret(secret), last4: secret.slice(-4) },
      createdAt: new Date().toISOString(),
    }
    if (await createOwned(this.#table, 'OAUTH', client, maxClients, along(client))) return { client, secret }
    throw new AppError(
      'INVALID_INPUT',
      `There are ${maxClients} OAuth clients, as many as an account may have. Delete one that is not used any more.`,
      { max: maxClients },
    )
  }

  async find(id: string): Promise<Client | undefined> {
    const item = isClientId(id) ? await this.#table.get(ownedKey('OAUTH', id)) : undefined
    return item && Client.parse(item)
  }

  /** The newest first. */
  async list(owner: string): Promise<Client[]> {
    const ids = await ownedIds(this.#table, 'OAUTH', owner)
    const items = await this.#table.getAll(ids.map((id) => ownedKey('OAUTH', id)))
    const clients = items.map((item) => Client.parse(item))
    return clients.sort((a, b) => (a.id < b.id ? 1 : -1))
  }

  /** Its tokens go with it. False when somebody else was faster. */
  remove(client: Client, along: readonly Write[] = []): Promise<boolean> {
    return removeOwned(this.#table, 'OAUTH', client, along)
  }

  /** The client whose secret it is. */
  async authenticate(id: string, secret: string): Promise<Client | undefined> {
    const client = await this.find(id)
    return matchesSecretHash(client?.secretHash ?? dummyHash, secret) ? client : undefined
  }
}
