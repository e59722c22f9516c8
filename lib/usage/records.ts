import type { Item, Key } from '../aws/table.ts'
import type { UsageCounts } from './counts.ts'

/** Keys of usage records. Days are in UTC, such as `2026-01-31`. */

/** How long usage is kept, in seconds. */
export const usageLifetimeS = 400 * 24 * 3600

export const getDay = (timestamp: string) => timestamp.slice(0, 10)
const getSecond = (timestamp: string) => timestamp.slice(0, 19)

const getOwnerPartition = (owner: string) => `USAGE#${owner}`
export const getOwnerUsagePartition = getOwnerPartition
export const getOwnerDayKey = (owner: string, day: string): Key => ({
  pk: getOwnerPartition(owner),
  sk: `DAY#${day}`,
})

/**
 * Returns the key of the record with the ids of the events counted in one second, so that repeated events are not
 * counted twice. A record can contain 400 KB and each write costs its full size, so a record per minute would be full
 * at two hundred jobs a second.
 */
export const getCountedEventsKey = (owner: string, timestamp: string): Key => ({
  pk: getOwnerPartition(owner),
  sk: `COUNTED#${getSecond(timestamp)}`,
})

/** Number of records per engine and day, over which the writes are spread. */
const shardCount = 4
export const getServiceDayPartition = (day: string) => `SLO#${day}`
export const pickRandomShard = () => Math.floor(Math.random() * shardCount)
export const getEngineDayKey = (day: string, engine: string, shard: number): Key => ({
  pk: getServiceDayPartition(day),
  sk: `${engine}#${shard}`,
})
/** Names used instead of an engine: for jobs without an engine, and for the excluded jobs of administrators. */
export const noEngine = 'none'
export const excludedEngine = 'excluded'

/** Returns the counters in a record, without its other attributes. */
export const parseCounts = ({ ttl: _ttl, ...item }: Item): UsageCounts =>
  Object.fromEntries(
    Object.entries(item).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  )
