import { randomUUID } from 'node:crypto'
import type { Item, Table } from '../aws/table.ts'
import { getWakeShard } from '../jobs/keys.ts'
import {
  Delivery,
  type DeliveryRef,
  deliveriesPrefix,
  getDeliveryKey,
  getDeliveryListKey,
  getLaneKey,
  getLanePartition,
  type Lane,
} from './delivery.ts'

export type DeliveryChange = { readonly [Name in keyof Delivery]?: Delivery[Name] | undefined }

/** Duration of a lease on a lane, or on a retried delivery, in seconds; an attempt takes at most 15. */
const leaseDurationS = 25
/** Minimum interval between two progress events of a lane, in milliseconds. */
const minProgressIntervalMs = 5000

/** Loads the items of index entries, which contain only keys. */
export async function loadIndexedItems(items: readonly Item[], table: Table): Promise<Item[]> {
  if (items.length === 0) return []
  return table.getAll(items.map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) })))
}

const addMs = (now: Date, ms: number) => new Date(now.getTime() + ms).toISOString()
const parseDeliveries = (items: readonly Item[]) => items.map((item) => Delivery.parse(item))

/** Records of deliveries and of their lanes. */
export class DeliveryStore {
  readonly #table: Table

  constructor(table: Table) {
    this.#table = table
  }

  /** Stores a delivery; false if it already exists. */
  async create(delivery: Delivery): Promise<boolean> {
    const { applied } = await this.#table.put(toRecord(delivery), { condition: { exists: false } })
    return applied
  }

