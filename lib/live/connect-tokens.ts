import { createHash, randomBytes } from 'node:crypto'
import type { Key, Table } from '../aws/table.ts'

/**
 * Tickets that open one WebSocket, for pages that cannot send a header: short-lived and single-use, as they are in a
 * URL.
 */

export const ticketLifetimeS = 60
const prefix = 'wst_'

const keyOf = (ticket: string): Key => ({
  pk: `TICKET#${createHash('sha256').update(ticket).digest('base64url')}`,
  sk: 'TICKET',
})

export async function createTicket(table: Table, owner: string, now = Date.now()) {
  const ticket = `${prefix}${randomBytes(24).toString('base64url')}`
  const expires = now + ticketLifetimeS * 1000
  const expiresAt = new Date(expires).toISOString()
  await table.put({ ...keyOf(ticket), owner, expiresAt, ttl: Math.ceil(expires / 1000) })
  return { ticket, expiresAt }
}

/** Returns the owner of a ticket; undefined if it was used, expired or never existed. */
export async function redeemTicket(
  table: Table,
  ticket: string,
  now = Date.now(),
): Promise<string | undefined> {
  const key = keyOf(ticket)
  const found = await table.get(key)
  if (!found || String(found['expiresAt']) <= new Date(now).toISOString()) return undefined
  const isFirst = await table.transact([{ delete: key, if: { exists: true } }])
  return isFirst ? String(found['owner']) : undefined
}
