import * as z from 'zod'
import type { Write } from '../aws/table.ts'
import type { Services } from '../services.ts'
import { listPartition, models, opened, pointerWrites, recordKey } from './auth/records.ts'

/** Sessions of accounts as administrators see and end them; people themselves do it at /v1/auth. */

export const SessionView = z.object({
  id: z.string(),
  userId: z.string(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  ipAddress: z.string().nullable(),
  userAgent: z.string().nullable(),
})
export type SessionView = z.infer<typeof SessionView>

type Needed = Pick<Services, 'table' | 'vault' | 'keys'>

const viewOf = (item: unknown): SessionView => {
  const { ipAddress, userAgent, ...rest } = SessionView.partial({ ipAddress: true, userAgent: true }).parse(
    item,
  )
  return { ...rest, ipAddress: ipAddress || null, userAgent: userAgent || null }
}

/** Those that are not over, the newest first. */
export async function sessionsOf(accountId: string, services: Needed): Promise<SessionView[]> {
  const { table } = services
  const places = await table.partition(
    listPartition('session', 'userId', accountId, { ...services, models }),
    'PLACE#',
  )
  const items = await table.getAll(places.map(({ id }) => recordKey('session', String(id))))
  const now = new Date().toISOString()
  return items
    .map(viewOf)
    .filter(({ expiresAt }) => expiresAt > now)
    .sort((a, b) => (a.id < b.id ? 1 : -1))
}

/** Undefined when there is no such session any more. @param along is written with its end. */
export async function endSession(
  id: string,
  services: Needed,
  along: (session: SessionView) => readonly Write[] = () => [],
): Promise<SessionView | undefined> {
  const { table } = services
  const keeper = { ...services, models }
  const key = recordKey('session', id)
  const item = await table.get(key)
  if (!item) return undefined
  const pointers = pointerWrites('session', opened('session', item, keeper), undefined, keeper)
  const session = viewOf(item)
  const writes = [{ delete: key, if: { exists: true } }, ...pointers, ...along(session)]
  return (await table.transact(writes)) ? session : undefined
}

/** What signing in kept of an account that is gone. */
export async function removeRecordsOf(accountId: string, services: Needed): Promise<void> {
  const { table } = services
  const keeper = { ...services, models }
  for (const model of ['session', 'account', 'twoFactor']) {
    const places = await table.partition(listPartition(model, 'userId', accountId, keeper), 'PLACE#')
    for (const item of await table.getAll(places.map(({ id }) => recordKey(model, String(id))))) {
      const record = opened(model, item, keeper)
      const pointers = pointerWrites(model, record, undefined, keeper)
      await table.transact([{ delete: recordKey(model, record.id) }, ...pointers])
    }
  }
}

export async function endSessions(accountId: string, services: Needed): Promise<number> {
  const sessions = await sessionsOf(accountId, services)
  const ended = await Promise.all(sessions.map(({ id }) => endSession(id, services)))
  return ended.filter(Boolean).length
}
