import { type BusEvent, toPublicEvent } from '../../events/index.ts'
import { TtlCache } from '../async/ttl-cache.ts'
import type { Item, Table } from '../aws/table.ts'
import { subscriberCacheMs } from '../model/subscriber-cache.ts'
import { loadIndexedItems } from './deliveries.ts'
import {
  createEventSortPrefix,
  type Delivery,
  getEventKey,
  getEventListKey,
  getStreamPartition,
  StoredEvent,
} from './delivery.ts'
import { deliveryLifetimeS } from './webhook.ts'

/** Stores the events of owners with webhooks, for deliveries and redeliveries. */
export class EventLog {
  readonly #table: Table

  /** Cache of events, because one event is sent to several webhooks. */
  readonly #cache = new TtlCache<StoredEvent | undefined>(subscriberCacheMs)

  constructor(table: Table) {
    this.#table = table
  }

  /** Stores an event. Call it after its deliveries were created, so that every stored event has its deliveries. */
  async store(event: BusEvent, now: Date, isListed = true): Promise<void> {
    const { id, owner, stream, sequence, event: name } = event
    const storedEvent: StoredEvent = {
      id,
      owner,
      stream,
      sequence,
      event: name,
      body: JSON.stringify(toPublicEvent(event)),
      ttl: Math.floor(now.getTime() / 1000) + deliveryLifetimeS,
    }
    await this.#table.put({
      ...getEventKey(storedEvent),
      ...storedEvent,
      ...(isListed && { listKey: getEventListKey(owner) }),
    })
  }

  /** Returns the events of a stream from one sequence number to another (both inclusive). */
  async readRange(stream: string, from: number, to: number): Promise<StoredEvent[]> {
    const foundItems: Item[] = []
    let start: Item | undefined
    do {
      const { items, next } = await this.#table.query({
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
        ExpressionAttributeValues: {
          ':pk': getStreamPartition(stream),
          ':from': createEventSortPrefix(from),
          ':to': `${createEventSortPrefix(to)}~`,
        },
        ConsistentRead: true,
        ExclusiveStartKey: start,
      })
      foundItems.push(...items)
      start = next
    } while (start)
    return foundItems.map((item) => StoredEvent.parse(item))
  }

  find(ref: Pick<Delivery, 'stream' | 'sequence' | 'eventId'>): Promise<StoredEvent | undefined> {
    const key = getEventKey({ ...ref, id: ref.eventId })
    return this.#cache.get(`${key.pk} ${key.sk}`, async () => {
      const item = await this.#table.get(key)
      return item && StoredEvent.parse(item)
    })
  }

  /** Whether a later event of the same stream is already stored. */
  async hasLater({ stream, sequence }: Pick<BusEvent, 'stream' | 'sequence'>): Promise<boolean> {
    const { items } = await this.#table.query({
      KeyConditionExpression: 'pk = :pk AND sk > :sort',
      ExpressionAttributeValues: {
        ':pk': getStreamPartition(stream),
        ':sort': `${createEventSortPrefix(sequence)}~`,
      },
      ConsistentRead: true,
      Limit: 1,
    })
    return items.length > 0
  }

  /** Returns an owner's events, oldest first. @param sinceId id of the last known event, or the id prefix of a time. */
  async listSince(owner: string, sinceId: string, limit: number): Promise<StoredEvent[]> {
    const { items } = await this.#table.query({
      IndexName: 'byList',
      KeyConditionExpression: 'listKey = :list AND id > :since',
      ExpressionAttributeValues: { ':list': getEventListKey(owner), ':since': sinceId },
      Limit: limit,
    })
    const events = (await loadIndexedItems(items, this.#table)).map((item) => StoredEvent.parse(item))
    return events.sort((a, b) => (a.id < b.id ? -1 : 1))
  }
}
