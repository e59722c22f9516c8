import { createHash } from 'node:crypto'
import type { Table } from '../../aws/table.ts'

/** Tries to sign in and the like, counted by address and by account in windows, wherever they arrive. */

interface AttemptLimit {
  /** Seconds. */
  readonly window: number
  readonly max: number
}

/** Whether there is one left; the count and the check are one write. */
export async function consumeAttempt(
  table: Table,
  name: string,
  { window, max }: AttemptLimit,
  now = Date.now(),
): Promise<{ allowed: boolean; retryAfter: number | null }> {
  const windowStart = Math.floor(now / 1000 / window) * window
  const hashedName = createHash('sha256').update(name).digest('base64url')
  const key = { pk: `ATTEMPTS#${hashedName}`, sk: String(windowStart) }
  const one = () =>
    table.update(
      key,
      { setPlus: { count: ['count', 1] } },
      { condition: { present: ['count'], below: { count: max } } },
    )
  const first = await one()
  if (first.applied) return { allowed: true, retryAfter: null }
  if (!first.item) {
    const made = await table.put(
      { ...key, count: 1, ttl: windowStart + 2 * window },
      { condition: { exists: false } },
    )
    if (made.applied || (await one()).applied) return { allowed: true, retryAfter: null }
  }
  return { allowed: false, retryAfter: Math.max(1, windowStart + window - Math.floor(now / 1000)) }
}
