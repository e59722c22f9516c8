import { createHash } from 'node:crypto'
import type { Table } from '../../aws/table.ts'

/**
 * Counts sign-in attempts and similar requests per IP address and per account, in time windows across all processes.
 */

interface AttemptLimit {
  /** Length of the time window in seconds. */
  readonly window: number
  readonly max: number
}

/** Counts an attempt, unless the limit is reached; counting and checking are one write. */
export async function consumeAttempt(
  table: Table,
  name: string,
  { window, max }: AttemptLimit,
  now = Date.now(),
): Promise<{ allowed: boolean; retryAfter: number | null }> {
  const windowStart = Math.floor(now / 1000 / window) * window
  const hashedName = createHash('sha256').update(name).digest('base64url')
  const key = { pk: `ATTEMPTS#${hashedName}`, sk: String(windowStart) }
  const countAttempt = () =>
    table.update(
      key,
      { setPlus: { count: ['count', 1] } },
      { condition: { present: ['count'], below: { count: max } } },
    )
  const firstResult = await countAttempt()
  if (firstResult.applied) return { allowed: true, retryAfter: null }
  if (!firstResult.item) {
    const putResult = await table.put(
      { ...key, count: 1, ttl: windowStart + 2 * window },
      { condition: { exists: false } },
    )
    if (putResult.applied || (await countAttempt()).applied) return { allowed: true, retryAfter: null }
  }
  return { allowed: false, retryAfter: Math.max(1, windowStart + window - Math.floor(now / 1000)) }
}
