import * as z from 'zod'
import type { Table, Write } from '../aws/table.ts'
import { newId } from '../ids.ts'
import { component } from '../validation/component.ts'

/** The audit trail: all administrative operations and API key changes. */

export const AuditEntry = component(
  'AuditEntry',
  z.object({
    id: z.string(),
    at: z.iso.datetime(),
    actor: z
      .string()
      .describe('Account that performed the action; `command` if it was `npm run admin` on the server'),
    action: z
      .string()
      .describe('The action, such as `user.plan`, `user.status`, `session.end` or `key.create`'),
    subject: z.string().describe('Id of the affected resource'),
    before: z.string().nullable(),
    after: z.string().nullable(),
    ip: z.string().nullable(),
  }),
)
export type AuditEntry = z.infer<typeof AuditEntry>

interface AuditedAction {
  readonly actor: string
  readonly action: string
  readonly subject: string
  readonly before?: string | undefined
  readonly after?: string | undefined
  readonly ip?: string | undefined
}

/** How long entries are kept. */
const retentionDays = 400
const secondsPerDay = 86_400

/** One partition per month: entries are rare enough that one partition takes all writes. */
const getPartitionKey = (at: Date) => `AUDIT#${at.toISOString().slice(0, 7)}`

/** Returns the write that stores an entry. An operation and its audit entry are stored in one transaction. */
export function createAuditWrite({ before, after, ip, ...action }: AuditedAction, now = new Date()): Write {
  const auditEntry: AuditEntry = {
    id: newId('aud'),
    at: now.toISOString(),
    ...action,
    before: before ?? null,
    after: after ?? null,
    ip: ip ?? null,
  }
  const ttl = Math.floor(now.getTime() / 1000) + retentionDays * secondsPerDay
  return { put: { ...auditEntry, pk: getPartitionKey(now), sk: auditEntry.id, ttl } }
}

/** Returns a page of entries, newest first, older than `before`; `next` is the cursor if there are more. */
export async function listAuditEntries(
  table: Table,
  { limit, before }: { readonly limit: number; readonly before?: string | undefined },
  now = new Date(),
): Promise<{ entries: AuditEntry[]; next: string | null }> {
  const entries: AuditEntry[] = []
  for (const pk of listMonths(now)) {
    const { items } = await table.query({
      KeyConditionExpression: 'pk = :pk AND sk < :before',
      ExpressionAttributeValues: { ':pk': pk, ':before': before ?? 'aud_~' },
      ScanIndexForward: false,
      ConsistentRead: true,
      Limit: limit + 1 - entries.length,
    })
    entries.push(...items.map((item) => AuditEntry.parse(item)))
    if (entries.length > limit)
      return { entries: entries.slice(0, limit), next: entries[limit - 1]?.id ?? null }
  }
  return { entries, next: null }
}

/** Returns the partitions of the retention period, newest first. */
function listMonths(now: Date): string[] {
  const count = Math.ceil(retentionDays / 28) + 1
  return Array.from({ length: count }, (_, monthsAgo) =>
    getPartitionKey(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsAgo, 1))),
  )
}
