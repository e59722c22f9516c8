import { setTimeout as sleep } from 'node:timers/promises'
import type { Key, Table, Write } from '../aws/table.ts'
import type { JobEnd } from '../model/terminal-events.ts'
import { countForOwner, countForService, sumCounts, type UsageCounts } from './counts.ts'
import {
  dayOf,
  engineDayKey,
  excludedEngine,
  keyOfCountedEvents,
  noEngine,
  ownerDayKey,
  randomShard,
  usageLifetimeS,
} from './records.ts'

/** Events counted per transaction, whose expressions must fit into 4 KB. */
const maxEventsPerTransaction = 40
const dayS = 24 * 3600
/** Days for which repeated events are recognized; events are repeated within a day. */
const dedupeDays = 3

interface UsageMeterDeps {
  readonly table: Table
  /** Whether an owner's jobs are excluded from the service's statistics. */
  readonly isExcluded: (owner: string) => Promise<boolean>
  /** How long to collect events for one write, which is useful when a single process receives all of them. */
  readonly gatherMs?: number
}

/** Counts ended jobs, each once even if its event is repeated. */
export class UsageMeter {
  readonly #deps: UsageMeterDeps
  readonly #closing = new AbortController()
  #pending: JobEnd[] = []
  #batch: Promise<void> | undefined

  constructor(parts: UsageMeterDeps) {
    this.#deps = parts
  }

  /** Resolves when the event is counted. */
  count(ended: JobEnd): Promise<void> {
    this.#pending.push(ended)
    this.#batch ??= this.#countBatch()
    return this.#batch
  }

  /** Counts the collected events, and later ones without delay. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#batch
  }

  async #countBatch(): Promise<void> {
    await sleep(this.#deps.gatherMs ?? 0, undefined, { signal: this.#closing.signal }).catch(() => undefined)
    const all = this.#pending
    this.#pending = []
    this.#batch = undefined
    const byOwner = Map.groupBy(all, ({ owner }) => owner)
    await Promise.all(Array.from(byOwner, ([owner, ended]) => this.#countForOwner(owner, ended)))
  }

  async #countForOwner(owner: string, all: readonly JobEnd[]): Promise<void> {
    const once = [...new Map(all.map((ended) => [ended.id, ended])).values()]
    const isExcluded = await this.#deps.isExcluded(owner)
    for (let at = 0; at < once.length; at += maxEventsPerTransaction) {
      const some = once.slice(at, at + maxEventsPerTransaction)
      if (await this.#deps.table.transact(createWrites(owner, some, isExcluded))) continue
      const left = await this.#findUncounted(owner, some)
      // Events that another process has counted meanwhile are now recognized.
      if (left.length > 0) await this.#countForOwner(owner, left)
    }
  }

  async #findUncounted(owner: string, some: readonly JobEnd[]): Promise<JobEnd[]> {
    const keys = uniqueKeys(some.map(({ timestamp }) => keyOfCountedEvents(owner, timestamp)))
    const found = await this.#deps.table.getAll(keys)
    const known = new Set(found.flatMap(({ ids }) => (ids instanceof Set ? [...ids] : [])))
    return some.filter(({ id }) => !known.has(id))
  }
}

function createWrites(owner: string, some: readonly JobEnd[], isExcluded: boolean): Write[] {
  const now = Math.floor(Date.now() / 1000)
  const add = (key: Key, counts: UsageCounts): Write => ({
    update: key,
    change: { add: counts, set: { ttl: now + usageLifetimeS } },
    if: {},
  })
  const bySecond = groupByKey(some, ({ timestamp }) => keyOfCountedEvents(owner, timestamp))
  const byDay = groupByKey(some, ({ timestamp }) => ownerDayKey(owner, dayOf(timestamp)))
  const shard = randomShard()
  const byEngine = groupByKey(some, ({ timestamp, share }) =>
    engineDayKey(dayOf(timestamp), isExcluded ? excludedEngine : (share.engine ?? noEngine), shard),
  )
  return [
    ...bySecond.map(([key, ended]): Write => {
      const ids = new Set(ended.map(({ id }) => id))
      return {
        update: key,
        change: { collect: { ids }, set: { ttl: now + dedupeDays * dayS } },
        if: { lacks: { ids } },
      }
    }),
    ...byDay.map(([key, ended]) => add(key, sumCounts(ended.map(countForOwner)))),
    ...byEngine.map(([key, ended]) =>
      add(key, sumCounts(ended.map(isExcluded ? countOnlyJob : countForService))),
    ),
  ]
}

const countOnlyJob = (): UsageCounts => ({ jobs: 1 })

const nameOf = ({ pk, sk }: Key) => `${pk} ${sk}`
const uniqueKeys = (keys: readonly Key[]): Key[] => [
  ...new Map(keys.map((key) => [nameOf(key), key])).values(),
]

function groupByKey(all: readonly JobEnd[], keyOf: (ended: JobEnd) => Key): [Key, JobEnd[]][] {
  const found = new Map<string, [Key, JobEnd[]]>()
  for (const ended of all) {
    const key = keyOf(ended)
    const group = found.get(nameOf(key)) ?? [key, []]
    group[1].push(ended)
    found.set(nameOf(key), group)
  }
  return [...found.values()]
}
