import { resumeMove } from '../access/adopt-anonymous.ts'
import { resumeDeletion } from '../access/delete-account.ts'
import { publishPlanChanges } from '../access/plan-changes.ts'
import type { Key, Table } from '../aws/table.ts'
import { ConcurrencySlots } from '../jobs/run/concurrency-slots.ts'
import { Live } from '../live/live.ts'
import { wakeShardCount } from '../resources/storage.ts'
import { resumeLane } from '../webhooks/resume-lane.ts'
import { Workflows } from '../workflows/workflows.ts'
import { sweepMetrics, toEmbeddedMetric } from './embedded-metric.ts'
import type { Services } from './services.ts'

/** Handles a record; called once its `wakeAt` has passed, possibly late or twice. */
export type WakeHandler = (id: string, now: Date, sortKey?: string) => Promise<void>

/** Creates the handlers, by the prefix of the record's key (before the `#`). */
export const createWakeHandlers = (services: Services): Readonly<Record<string, WakeHandler>> => ({
  JOB: (id, now) => services.jobs.wake(id, now),
  SOCKET: (id) => new Live(services).wake(id),
  PLAN: (account) => publishPlanChanges(account, services),
  MOVE: (account, now) => resumeMove(account, now, services),
  CLOSE: (account) => resumeDeletion(account, services),
  SLOTS: (owner) => new ConcurrencySlots(services).wake(owner),
  LANE: (id, now, sortKey) =>
    resumeLane(id, now, services, { sortKey, onDelay: (seconds) => reportDelay(seconds, now, services) }),
  WORKFLOW: (id, now) => new Workflows(services).wake(id, now),
})

function reportDelay(value: number, now: Date, { log }: Pick<Services, 'log'>): void {
  if (value === 0) return
  const metric = { name: sweepMetrics.deliveryDelay, unit: 'Seconds', value } as const
  log.info(toEmbeddedMetric(metric, now.getTime()), 'metric')
}

export interface DueRecord {
  readonly kind: string
  readonly id: string
  readonly key: Key
  readonly wakeAt: string
}

/** Finds records whose `wakeAt` has passed, the most overdue first within each shard of the index. */
export async function findDueRecords(now: Date, limit: number, table: Table): Promise<DueRecord[]> {
  const shards = Array.from({ length: wakeShardCount }, (_, shard) => `wake#${shard}`)
  const dueRecords = await Promise.all(
    shards.map(async (shard) => {
      const { items } = await table.query({
        IndexName: 'byWake',
        KeyConditionExpression: 'wakeShard = :shard AND wakeAt <= :now',
        ExpressionAttributeValues: { ':shard': shard, ':now': now.toISOString() },
        Limit: Math.ceil(limit / wakeShardCount),
      })
      return items.map(({ pk, sk, wakeAt }) => ({
        ...parseDueKey(String(pk)),
        key: { pk: String(pk), sk: String(sk) },
        wakeAt: String(wakeAt),
      }))
    }),
  )
  return dueRecords.flat()
}

function parseDueKey(pk: string): Pick<DueRecord, 'kind' | 'id'> {
  const at = pk.indexOf('#')
  return { kind: pk.slice(0, at), id: pk.slice(at + 1) }
}
