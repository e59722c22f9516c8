import { setTimeout as sleep } from 'node:timers/promises'
import type { Key, Table, Write } from '../aws/table.ts'
import { type Counts, ofOwner, ofService, sumOf } from './counts.ts'
import { anyShard, countedKey, dayOf, engineDay, keptS, leftOut, noEngine, ownerDay } from './records.ts'
import type { Ended } from './terminal-events.ts'

/** Ends of jobs that one transaction counts: what it says has to fit into 4 KB. */
const mostAtOnce = 40
const dayS = 24 * 3600
/** Days for which an event that comes again is known: nothing comes again later than a day. */
const knownDays = 3

export interface MeterParts {
  readonly table: Table
  /** Whether what an owner does is left out of the figures of the service. */
  readonly isLeftOut: (owner: string) => Promise<boolean>
  /** How long to gather ends before they are counted together: where one process sees them all it pays. */
  readonly gatherMs?: number
}

/** Counts the ends of jobs, each once, however often it is told. */
export class Meter {
  readonly #parts: MeterParts
  readonly #closing = new AbortController()
  #gathered: Ended[] = []
  #round: Promise<void> | undefined

  constructor(parts: MeterParts) {
    this.#parts = parts
  }

  /** Resolves when it is counted. */
  count(ended: Ended): Promise<void> {
    this.#gathered.push(ended)
    this.#round ??= this.#countTogether()
    return this.#round
  }

  /** Counts what is gathered, and from now on at once. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#round
  }

  async #countTogether(): Promise<void> {
    await sleep(this.#parts.gatherMs ?? 0, undefined, { signal: this.#closing.signal }).catch(() => undefined)
    const all = this.#gathered
    this.#gathered = []
    this.#round = undefined
    const byOwner = Map.groupBy(all, ({ owner }) => owner)
    await Promise.all(Array.from(byOwner, ([owner, ended]) => this.#countOf(owner, ended)))
  }

  async #countOf(owner: string, all: readonly Ended[]): Promise<void> {
    const once = [...new Map(all.map((ended) => [ended.id, ended])).values()]
    const isLeftOut = await this.#parts.isLeftOut(owner)
    for (let at = 0; at < once.length; at += mostAtOnce) {
      const some = once.slice(at, at + mostAtOnce)
      if (await this.#parts.table.transact(writes(owner, some, isLeftOut))) continue
      const left = await this.#uncounted(owner, some)
      // Who lost the race for one of them finds it counted now.
      if (left.length > 0) await this.#countOf(owner, left)
    }
  }

  async #uncounted(owner: string, some: readonly Ended[]): Promise<Ended[]> {
    const keys = distinct(some.map(({ timestamp }) => countedKey(owner, timestamp)))
    const found = await this.#parts.table.getAll(keys)
    const known = new Set(found.flatMap(({ ids }) => (ids instanceof Set ? [...ids] : [])))
    return some.filter(({ id }) => !known.has(id))
  }
}

function writes(owner: string, some: readonly Ended[], isLeftOut: boolean): Write[] {
  const now = Math.floor(Date.now() / 1000)
  const add = (key: Key, counts: Counts): Write => ({
    update: key,
    change: { add: counts, set: { ttl: now + keptS } },
    if: {},
  })
  const bySecond = groups(some, ({ timestamp }) => countedKey(owner, timestamp))
  const byDay = groups(some, ({ timestamp }) => ownerDay(owner, dayOf(timestamp)))
  const shard = anyShard()
  const byEngine = groups(some, ({ timestamp, share }) =>
    engineDay(dayOf(timestamp), isLeftOut ? leftOut : (share.engine ?? noEngine), shard),
  )
  return [
    ...bySecond.map(([key, ended]): Write => {
      const ids = new Set(ended.map(({ id }) => id))
      return {
        update: key,
        change: { collect: { ids }, set: { ttl: now + knownDays * dayS } },
        if: { lacks: { ids } },
      }
    }),
    ...byDay.map(([key, ended]) => add(key, sumOf(ended.map(ofOwner)))),
    ...byEngine.map(([key, ended]) => add(key, sumOf(ended.map(isLeftOut ? justOne : ofService)))),
  ]
}

const justOne = (): Counts => ({ jobs: 1 })

const nameOf = ({ pk, sk }: Key) => `${pk} ${sk}`
const distinct = (keys: readonly Key[]): Key[] => [...new Map(keys.map((key) => [nameOf(key), key])).values()]

function groups(all: readonly Ended[], keyOf: (ended: Ended) => Key): [Key, Ended[]][] {
  const found = new Map<string, [Key, Ended[]]>()
  for (const ended of all) {
    const key = keyOf(ended)
    const group = found.get(nameOf(key)) ?? [key, []]
    group[1].push(ended)
    found.set(nameOf(key), group)
  }
  return [...found.values()]
}
