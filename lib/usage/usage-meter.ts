import { setTimeout as sleep } from 'node:timers/promises'
import type { Item, Key, Table, Write } from '../aws/table.ts'
import type { JobEnd } from '../model/terminal-events.ts'

import { sumCounts, type UsageCounts } from './counts.ts'
import { countForOwner, countForService } from './job-counts.ts'
import {
  excludedEngine,
  getCountedEventsKey,
  getDay,
  getEngineDayKey,
  getOwnerDayKey,
  noEngine,
  pickRandomShard,
  usageLifetimeS,
} from './records.ts'

/** Maximum number of events counted in a transaction, whose expressions must fit into 4 KB. */
const maxEventsPerTransaction = 40
const dayS = 24 * 3600
/** Number of days for which repeated events are recognized. Events are repeated for at most a day. */
const dedupeDays = 3

interface UsageMeterDeps {
  readonly table: Table
  /** Whether an owner's jobs are excluded from the service's statistics. */
  readonly isExcluded: (owner: string) => Promise<boolean>
  /** How long to collect events for one write, in milliseconds; useful if a single process receives all of them. */
  readonly batchWindowMs?: number
}

/**
 * Maximum number of event ids kept in the record of their day, so that an event of an owner with few jobs is counted
 * with a single write. With more ids, each write would cost more than a transaction.
 */
const maxIdsOfDay = 8

/**
 * Counts ended jobs, each once even if its event is repeated. The statistics of the service may miss a job if the
 * process dies.
 */
export class UsageMeter {
  readonly #deps: UsageMeterDeps
  readonly #closeController = new AbortController()
  #pendingEnds: JobEnd[] = []
  #batchPromise: Promise<void> | undefined

  constructor(deps: UsageMeterDeps) {
    this.#deps = deps
  }

  /** Resolves when the event is counted. */
  count(jobEnd: JobEnd): Promise<void> {
    this.#pendingEnds.push(jobEnd)
    this.#batchPromise ??= this.#countBatch()
    return this.#batchPromise
  }

  /** Counts the collected events. From then on, events are counted without delay. */
  async close(): Promise<void> {
    this.#closeController.abort()
    await this.#batchPromise
  }

