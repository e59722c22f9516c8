import { createHash, randomBytes } from 'node:crypto'
import * as z from 'zod'
import type { Key, Table } from '../../aws/table.ts'
import { idPattern, newId } from '../../ids.ts'
import { createOwned, ownedKey, removeOwned } from '../../owned-records.ts'
import { Sealed, type Vault } from '../../sealed.ts'
import { type DriveAccount, driveIds } from './drive.ts'
import { Tokens } from './drive-oauth.ts'

/** Drives that owners have connected, and those that are about to be. */

export const mostConnections = 20
/** Minutes that people have to agree. */
export const minutesToAgree = 10

const Connection = z.object({
  id: z.string(),
  owner: z.string(),
  drive: z.enum(driveIds),
  account: z.object({ name: z.string().nullable(), email: z.string().nullable() }),
  tokens: Sealed,
  createdAt: z.iso.datetime(),
})
export type Connection = z.infer<typeof Connection>

const Pending = z.object({
  owner: z.string(),
  drive: z.enum(driveIds),
  verifier: Sealed,
  redirectUri: z.string().optional(),
  clientState: z.string().optional(),
  /** RFC 3339. */
  expiresAt: z.string(),
})
export type Pending = z.infer<typeof Pending>

/** What stands in an address is not what is stored. */
const pendingKey = (state: string): Key => ({
  pk: `DRIVESTATE#${createHash('sha256').update(state).digest('hex')}`,
  sk: 'DRIVESTATE',
})
export const newState = () => randomBytes(24).toString('base64url')

interface Parts {
  readonly table: Table
  readonly vault: Vault
}

export class Connections {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async begin(
    state: string,
    pending: Omit<Pending, 'verifier'> & { readonly verifier: string },
  ): Promise<void> {
    const { table, vault } = this.#parts
    const key = pendingKey(state)
    const ttl = Math.ceil(Date.parse(pending.expiresAt) / 1000)
    await table.put({ ...key, ...pending, verifier: vault.seal(pending.verifier, key.pk), ttl })
  }

  /** Once: whoever comes with the same state again finds nothing. */
  async claim(
    state: string,
  ): Promise<(Omit<Pending, 'verifier'> & { readonly verifier: string }) | undefined> {
    const { table, vault } = this.#parts
    const key = pendingKey(state)
    const item = await table.get(key)
    if (!item || !(await table.transact([{ delete: key, if: { exists: true } }]))) return undefined
    const pending = Pending.parse(item)
    if (Date.parse(pending.expiresAt) < Date.now()) return undefined
    return { ...pending, verifier: String(vault.open(pending.verifier, key.pk)) }
  }

  /** False when the owner has as many as there may be. */
  async create(
    owner: string,
    made: Pick<Connection, 'drive'> & { readonly account: DriveAccount; readonly tokens: Tokens },
  ): Promise<Connection | undefined> {
    const { table, vault } = this.#parts
    const id = newId('conn')
    const { drive, account, tokens } = made
    const connection = {
      ...{ id, owner, drive, account, tokens: vault.seal(tokens, id) },
      createdAt: new Date().toISOString(),
    }
    return (await createOwned(table, 'DRIVE', connection, mostConnections)) ? connection : undefined
  }

  async find(id: string): Promise<Connection | undefined> {
    const isId = idPattern('conn').test(id)
    const item = isId ? await this.#parts.table.get(ownedKey('DRIVE', id)) : undefined
    return item && Connection.parse(item)
  }

  tokensOf({ id, tokens }: Connection): Tokens {
    return Tokens.parse(this.#parts.vault.open(tokens, id))
  }

  async keep({ id }: Connection, tokens: Tokens): Promise<void> {
    const { table, vault } = this.#parts
    await table.update(ownedKey('DRIVE', id), { set: { tokens: vault.seal(tokens, id) } })
  }

  remove(connection: Connection): Promise<boolean> {
    return removeOwned(this.#parts.table, 'DRIVE', connection)
  }
}
