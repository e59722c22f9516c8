import { createHash, randomBytes } from 'node:crypto'
import { readCredentials } from '../access/credential.ts'
import type { Key, Table } from '../aws/table.ts'
import type { Principal } from '../model/principal.ts'
import { defined } from '../validation/defined.ts'
import { ConnectingOwner } from './connections.ts'

/**
 * Tickets that open one WebSocket, for pages that cannot send a header. They are short-lived and single-use, because
 * they are part of a URL.
 */

export const ticketLifetimeS = 60
const prefix = 'wst_'

const getKey = (ticket: string): Key => ({
  pk: `TICKET#${createHash('sha256').update(ticket).digest('base64url')}`,
  sk: 'TICKET',
})

export async function createTicket(
  table: Table,
  { ownerId: owner, credential }: Pick<Principal, 'ownerId' | 'credential'>,
  now = Date.now(),
) {
  const ticket = `${prefix}${randomBytes(24).toString('base64url')}`
  const expiresAtMs = now + ticketLifetimeS * 1000
  const expiresAt = new Date(expiresAtMs).toISOString()
  await table.put({
    ...getKey(ticket),
    owner,
    ...defined({ credential }),
    expiresAt,
    ttl: Math.ceil(expiresAtMs / 1000),
  })
  return { ticket, expiresAt }
}

/**
 * Redeems a ticket and returns its owner; undefined if it was used, expired or never existed, or if the credential that
 * created it was revoked.
 */
export async function redeemTicket(
  table: Table,
  ticket: string,
  now = Date.now(),
): Promise<ConnectingOwner | undefined> {
  const key = getKey(ticket)
  const foundTicket = await table.get(key)
  if (!foundTicket || String(foundTicket['expiresAt']) <= new Date(now).toISOString()) return undefined
  const isFirst = await table.transact([{ delete: key, if: { exists: true } }])
  if (!isFirst) return undefined
  const { owner, credential } = ConnectingOwner.parse(foundTicket)
  const isActive = await readCredentials([credential ?? []], table)
  return isActive(credential ?? []) ? { owner, ...defined({ credential }) } : undefined
}
