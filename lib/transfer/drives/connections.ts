import { createHash, randomBytes } from 'node:crypto'
import * as z from 'zod'
import { createOwned, getOwnedKey, removeOwned } from '../../aws/owned-records.ts'
import type { Key, Table } from '../../aws/table.ts'
import { driveIds } from '../../component-ids.ts'
import { Sealed, type Vault } from '../../crypto/sealed.ts'
import { idPattern, newId } from '../../ids.ts'
import { type DriveAccessLevel, type DriveAccount, driveAccessLevels } from './drive.ts'
import { OAuthTokens } from './drive-oauth.ts'

/** Records of connected drives and of pending authorizations. */

export const maxConnections = 20
/** Time in minutes for completing an authorization. */
export const consentLifetimeMinutes = 10

const DriveConnection = z.object({
  id: z.string(),
  owner: z.string(),
  drive: z.enum(driveIds),
  account: z.object({ name: z.string().nullable(), email: z.string().nullable() }),
  tokens: Sealed,
  /** Connections that earlier versions stored have no access level and may only read. */
  access: z.enum(driveAccessLevels).default('read'),
  createdAt: z.iso.datetime(),
})
export type DriveConnection = z.infer<typeof DriveConnection>

const PendingConnection = z.object({
  owner: z.string(),
  drive: z.enum(driveIds),
  verifier: Sealed,
  access: z.enum(driveAccessLevels).default('read'),
  redirectUri: z.string().optional(),
  clientState: z.string().optional(),
  /** When the pending authorization expires (RFC 3339). */
  expiresAt: z.string(),
})
type PendingConnection = z.infer<typeof PendingConnection>

/** Returns the key of a pending authorization. It contains a hash of the state, because the state is in a URL. */
const pendingKey = (state: string): Key => ({
  pk: `DRIVESTATE#${createHash('sha256').update(state).digest('hex')}`,
  sk: 'DRIVESTATE',
})
export const newState = () => randomBytes(24).toString('base64url')

interface ConnectionDeps {
  readonly table: Table
  readonly vault: Vault
}

export class DriveConnections {
  readonly #deps: ConnectionDeps

  constructor(deps: ConnectionDeps) {
    this.#deps = deps
  }

  async storePending(
    state: string,
    pendingConnection: Omit<PendingConnection, 'verifier'> & { readonly verifier: string },
  ): Promise<void> {
    const { table, vault } = this.#deps
    const key = pendingKey(state)
    const ttl = Math.ceil(Date.parse(pendingConnection.expiresAt) / 1000)
    await table.put({
      ...key,
      ...pendingConnection,
      verifier: vault.seal(pendingConnection.verifier, key.pk),
      ttl,
    })
  }

  /** Returns and deletes the pending authorization, so that a state works only once. */
  async takePending(
    state: string,
  ): Promise<(Omit<PendingConnection, 'verifier'> & { readonly verifier: string }) | undefined> {
    const { table, vault } = this.#deps
    const key = pendingKey(state)
    const item = await table.get(key)
    if (!item || !(await table.transact([{ delete: key, if: { exists: true } }]))) return undefined
    const pendingConnection = PendingConnection.parse(item)
    if (Date.parse(pendingConnection.expiresAt) < Date.now()) return undefined
    return { ...pendingConnection, verifier: String(vault.unseal(pendingConnection.verifier, key.pk)) }
  }

  /** Stores and returns a connection. Returns undefined if the owner has reached the limit. */
  async create(
    owner: string,
    input: {
      readonly drive: DriveConnection['drive']
      readonly account: DriveAccount
      readonly tokens: OAuthTokens
      readonly access: DriveAccessLevel
    },
  ): Promise<DriveConnection | undefined> {
    const { table, vault } = this.#deps
    const id = newId('conn')
    const { drive, account, tokens, access } = input
    const connection = {
      id,
      owner,
      drive,
      account,
      access,
      tokens: vault.seal(tokens, id),
      createdAt: new Date().toISOString(),
    }
    return (await createOwned(table, 'DRIVE', connection, maxConnections)) ? connection : undefined
  }

  async find(id: string): Promise<DriveConnection | undefined> {
    const isValidId = idPattern('conn').test(id)
    const item = isValidId ? await this.#deps.table.get(getOwnedKey('DRIVE', id)) : undefined
    return item && DriveConnection.parse(item)
  }

  unsealTokens({ id, tokens }: DriveConnection): OAuthTokens {
    return OAuthTokens.parse(this.#deps.vault.unseal(tokens, id))
  }

  async updateTokens({ id }: DriveConnection, tokens: OAuthTokens): Promise<void> {
    const { table, vault } = this.#deps
    await table.update(getOwnedKey('DRIVE', id), { set: { tokens: vault.seal(tokens, id) } })
  }

  remove(connection: DriveConnection): Promise<boolean> {
    return removeOwned(this.#deps.table, 'DRIVE', connection)
  }
}
