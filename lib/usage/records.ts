import type { Item, Key } from '../aws/table.ts'
import type { Counts } from './counts.ts'

/** Where figures stand. Days are those of UTC, as `2026-01-31`. */

/** For which figures are kept. */
export const keptS = 400 * 24 * 3600

export const dayOf = (timestamp: string) => timestamp.slice(0, 10)
const secondOf = (timestamp: string) => timestamp.slice(0, 19)

const ownerPart = (owner: string) => `USAGE#${owner}`
export const ownerDays = ownerPart
export const ownerDay = (owner: string, day: string): Key => ({ pk: ownerPart(owner), sk: `DAY#${day}` })

/**
 * Ids of the events of one second that are counted: one that is told again finds itself there. A record holds 400 KB, and
 * each write costs as much as the record is large: that of a minute would be full at two hundred jobs a second.
 */
export const countedKey = (owner: string, timestamp: string): Key => ({
  pk: ownerPart(owner),
  sk: `COUNTED#${secondOf(timestamp)}`,
})

/** Writers spread over as many records of an engine and a day. */
const shards = 4
export const serviceDay = (day: string) => `SLO#${day}`
export const anyShard = () => Math.floor(Math.random() * shards)
export const engineDay = (day: string, engine: string, shard: number): Key => ({
  pk: serviceDay(day),
  sk: `${engine}#${shard}`,
})
/** Stands where a job had no engine, or came from somebody who runs the service. */
export const noEngine = 'none'
export const leftOut = 'excluded'

/** The numbers of a record, without what is no count. */
export const countsIn = ({ ttl: _ttl, ...item }: Item): Counts =>
  Object.fromEntries(
    Object.entries(item).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  )
