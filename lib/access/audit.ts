import * as z from 'zod'
import type { Table, Write } from '../aws/table.ts'
import { newId } from '../ids.ts'

/** Who did what to whom: every administrative act, and every change of a key. */

export const AuditEntry = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  actor: z.string().describe('Account that did it; `command` for `npm run admin` on the machine itself'),
  action: z.string().describe('As `user.plan`, `user.status`, `session.end`, `key.create`'),
  subject: z.string().describe('Id of what it was done to'),
  before: z.string().nullable(),
  after: z.string().nullable(),
  ip: z.string().nullable(),
})
export type AuditEntry = z.infer<typeof AuditEntry>

export interface AuditedAction {
  readonly actor: string
  readonly action: string
  readonly subject: string
  readonly before?: string | undefined
  readonly after?: string | undefined
  readonly ip?: string | undefined
}

/** Days for which entries are kept. */
const retentionDays = 400
const dayS = 86_400

/** One partition for each month: nobody writes so often that it would have to be spread. */
const partitionOf = (at: Date) => `AUDIT#${at.toISOString().slice(0, 7)}`

/** The write of an entry, for the transaction of what it tells of: nothing is done that is not in the trail. */
export function auditWrite({ before, after, ip, ...action }: AuditedAction, now = new Date()): Write {
  const entry: AuditEntry = {
    ...{ id: newId('aud'), at: now.toISOString(), ...action },
    ...{ before: before ?? null, after: after ?? null, ip: ip ?? null },
  }
  const ttl = Math.floor(now.getTime() / 1000) + retentionDays * dayS
  return { put: { ...entry, pk: partitionOf(now), sk: entry.id, ttl } }
}

/** A page, the newest first, from before an entry; `next` is the last of them where there are more. */
export async function auditPage(
  table: Table,
  { limit, before }: { readonly limit: number; readonly before?: string | undefined },
  now = new Date(),
): Promise<{ entries: AuditEntry[]; next: string | null }> {
  const entries: AuditEntry[] = []
  for (const pk of months(now)) {
    const { items } = await table.query({
      KeyConditionExpression: 'pk = :pk AND sk < :before',
      ExpressionAttributeValues: { ':pk': pk, ':before': before ?? 'aud_~' },
      ...{ ScanIndexForward: false, ConsistentRead: true, Limit: limit + 1 - entries.length },
    })
    entries.push(...items.map((item) => AuditEntry.parse(item)))
    if (entries.length > limit)
      return { entries: entries.slice(0, limit), next: entries[limit - 1]?.id ?? null }
  }
  return { entries, next: null }
}

/** Those of which entries are kept, the newest first. */
function months(now: Date): string[] {
  const count = Math.ceil(retentionDays / 28) + 1
  return Array.from({ length: count }, (_, ago) =>
    partitionOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago, 1))),
  )
}
