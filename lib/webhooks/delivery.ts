import * as z from 'zod'
import type { BusEvent } from '../../events/index.ts'
import type { Key } from '../aws/table.ts'
import { derivedId } from '../ids.ts'
import { deliveryLifetimeS, type Webhook } from './webhook.ts'

/**
 * Events of one stream, as a job, that go to one webhook form a lane: they stand in one partition, and their first attempts
 * leave one after the other.
 */

const Timestamp = z.iso.datetime()

export const Attempt = z.object({
  attempt: z.int(),
  at: Timestamp,
  responseStatus: z.int().optional(),
  error: z.string().optional(),
  durationMs: z.int(),
})
export type Attempt = z.infer<typeof Attempt>

export const DeliveryStatus = z.enum(['pending', 'succeeded', 'failed'])

/** An event on its way to a webhook. */
export const Delivery = z.object({
  id: z.string(),
  webhookId: z.string(),
  stream: z.string(),
  sequence: z.int(),
  eventId: z.string(),
  event: z.string(),
  status: DeliveryStatus,
  /** Attempts that were made; `from` of them before it was asked for once more. */
  attempt: z.int(),
  from: z.int(),
  /** It is not tried again: what comes after says more. */
  once: z.boolean().optional(),
  /** Somebody wants to see it arrive, whether the webhook is switched on or not. */
  test: z.boolean().optional(),
  attempts: z.array(Attempt),
  responseStatus: z.int().optional(),
  responseBody: z.string().optional(),
  error: z.string().optional(),
  nextAttemptAt: Timestamp.optional(),
  /** Until then somebody tries it again. */
  busyUntil: Timestamp.optional(),
  createdAt: Timestamp,
  /** When somebody must look even if no message comes. */
  wakeAt: Timestamp.optional(),
  /** Seconds since the epoch. */
  ttl: z.int(),
})
export type Delivery = z.infer<typeof Delivery>

export interface Lane {
  readonly webhookId: string
  readonly stream: string
}
export type DeliveryRef = Pick<Delivery, 'webhookId' | 'stream' | 'sequence' | 'id'>

/** An event as it is kept, to be sent and to be sent again. */
export const StoredEvent = z.object({
  id: z.string(),
  owner: z.string(),
  stream: z.string(),
  sequence: z.int(),
  event: z.string(),
  /** JSON, as subscribers get it. */
  body: z.string(),
  ttl: z.int(),
})
export type StoredEvent = z.infer<typeof StoredEvent>

/** What travels in the queue: a lane to go through, or one delivery that has no order to keep, or is due again. */
export const DeliveryMessage = z.object({
  webhookId: z.string(),
  stream: z.string(),
  only: z.object({ id: z.string(), sequence: z.int(), attempt: z.int() }).optional(),
  /** Times that it was put back because its receiver had enough to do. */
  deferred: z.int().optional(),
})
export type DeliveryMessage = z.infer<typeof DeliveryMessage>

const padSequence = (sequence: number) => String(sequence).padStart(16, '0')
const deliveryPrefix = 'DELIVERY#'

export const lanePartition = ({ webhookId, stream }: Lane) => `LANE#${webhookId}#${stream}`
export const laneKey = (lane: Lane): Key => ({ pk: lanePartition(lane), sk: 'LANE' })
export const deliveryKey = ({ sequence, id, ...lane }: DeliveryRef): Key => ({
  pk: lanePartition(lane),
  sk: `${deliveryPrefix}${padSequence(sequence)}#${id}`,
})
export const deliveriesPrefix = deliveryPrefix
export const parseLaneId = (id: string): Lane => {
  const at = id.indexOf('#')
  return { webhookId: id.slice(0, at), stream: id.slice(at + 1) }
}
/** In the index of lists. */
export const deliveryListKey = (webhookId: string) => `DELIVERIES#${webhookId}`
export const eventListKey = (owner: string) => `EVENTS#${owner}`

export const streamPartition = (stream: string) => `STREAM#${stream}`
export const eventSortPrefix = (sequence: number) => `EVENT#${padSequence(sequence)}#`
export const eventKey = ({ stream, sequence, id }: Pick<StoredEvent, 'stream' | 'sequence' | 'id'>): Key => ({
  pk: streamPartition(stream),
  sk: `${eventSortPrefix(sequence)}${id}`,
})

/** Streams whose numbers have no gaps, so that it shows when one is missing. */
export const hasGaplessSequence = (stream: string) => stream.startsWith('job_')

export const timestampAfter = (now: Date, seconds: number) =>
  new Date(now.getTime() + seconds * 1000).toISOString()
/** Seconds after which somebody looks at what no message may be there for. */
export const recheckS = 60

/** However often an event comes. */
export const deliveryId = ({ id }: Pick<Webhook, 'id'>, event: Pick<BusEvent, 'id' | 'timestamp'>): string =>
  derivedId('whd', new Date(event.timestamp), id, event.id)

/** The first of this event to that webhook: however often it is made, it is the same. */
export function newDelivery(
  webhook: Pick<Webhook, 'id'>,
  event: Pick<BusEvent, 'id' | 'event' | 'timestamp' | 'stream' | 'sequence'>,
  now: Date,
): Delivery {
  const { id: eventId, event: name, stream, sequence } = event
  return {
    id: deliveryId(webhook, event),
    ...{ webhookId: webhook.id, stream, sequence, eventId, event: name },
    ...{ status: 'pending', attempt: 0, from: 0, attempts: [] },
    ...(name === 'job.progress' && { once: true }),
    createdAt: now.toISOString(),
    wakeAt: timestampAfter(now, recheckS),
    ttl: Math.floor(now.getTime() / 1000) + deliveryLifetimeS,
  }
}
