import { EventEmitter, once } from 'node:events'
import * as z from 'zod'
import { type BusEvent, type ServiceEvent, toPublicEvent } from '../../events/index.ts'
import { getOwnedCountsKey } from '../aws/owned-records.ts'
import type { Item, Key, Table, Write } from '../aws/table.ts'
import type { Condition } from '../aws/table-expressions.ts'
import { subscriberCacheMs, waitForCacheExpiry } from '../model/subscriber-cache.ts'

/**
 * The numbered events of an owner, in the order received. They are stored while a client is watching, so that missed
 * events can be sent. An owner without watching clients has no feed.
 */

/**
 * The record of a feed. Its event numbers start at the time of its creation in milliseconds, so that a later feed of
 * the same owner never reuses a number.
 */
const Feed = z.object({
  first: z.int(),
  last: z.int(),
  /** Number of the last event that was sent to the sockets. */
  sent: z.int(),
  /** When the feed ends, in milliseconds since 1970; later events are not stored. */
  until: z.int(),
})
export type Feed = z.infer<typeof Feed>

export interface FeedEntry {
  readonly seq: number
  readonly event: ServiceEvent
  readonly stream: string
}

/**
 * How long events are stored after a client connects: a connection lasts at most two hours, and a client that
 * reconnects within another hour misses nothing.
 */
const watchDurationMs = 3 * 3600_000
/** Maximum number of events in one write. */
const maxEventsPerWrite = 40
/** A client that missed more events than this gets a snapshot instead. */
const maxMissedEvents = 1000
/**
 * Duration of a lease for sending to an owner's sockets. If the process that holds it dies, other processes have to
 * wait this long.
 */
const leaseMs = 5000
const maxWriteAttempts = 20

/** Emits an owner when this process appends events to their feed; other processes poll. */
const appendEmitter = new EventEmitter().setMaxListeners(0)

export const getLivePartition = (owner: string) => `LIVE#${owner}`
const getFeedKey = (owner: string): Key => ({ pk: getLivePartition(owner), sk: 'FEED' })
const padSequence = (seq: number) => String(seq).padStart(16, '0')
const getEntryKey = (owner: string, seq: number): Key => ({
  pk: getLivePartition(owner),
  sk: `E#${padSequence(seq)}`,
})
const getEventIdKey = (owner: string, id: string): Key => ({ pk: getLivePartition(owner), sk: `ID#${id}` })
const toSeconds = (ms: number) => Math.ceil(ms / 1000)

/** The feed if the lease was acquired, `taken` if another process holds it, undefined if there is no feed. */
type AcquiredFeed = Feed | 'taken' | undefined

const toIsoString = (ms: number) => new Date(ms).toISOString()
const createLease = (holder: string, now: number) => ({ holder, heldUntil: toIsoString(now + leaseMs) })
const createFreeCondition = (holder: string, now: number): Condition[] => [
  { absent: ['holder'] },
  { equal: { holder } },
  { until: { heldUntil: toIsoString(now) } },
]

/**
 * Returns the key of the record that says until when a feed is watched. The record is next to the counts, so that one
 * query reads both.
 */
const getWatchKey = (owner: string): Key => {
  const { pk, sk } = getOwnedCountsKey(owner)
  return { pk, sk: `${sk}#WATCHED` }
}

/** Reads the counts, and whether a feed is watched. One query costs half as much as reading two records. */
export async function readWatchAndCounts(table: Table, owner: string, now = Date.now()) {
  const counts = getOwnedCountsKey(owner)
  const items = await table.partition(counts.pk, counts.sk)
  const watch = items.find(({ sk }) => sk !== counts.sk)
  return { isWatched: Number(watch?.['until'] ?? 0) > now, counts: items.find(({ sk }) => sk === counts.sk) }
}

export class EventFeeds {
  readonly #table: Table

  constructor(table: Table) {
    this.#table = table
  }

  async read(owner: string): Promise<Feed | undefined> {
    const item = await this.#table.get(getFeedKey(owner))
    return item && Feed.parse(item)
  }

