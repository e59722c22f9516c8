import * as z from 'zod'
import type { Write } from '../aws/table.ts'
import type { Services } from '../services/services.ts'
import { component } from '../validation/component.ts'
import { createPointerWrites, fromItem, getListPartition, getRecordKey, models } from './auth/records.ts'

/** Lists and ends sessions for administrators; users do that with /v1/auth. */

export const SessionView = component(
  'Session',
  z.object({
    id: z.string(),
    userId: z.string(),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
    ipAddress: z.string().nullable(),
    userAgent: z.string().nullable(),
  }),
)
export type SessionView = z.infer<typeof SessionView>

type Deps = Pick<Services, 'table' | 'vault' | 'keys'>

const toSessionView = (item: unknown): SessionView => {
  const { ipAddress, userAgent, ...otherFields } = SessionView.partial({
    ipAddress: true,
    userAgent: true,
  }).parse(item)
  return { ...otherFields, ipAddress: ipAddress || null, userAgent: userAgent || null }
}

/** Lists the active sessions of an account, newest first. */
export async function listSessions(accountId: string, services: Deps): Promise<SessionView[]> {
  const { table } = services
  const pointers = await table.partition(
    getListPartition('session', 'userId', accountId, { ...services, models }),
    'PLACE#',
  )
  const items = await table.getAll(pointers.map(({ id }) => getRecordKey('session', String(id))))
  const now = new Date().toISOString()
  return items
    .map(toSessionView)
    .filter(({ expiresAt }) => expiresAt > now)
    .sort((a, b) => (a.id < b.id ? 1 : -1))
}

/**
 * Ends a session; returns undefined if it no longer exists.
 * @param createExtraWrites returns writes for the same transaction.
 */
export async function endSession(
  id: string,
  services: Deps,
  createExtraWrites: (session: SessionView) => readonly Write[] = () => [],
): Promise<SessionView | undefined> {
  const { table } = services
  const context = { ...services, models }
  const key = getRecordKey('session', id)
  const item = await table.get(key)
  if (!item) return undefined
  const pointers = createPointerWrites('session', fromItem('session', item, context), undefined, context)
  const session = toSessionView(item)
  const writes = [{ delete: key, if: { exists: true } }, ...pointers, ...createExtraWrites(session)]
  return (await table.transact(writes)) ? session : undefined
}

/** Deletes better-auth's records of a deleted account. */
export async function removeAuthRecords(accountId: string, services: Deps): Promise<void> {
  const { table } = services
  const context = { ...services, models }
  for (const model of ['session', 'account', 'twoFactor']) {
    const pointers = await table.partition(getListPartition(model, 'userId', accountId, context), 'PLACE#')
    for (const item of await table.getAll(pointers.map(({ id }) => getRecordKey(model, String(id))))) {
      const record = fromItem(model, item, context)
      const pointers = createPointerWrites(model, record, undefined, context)
      await table.transact([{ delete: getRecordKey(model, record.id) }, ...pointers])
    }
  }
}

export async function endSessions(accountId: string, services: Deps): Promise<number> {
  const sessions = await listSessions(accountId, services)
  const endedSessions = await Promise.all(sessions.map(({ id }) => endSession(id, services)))
  return endedSessions.filter(Boolean).length
}
