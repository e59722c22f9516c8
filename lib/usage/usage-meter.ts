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
  #pendingEnds: JobEnd[] = []
  #batch: Promise<void> | undefined

  constructor(parts: UsageMeterDeps) {
    this.#deps = parts
  }

  /** Resolves when the event is counted. */
  count(jobEnd: JobEnd): Promise<void> {
    this.#pendingEnds.push(jobEnd)
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
    const pendingEnds = this.#pendingEnds
    this.#pendingEnds = []
    this.#batch = undefined
    const byOwner = Map.groupBy(pendingEnds, ({ owner }) => owner)
    await Promise.all(Array.from(byOwner, ([owner, ended]) => this.#countForOwner(owner, ended)))
  }

  async #countForOwner(owner: string, ownerEnds: readonly JobEnd[]): Promise<void> {
    const distinctEnds = [...new Map(ownerEnds.map((ended) => [ended.id, ended])).values()]
    const isExcluded = await this.#deps.isExcluded(owner)
    for (let at = 0; at < distinctEnds.length; at += maxEventsPerTransaction) {
      const transactionEnds = distinctEnds.slice(at, at + maxEventsPerTransaction)
      if (await this.#deps.table.transact(createWrites(owner, transactionEnds, isExcluded))) continue
      const left = await this.#findUncounted(owner, transactionEnds)
      // Events that another process has counted meanwhile are now recognized.
      if (left.length > 0) await this.#countForOwner(owner, left)
    }
  }

  async #findUncounted(owner: string, transactionEnds: readonly JobEnd[]): Promise<JobEnd[]> {
    const keys = uniqueKeys(transactionEnds.map(({ timestamp }) => keyOfCountedEvents(owner, timestamp)))
    const countedItems = await this.#deps.table.getAll(keys)
    const countedIds = new Set(countedItems.flatMap(({ ids }) => (ids instanceof Set ? [...ids] : [])))
    return transactionEnds.filter(({ id }) => !countedIds.has(id))
  }
}

function createWrites(owner: string, transactionEnds: readonly JobEnd[], isExcluded: boolean): Write[] {
  const now = Math.floor(Date.now() / 1000)
  const add = (key: Key, counts: UsageCounts): Write => ({
    update: key,
    change: { add: counts, set: { ttl: now + usageLifetimeS } },
    if: {},
  })
  const bySecond = groupByKey(transactionEnds, ({ timestamp }) => keyOfCountedEvents(owner, timestamp))
  const byDay = groupByKey(transactionEnds, ({ timestamp }) => ownerDayKey(owner, dayOf(timestamp)))
  const shard = randomShard()
  const byEngine = groupByKey(transactionEnds, ({ timestamp, share }) =>
    engineDayKey(dayOf(timestamp), isExcluded ? excludedEngine : (share.engine ?? noEngine), shard),
  )
  return [
    ...bySecond.map(([key, groupEnds]): Write => {
      const ids = new Set(groupEnds.map(({ id }) => id))
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

function groupByKey(allEnds: readonly JobEnd[], keyOf: (jobEnd: JobEnd) => Key): [Key, JobEnd[]][] {
  const foundGroups = new Map<string, [Key, JobEnd[]]>()
  for (const jobEnd of allEnds) {
    const key = keyOf(jobEnd)
    const group = foundGroups.get(nameOf(key)) ?? [key, []]
    group[1].push(jobEnd)
    foundGroups.set(nameOf(key), group)
  }
  return [...foundGroups.values()]
}
