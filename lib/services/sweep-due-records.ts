import * as z from 'zod'
import { sweepMetrics, toEmbeddedMetric } from './embedded-metric.ts'
import type { Services } from './services.ts'
import { createWakeHandlers, type DueRecord, findDueRecords, type WakeHandler } from './wakeups.ts'

/** Maximum number of due records handled at a time. */
const batchSize = 160
/** Number of failures in a row after which a record is quarantined, which means that it is tried once a day. */
const quarantineThreshold = 5
const maxRetryDelayS = 24 * 3600

/** Attribute that counts the failures of a record that could not be handled. */
const WakeFailures = z.object({
  count: z.int(),
  /**
   * The `wakeAt` that was set after the last failure; a different value means that the record was handled since then.
   */
  until: z.string(),
})

interface SweepOptions {
  readonly now?: () => Date
  readonly handlers?: Readonly<Record<string, WakeHandler>>
}

/**
 * Handles all overdue records. A record that cannot be handled is tried again later, so that it does not delay other
 * records. After `quarantineThreshold` it is quarantined: tried once a day, and reported each time. Returns the number
 * of records that were handled.
 */
export async function sweepDueRecords(
  services: Services,
  { now = () => new Date(), handlers = createWakeHandlers(services) }: SweepOptions = {},
): Promise<number> {
  const { table, log } = services
  let handledCount = 0
  for (let isFirst = true; ; isFirst = false) {
    const startedAt = now()
    const dueRecords = await findDueRecords(startedAt, batchSize, table)
    if (isFirst && dueRecords.length > 0) reportDelay(dueRecords, startedAt, services)
    const results = await Promise.all(
      dueRecords.map(async (record) => {
        try {
          const handler = handlers[record.kind]
          if (!handler) throw new Error(`no handler for records of the kind ${record.kind}`)
          await handler(record.id, startedAt, record.key.sk)
          return 'handled'
        } catch (error) {
          log.error({ error, record: record.key }, 'due record could not be processed')
          return postponeRecord(record, startedAt, services)
        }
      }),
    )
    handledCount += results.filter((result) => result === 'handled').length
    // No record is left, or the table does not accept changes; the next run continues.
    if (results.every((result) => result === 'unchanged')) return handledCount
  }
}

/** Postpones a record that could not be handled. */
async function postponeRecord(
  { key }: DueRecord,
  now: Date,
  { table, log }: Pick<Services, 'table' | 'log'>,
): Promise<'postponed' | 'unchanged'> {
  try {
    const record = await table.get(key)
    const wakeAt = record?.['wakeAt']
    // The index is eventually consistent, so another process may already have postponed the record.
    if (typeof wakeAt !== 'string' || wakeAt > now.toISOString()) return 'unchanged'
    const { data: earlier } = WakeFailures.safeParse(record?.['wakeFailures'])
    const count = earlier?.until === wakeAt ? earlier.count + 1 : 1
    const isQuarantined = count >= quarantineThreshold
    const delayS = isQuarantined ? maxRetryDelayS : 60 * 2 ** count
    const until = new Date(now.getTime() + delayS * 1000).toISOString()
    const { applied } = await table.update(
      key,
      { set: { wakeAt: until, wakeFailures: { count, until } } },
      { condition: { equal: { wakeAt } } },
    )
    if (applied && isQuarantined) {
      const metric = { name: sweepMetrics.quarantined, unit: 'Count', value: 1 } as const
      log.error({ ...toEmbeddedMetric(metric, now.getTime()), record: key, until }, 'record is quarantined')
    }
    return applied ? 'postponed' : 'unchanged'
  } catch (error) {
    log.error({ error, record: key }, 'due record could not be postponed')
    return 'unchanged'
  }
}

/** Reports for how long the most overdue record has been waiting. */
function reportDelay(dueRecords: readonly DueRecord[], now: Date, { log }: Pick<Services, 'log'>): void {
  const value = Math.max(...dueRecords.map(({ wakeAt }) => now.getTime() - Date.parse(wakeAt))) / 1000
  log.info(toEmbeddedMetric({ name: sweepMetrics.delay, unit: 'Seconds', value }, now.getTime()), 'metric')
}