  /**
   * Stores the delivery of a progress event; false if it already exists, or if the lane got another progress event very
   * recently.
   * @param at time of the event.
   */
  createProgress(delivery: Delivery, at: Date): Promise<boolean> {
    const latestAllowedAt = addMs(at, -minProgressIntervalMs)
    return this.#table.transact([
      {
        update: getLaneKey(delivery),
        change: { set: { progressAt: at.toISOString(), ttl: delivery.ttl } },
        if: { either: [{ absent: ['progressAt'] }, { until: { progressAt: latestAllowedAt } }] },
      },
      { put: toRecord(delivery), if: { exists: false } },
    ])
  }

  async find(ref: DeliveryRef): Promise<Delivery | undefined> {
    const item = await this.#table.get(getDeliveryKey(ref))
    return item && Delivery.parse(item)
  }

  /** Returns all deliveries of a lane, in event order, except unreadable ones, which the sweep reports. */
  async listLane(lane: Lane): Promise<Delivery[]> {
    return (await this.readLane(lane)).deliveries
  }

  /** Returns the deliveries of a lane, and the sort keys of unreadable ones. */
  async readLane(lane: Lane): Promise<{ deliveries: Delivery[]; unreadable: string[] }> {
    const items = await this.#table.partition(getLanePartition(lane), deliveriesPrefix)
    const parsedItems = items.map((item) => ({ sk: String(item['sk']), ...Delivery.safeParse(item) }))
    return {
      deliveries: parsedItems.flatMap(({ data }) => data ?? []),
      unreadable: parsedItems.flatMap(({ sk, success }) => (success ? [] : [sk])),
    }
  }

  /** Returns a page of a webhook's deliveries, newest event first, starting before `before`. */
  async list(
    webhookId: string,
    { limit, before }: { readonly limit: number; readonly before?: string | undefined },
  ): Promise<{ deliveries: Delivery[]; next: string | undefined }> {
    const { items, next } = await this.#table.query({
      IndexName: 'byList',
      KeyConditionExpression: 'listKey = :list AND id < :before',
      ExpressionAttributeValues: { ':list': getDeliveryListKey(webhookId), ':before': before ?? '~' },
      ScanIndexForward: false,
      Limit: limit,
    })
    const deliveries = parseDeliveries(await loadIndexedItems(items, this.#table)).sort((a, b) =>
      a.id < b.id ? 1 : -1,
    )
    return { deliveries, next: next && deliveries.at(-1)?.id }
  }

  async findById(webhookId: string, id: string): Promise<Delivery | undefined> {
    const { items } = await this.#table.query({
      IndexName: 'byList',
      KeyConditionExpression: 'listKey = :list AND id = :id',
      ExpressionAttributeValues: { ':list': getDeliveryListKey(webhookId), ':id': id },
    })
    return parseDeliveries(await loadIndexedItems(items, this.#table))[0]
  }

  /**
   * Changes a delivery; undefined values remove attributes. Returns undefined if another attempt was made or the
   * delivery is gone.
   */
  async change(deliveryBefore: Delivery, change: DeliveryChange): Promise<Delivery | undefined> {
    const allChanges: Item = { ...change, ...createWakeShardChange(deliveryBefore, change) }
    const remove = Object.keys(allChanges).filter((name) => allChanges[name] === undefined)
    const { attempt, status } = deliveryBefore
    const { applied, item } = await this.#table.update(
      getDeliveryKey(deliveryBefore),
      { set: allChanges, remove },
      { condition: { equal: { attempt, status } } },
    )
    return applied ? Delivery.parse(item) : undefined
  }

  /** Claims a delivery for a retry, so that only one process makes the attempt. */
  async claim(
    { attempt, ...ref }: DeliveryRef & Pick<Delivery, 'attempt'>,
    now: Date,
  ): Promise<Delivery | undefined> {
    const { applied, item } = await this.#table.update(
      getDeliveryKey(ref),
      { set: { busyUntil: addMs(now, leaseDurationS * 1000) } },
      {
        condition: {
          equal: { attempt, status: 'pending' },
          either: [{ absent: ['busyUntil'] }, { until: { busyUntil: now.toISOString() } }],
        },
      },
    )
    return applied ? Delivery.parse(item) : undefined
  }

  /**
   * Takes the lease on a lane. Returns the lease and the sequence number up to which events were sent. Returns
   * undefined while another process has the lease; that process checks the lane once more before it releases the lease.
   */
  async acquireLane(
    lane: Lane,
    now: Date,
    ttl: number,
  ): Promise<{ lease: string; passed: number } | undefined> {
    for (let attempt = 0; attempt < 3; attempt++) {
      const lease = randomUUID()
      const { applied, item } = await this.#table.update(
        getLaneKey(lane),
        { set: { lease, leaseUntil: addMs(now, leaseDurationS * 1000), ttl }, remove: ['again'] },
        {
          condition: { either: [{ absent: ['lease'] }, { until: { leaseUntil: now.toISOString() } }] },
          writeMarker: { lease },
        },
      )
      if (applied) return { lease, passed: Number(item?.['passed'] ?? 0) }
      const laneResult = await this.#table.update(
        getLaneKey(lane),
        { set: { again: true } },
        { condition: { present: ['lease'] } },
      )
      if (laneResult.applied) return undefined
    }
    return undefined
  }

  /** Renews the lease on a lane; false if another process has taken it. */
  async renewLease(lane: Lane, lease: string, now: Date): Promise<boolean> {
    const { applied } = await this.#table.update(
      getLaneKey(lane),
      { set: { leaseUntil: addMs(now, leaseDurationS * 1000) } },
      { condition: { equal: { lease } } },
    )
    return applied
  }

  /** Releases the lease on a lane; false if something was added meanwhile, so that the lane has to be checked again. */
  async releaseLane(lane: Lane, lease: string, passedSequence: number): Promise<boolean> {
    const releaseResult = await this.#table.update(
      getLaneKey(lane),
      { set: { passed: passedSequence }, remove: ['lease', 'leaseUntil'] },
      { condition: { equal: { lease }, absent: ['again'] } },
    )
    if (releaseResult.applied || releaseResult.item?.['lease'] !== lease) return true
    await this.#table.update(getLaneKey(lane), { remove: ['again'] }, { condition: { equal: { lease } } })
    return false
  }
}

const toRecord = (delivery: Delivery) => ({
  ...getDeliveryKey(delivery),
  ...delivery,
  ...createWakeShardChange(delivery, delivery),
  listKey: getDeliveryListKey(delivery.webhookId),
})

/** Returns the change of the wake index, which only contains records with `wakeAt`. */
function createWakeShardChange({ id }: Pick<Delivery, 'id'>, change: DeliveryChange) {
  if (!('wakeAt' in change)) return {}
  return { wakeShard: change.wakeAt === undefined ? undefined : getWakeShard(id) }
}
