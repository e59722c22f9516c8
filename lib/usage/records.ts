import type { Item, Key } from '../aws/table.ts'
import type { UsageCounts } from './counts.ts'

/** Where figures stand. Days are those of UTC, as `2026-01-31`. */

/** For which figures are kept. */
export const usageLifetimeS = 400 * 24 * 3600

export const dayOf = (timestamp: string) => timestamp.slice(0, 10)
const secondOf = (timestamp: string) => timestamp.slice(0, 19)

const ownerPartition = (owner: string) => `USAGE#${owner}`
export const ownerUsagePartition = ownerPartition
export const ownerDayKey = (owner: string, day: string): Key => ({
  pk: ownerPartition(owner),
  sk: `DAY#${day}`,
})

/**
 * Ids of the events of one second that are counted: one that is told again finds itself there. A record holds 400 KB, and
 * each write costs as much as the record is large: that of a minute would be full at two hundred jobs a second.
 */
export const countedEventsKey = (owner: string, timestamp: string): Key => ({
  pk: ownerPartition(owner),
  sk: `COUNTED#${secondOf(timestamp)}`,
})

/** Writers spread over as many records of an engine and a day. */
const shards = 4
export const serviceDayPartition = (day: string) => `SLO#${day}`
export const randomShard = () => Math.floor(Math.random() * shards)
export const engineDayKey = (day: string, engine: string, shard: number): Key => ({
  pk: serviceDayPartition(day),
  sk: `${engine}#${shard}`,
})
/** Stands where a job had no engine, or came from somebody who runs the service. */
export const noEngine = 'none'
export const excludedEngine = 'excluded'

/** The numbers of a record, without what is no count. */
export const countsInRecord = ({ ttl: _ttl, ...item }: Item): UsageCounts =>
  Object.fromEntries(
    Object.entries(item).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  )