  async #countBatch(): Promise<void> {
    await sleep(this.#deps.batchWindowMs ?? 0, undefined, { signal: this.#closeController.signal }).catch(
      () => undefined,
    )
    const pendingEnds = this.#pendingEnds
    this.#pendingEnds = []
    this.#batchPromise = undefined
    const endsByOwner = Map.groupBy(pendingEnds, ({ owner }) => owner)
    await Promise.all(Array.from(endsByOwner, ([owner, ended]) => this.#countForOwner(owner, ended)))
  }

  async #countForOwner(owner: string, ownerEnds: readonly JobEnd[]): Promise<void> {
    const distinctEnds = [...new Map(ownerEnds.map((ended) => [ended.id, ended])).values()]
    const isExcluded = await this.#deps.isExcluded(owner)
    for (let at = 0; at < distinctEnds.length; at += maxEventsPerTransaction) {
      const transactionEnds = distinctEnds.slice(at, at + maxEventsPerTransaction)
      const [onlyEnd] = transactionEnds
      if (onlyEnd && transactionEnds.length === 1 && (await this.#countOne(owner, onlyEnd, isExcluded)))
        continue
      if (await this.#deps.table.transact(createWrites(owner, transactionEnds, isExcluded))) continue
      const uncountedEnds = await this.#findUncounted(owner, transactionEnds)
      // The read recognizes events that another process has counted meanwhile.
      if (uncountedEnds.length > 0) await this.#countForOwner(owner, uncountedEnds)
    }
  }

  /** Counts one of the first events of a day. Returns false if it is unclear whether the event is counted. */
  async #countOne(owner: string, jobEnd: JobEnd, isExcluded: boolean): Promise<boolean> {
    const { table } = this.#deps
    const ids = new Set([jobEnd.id])
    const { applied, item } = await table.update(
      getOwnerDayKey(owner, getDay(jobEnd.timestamp)),
      { add: countForOwner(jobEnd), collect: { ids }, set: { ttl: getExpiryOfCounts() } },
      { condition: { lacks: { ids }, absent: ['hasOtherIds'], below: { jobs: maxIdsOfDay } } },
    )
    if (!applied) return listIds(item).includes(jobEnd.id)
    const [engineKey, counts] = createServiceCounts([jobEnd], isExcluded)[0] ?? []
    if (engineKey && counts)
      await table.update(engineKey, { add: counts, set: { ttl: getExpiryOfCounts() } }, { condition: {} })
    return true
  }

  async #findUncounted(owner: string, transactionEnds: readonly JobEnd[]): Promise<JobEnd[]> {
    const keys = removeDuplicateKeys(
      transactionEnds.flatMap(({ timestamp }) => [
        getCountedEventsKey(owner, timestamp),
        getOwnerDayKey(owner, getDay(timestamp)),
      ]),
    )
    const countedItems = await this.#deps.table.getAll(keys)
    const countedIds = new Set(countedItems.flatMap(listIds))
    return transactionEnds.filter(({ id }) => !countedIds.has(id))
  }
}

function createWrites(owner: string, transactionEnds: readonly JobEnd[], isExcluded: boolean): Write[] {
  const set = { ttl: getExpiryOfCounts() }
  const endsBySecond = groupByKey(transactionEnds, ({ timestamp }) => getCountedEventsKey(owner, timestamp))
  const endsByDay = groupByKey(transactionEnds, ({ timestamp }) => getOwnerDayKey(owner, getDay(timestamp)))
  return [
    ...endsBySecond.map(([key, groupEnds]): Write => {
      const ids = getIds(groupEnds)
      return {
        update: key,
        change: { collect: { ids }, set: { ttl: secondsFromNow(dedupeDays * dayS) } },
        if: { lacks: { ids } },
      }
    }),
    ...endsByDay.map(
      ([key, ended]): Write => ({
        update: key,
        // From now on, the ids of this day are stored in separate records.
        change: { add: sumCounts(ended.map(countForOwner)), set: { ...set, hasOtherIds: true } },
        if: { lacks: { ids: getIds(ended) } },
      }),
    ),
    ...createServiceCounts(transactionEnds, isExcluded).map(
      ([key, counts]): Write => ({ update: key, change: { add: counts, set }, if: {} }),
    ),
  ]
}

/** Returns the counts for the statistics of the service, by the key of their record. */
function createServiceCounts(ends: readonly JobEnd[], isExcluded: boolean): [Key, UsageCounts][] {
  const shard = pickRandomShard()
  const endsByEngine = groupByKey(ends, ({ timestamp, share }) =>
    getEngineDayKey(getDay(timestamp), isExcluded ? excludedEngine : (share.engine ?? noEngine), shard),
  )
  return endsByEngine.map(([key, ended]) => [
    key,
    sumCounts(ended.map(isExcluded ? countOnlyJob : countForService)),
  ])
}

const secondsFromNow = (seconds: number) => Math.floor(Date.now() / 1000) + seconds
const getExpiryOfCounts = () => secondsFromNow(usageLifetimeS)
const getIds = (ends: readonly JobEnd[]): ReadonlySet<string> => new Set(ends.map(({ id }) => id))
const listIds = (item: Item | undefined): unknown[] => (item?.['ids'] instanceof Set ? [...item['ids']] : [])

const countOnlyJob = (): UsageCounts => ({ jobs: 1 })

const getKeyName = ({ pk, sk }: Key) => `${pk} ${sk}`
const removeDuplicateKeys = (keys: readonly Key[]): Key[] => [
  ...new Map(keys.map((key) => [getKeyName(key), key])).values(),
]

function groupByKey(allEnds: readonly JobEnd[], getKey: (jobEnd: JobEnd) => Key): [Key, JobEnd[]][] {
  const foundGroups = new Map<string, [Key, JobEnd[]]>()
  for (const jobEnd of allEnds) {
    const key = getKey(jobEnd)
    const group = foundGroups.get(getKeyName(key)) ?? [key, []]
    group[1].push(jobEnd)
    foundGroups.set(getKeyName(key), group)
  }
  return [...foundGroups.values()]
}
