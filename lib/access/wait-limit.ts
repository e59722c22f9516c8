import type { Services } from '../services/services.ts'

/** Requests that start to wait within this time are counted together; no request waits longer. */
const windowMs = 25_000

/**
 * Kinds of waiting requests: `create` waits for the job that it creates, and `watch` for an existing job. `stream` is
 * an event stream.
 */
export const waitKinds = ['create', 'watch', 'stream'] as const
export type WaitKind = (typeof waitKinds)[number]

/**
 * Returns whether another request may wait for its job, which occupies a function. At most twice `MAX_WAITS` requests
 * wait at a time, because the requests of two windows can overlap. Other clients get their reply immediately.
 */
export async function mayWait(
  kind: WaitKind,
  { table, config, log }: Pick<Services, 'table' | 'config' | 'log'>,
  now = Date.now(),
): Promise<boolean> {
  const { MAX_WAITS: limit } = config
  if (limit === undefined) return true
  const windowIndex = Math.floor(now / windowMs)
  try {
    const { applied } = await table.update(
      { pk: 'LIMIT#WAITS', sk: `${kind}#${windowIndex}` },
      { add: { count: 1 }, set: { ttl: Math.ceil(((windowIndex + 2) * windowMs) / 1000) } },
      { condition: { below: { count: limit } } },
    )
    return applied
  } catch (error) {
    // Too many clients are waiting: the table throttles the writes to this record.
    log.warn({ error }, 'waiting requests could not be counted')
    return false
  }
}
