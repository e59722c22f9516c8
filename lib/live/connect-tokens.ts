import { createHash, randomBytes } from 'node:crypto'
import type { Key, Table } from '../aws/table.ts'

/** What opens one socket, for pages that cannot send a header: short-lived, and good for once, as it stands in an address. */

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

/** Whose it is; undefined when it was used, is too old, or never was. */
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