  /** Starts or extends the feed; events are stored from the time this returns. */
  async watch(owner: string, now = Date.now()): Promise<Feed> {
    const watchUntil = now + watchDurationMs
    const expiry = { until: watchUntil, ttl: toSeconds(watchUntil) }
    // This record is written before the feed, because events for a feed that was not started are dropped.
    await this.#table.put({ ...getWatchKey(owner), ...expiry })
    for (let attempt = 0; attempt < maxWriteAttempts; attempt++) {
      const feed = await this.read(owner)
      const isRunning = feed !== undefined && feed.until > now
      // After the end of a feed, events were not stored, so a new feed does not continue it.
      const newFeed = { first: now, last: now, sent: now, ...expiry }
      const { applied, item } = isRunning
        ? await this.#table.update(
            getFeedKey(owner),
            { set: expiry },
            { condition: { equal: { first: feed.first } } },
          )
        : await this.#table.put(
            { ...getFeedKey(owner), ...newFeed },
            { condition: feed ? { equal: { until: feed.until } } : { exists: false } },
          )
      if (!applied) continue
      const watchedFeed = Feed.parse(item)
      if (now - watchedFeed.first < subscriberCacheMs) await waitForCacheExpiry()
      return watchedFeed
    }
    throw new Error('gave up after repeated write conflicts on the feed of an owner')
  }

  /**
   * Numbers new events in the given order and, in the same transaction, acquires the lease if it is free, like
   * `acquire`. Returns undefined if no client is watching.
   */
  async append(owner: string, events: readonly BusEvent[], holder: string): Promise<AcquiredFeed> {
    let acquiredFeed: AcquiredFeed
    for (let at = 0; at < events.length; at += maxEventsPerWrite) {
      acquiredFeed = await this.#appendBatch(owner, events.slice(at, at + maxEventsPerWrite), holder)
      if (!acquiredFeed) return undefined
    }
    appendEmitter.emit(owner)
    return acquiredFeed
  }

  async #appendBatch(owner: string, events: readonly BusEvent[], holder: string): Promise<AcquiredFeed> {
    const now = Date.now()
    for (let attempt = 0; attempt < maxWriteAttempts; attempt++) {
      const items = await this.#table.getAll([
        getFeedKey(owner),
        ...[...new Set(events.map(({ id }) => id))].map((id) => getEventIdKey(owner, id)),
      ])
      const feedItem = items.find(({ sk }) => sk === 'FEED')
      const feed = feedItem && Feed.parse(feedItem)
      if (!feed || feed.until <= now) return undefined
      const knownKeys = new Set(items.map(({ sk }) => String(sk)))
      const freshEvents = events.filter(
        ({ id }, at) =>
          !knownKeys.has(getEventIdKey(owner, id).sk) && events.findIndex((other) => other.id === id) === at,
      )
      if (freshEvents.length === 0) return 'taken'
      const lastNumber = feed.last + freshEvents.length
      const { holder: otherHolder, heldUntil = '' } = feedItem
      const isFree =
        otherHolder === undefined || otherHolder === holder || String(heldUntil) <= toIsoString(now)
      const ttl = toSeconds(feed.until)
      const writes = freshEvents.flatMap((event, at): Write[] => {
        const seq = feed.last + 1 + at
        // The event is stored as text, which keeps the order of its fields.
        const feedEntry = { seq, event: JSON.stringify(toPublicEvent(event)), stream: event.stream }
        return [
          { put: { ...getEntryKey(owner, seq), ...feedEntry, ttl } },
          { put: { ...getEventIdKey(owner, event.id), ttl } },
        ]
      })
      const advanceWrite: Write = {
        update: getFeedKey(owner),
        change: {
          set: { last: lastNumber, ...(isFree && createLease(holder, now)) },
          remove: isFree ? ['again'] : [],
        },
        if: {
          equal: { last: feed.last, first: feed.first },
          ...(isFree && { either: createFreeCondition(holder, now) }),
        },
      }
      if (await this.#table.transact([advanceWrite, ...writes]))
        return isFree ? { ...feed, last: lastNumber } : 'taken'
    }
    throw new Error('gave up after repeated write conflicts while numbering events')
  }

  /** Returns the events after `seq`, up to and including `to`. Undefined if some are missing or there are too many. */
  async readMissedEntries(
    owner: string,
    seq: number,
    { first, last }: Feed,
    to = last,
  ): Promise<FeedEntry[] | undefined> {
    const count = to - seq
    if (count <= 0) return seq <= last ? [] : undefined
    if (seq < first || count > maxMissedEvents) return undefined
    const entries = await this.readRange(owner, seq, to)
    return entries.length === count ? entries : undefined
  }

  async readRange(owner: string, afterNumber: number, to: number): Promise<FeedEntry[]> {
    const entries: FeedEntry[] = []
    let from: Item | undefined
    do {
      const page = await this.#table.query({
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
        ExpressionAttributeValues: {
          ':pk': getLivePartition(owner),
          ':from': getEntryKey(owner, afterNumber + 1).sk,
          ':to': getEntryKey(owner, to).sk,
        },
        ConsistentRead: true,
        ExclusiveStartKey: from,
      })
      entries.push(...page.items.map(toFeedEntry))
      from = page.next
    } while (from)
    return entries
  }

  /** Acquires the lease for sending to an owner's sockets, if it is free. */
  async acquire(owner: string, holder: string, now = Date.now()): Promise<AcquiredFeed> {
    const { applied, item } = await this.#table.update(
      getFeedKey(owner),
      { set: createLease(holder, now), remove: ['again'] },
      { condition: { exists: true, either: createFreeCondition(holder, now) }, writeMarker: { holder } },
    )
    if (!item) return undefined
    return applied ? Feed.parse(item) : 'taken'
  }

  /**
   * Asks the process that holds the lease to send once more before releasing it. Returns false if no process holds it.
   */
  async requestRound(owner: string): Promise<boolean> {
    const { applied } = await this.#table.update(
      getFeedKey(owner),
      { set: { again: true } },
      { condition: { exists: true, present: ['holder'] } },
    )
    return applied
  }

  /**
   * Releases the lease; events up to `sent` were sent. If another process asked for a further round, extends the lease
   * and returns the feed.
   */
  async release(
    owner: string,
    holder: string,
    sentNumber: number,
    now = Date.now(),
  ): Promise<Feed | undefined> {
    const set = { sent: sentNumber }
    const { applied, item } = await this.#table.update(
      getFeedKey(owner),
      { set, remove: ['holder', 'heldUntil'] },
      { condition: { exists: true, equal: { holder }, absent: ['again'] } },
    )
    if (applied || item?.['holder'] !== holder) return undefined
    const extendedFeed = await this.#table.update(
      getFeedKey(owner),
      { set: { ...set, ...createLease(holder, now) }, remove: ['again'] },
      { condition: { exists: true, equal: { holder } } },
    )
    return extendedFeed.applied ? Feed.parse(extendedFeed.item) : undefined
  }

  /** Releases the lease even if another process asked for a further round. */
  async abandon(owner: string, holder: string): Promise<void> {
    await this.#table.update(
      getFeedKey(owner),
      { remove: ['holder', 'heldUntil', 'again'] },
      { condition: { exists: true, equal: { holder } } },
    )
  }
}

/** Parses an entry written by `append`. */
const toFeedEntry = ({ seq, event, stream }: Item): FeedEntry => ({
  seq: Number(seq),
  stream: String(stream),
  event: JSON.parse(String(event)) as ServiceEvent, // an event of the bus
})

/** Resolves when this process appends to an owner's feed, or after the timeout. */
export async function waitForAppend(owner: string, timeoutMs: number): Promise<void> {
  const waitController = new AbortController()
  const timer = setTimeout(() => waitController.abort(), timeoutMs)
  await once(appendEmitter, owner, { signal: waitController.signal }).catch(() => undefined)
  clearTimeout(timer)
}
