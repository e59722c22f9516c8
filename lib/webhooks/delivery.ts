import * as z from 'zod'
import type { BusEvent } from '../../events/index.ts'
import type { Key } from '../aws/table.ts'
import { deriveId } from '../ids.ts'
import { getCurrentTraceparent } from '../trace.ts'
import { defined } from '../validation/defined.ts'
import { deliveryLifetimeS, type Webhook } from './webhook.ts'

/**
 * A lane consists of the deliveries of one stream, such as the events of a job, to one webhook. They are in one
 * partition, and their first attempts are made one after another.
 */

const Timestamp = z.iso.datetime()

export const DeliveryAttempt = z.object({
  attempt: z.int(),
  at: Timestamp,
  responseStatus: z.int().optional(),
  error: z.string().optional(),
  durationMs: z.int(),
})
export type DeliveryAttempt = z.infer<typeof DeliveryAttempt>

export const DeliveryStatus = z.enum(['pending', 'succeeded', 'failed'])

/** The delivery of an event to a webhook. */
export const Delivery = z.object({
  id: z.string(),
  webhookId: z.string(),
  stream: z.string(),
  sequence: z.int(),
  eventId: z.string(),
  event: z.string(),
  status: DeliveryStatus,
  /** Number of attempts made so far. */
  attempt: z.int(),
  /** Number of attempts that were made before the last redelivery was requested. */
  from: z.int(),
  /** Set if the delivery is not retried, because later events supersede it. */
  once: z.boolean().optional(),
  /** Set for a test delivery, which is sent even if the webhook is disabled. */
  test: z.boolean().optional(),
  attempts: z.array(DeliveryAttempt),
  responseStatus: z.int().optional(),
  responseBody: z.string().optional(),
  error: z.string().optional(),
  nextAttemptAt: Timestamp.optional(),
  /** End of the time for which a process has claimed the retry. */
  busyUntil: Timestamp.optional(),
  /** W3C Trace Context of the event. */
  traceparent: z.string().optional(),
  createdAt: Timestamp,
  /** When the delivery is checked even if its queue message was lost. */
  wakeAt: Timestamp.optional(),
  /** When the table deletes the record, in seconds since 1970. */
  ttl: z.int(),
})
export type Delivery = z.infer<typeof Delivery>

export interface Lane {
  readonly webhookId: string
  readonly stream: string
}
export type DeliveryRef = Pick<Delivery, 'webhookId' | 'stream' | 'sequence' | 'id'>

/** A stored event, for deliveries and redeliveries. */
export const StoredEvent = z.object({
  id: z.string(),
  owner: z.string(),
  stream: z.string(),
  sequence: z.int(),
  event: z.string(),
  /** The event as JSON, as sent to subscribers. */
  body: z.string(),
  ttl: z.int(),
})
export type StoredEvent = z.infer<typeof StoredEvent>

/** Queue message: either a lane to drain, or one delivery that needs no order or is due for a retry. */
export const DeliveryMessage = z.object({
  webhookId: z.string(),
  stream: z.string(),
  only: z.object({ id: z.string(), sequence: z.int(), attempt: z.int() }).optional(),
  /** Number of times the message was deferred because the receiver was at its concurrency limit. */
  deferred: z.int().optional(),
})
export type DeliveryMessage = z.infer<typeof DeliveryMessage>

const padSequence = (sequence: number) => String(sequence).padStart(16, '0')
const deliveryPrefix = 'DELIVERY#'

export const getLanePartition = ({ webhookId, stream }: Lane) => `LANE#${webhookId}#${stream}`
export const getLaneKey = (lane: Lane): Key => ({ pk: getLanePartition(lane), sk: 'LANE' })
export const getDeliveryKey = ({ sequence, id, ...lane }: DeliveryRef): Key => ({
  pk: getLanePartition(lane),
  sk: `${deliveryPrefix}${padSequence(sequence)}#${id}`,
})
export const deliveriesPrefix = deliveryPrefix
export const parseLaneId = (id: string): Lane => {
  const at = id.indexOf('#')
  return { webhookId: id.slice(0, at), stream: id.slice(at + 1) }
}
/** Returns the key of a webhook's deliveries in the list index. */
export const getDeliveryListKey = (webhookId: string) => `DELIVERIES#${webhookId}`
export const getEventListKey = (owner: string) => `EVENTS#${owner}`

export const getStreamPartition = (stream: string) => `STREAM#${stream}`
export const createEventSortPrefix = (sequence: number) => `EVENT#${padSequence(sequence)}#`
export const getEventKey = ({
  stream,
  sequence,
  id,
}: Pick<StoredEvent, 'stream' | 'sequence' | 'id'>): Key => ({
  pk: getStreamPartition(stream),
  sk: `${createEventSortPrefix(sequence)}${id}`,
})

/** Whether the sequence numbers of a stream have no gaps, so that a missing event can be detected. */
export const hasGaplessSequence = (stream: string) => stream.startsWith('job_')

export const getTimestampAfter = (now: Date, seconds: number) =>
  new Date(now.getTime() + seconds * 1000).toISOString()
/** Seconds after which the sweep finds a delivery whose queue message was lost. */
export const recheckS = 60

/** Derives the id of a delivery, so that an event that is published twice has one delivery. */
export const deriveDeliveryId = (
  { id }: Pick<Webhook, 'id'>,
  event: Pick<BusEvent, 'id' | 'timestamp'>,
): string => deriveId('whd', new Date(event.timestamp), id, event.id)

/** Creates the delivery of an event to a webhook; repeated calls return the same id. */
export function newDelivery(
  webhook: Pick<Webhook, 'id'>,
  event: Pick<BusEvent, 'id' | 'event' | 'timestamp' | 'stream' | 'sequence'>,
  now: Date,
): Delivery {
  const { id: eventId, event: name, stream, sequence } = event
  return {
    id: deriveDeliveryId(webhook, event),
    webhookId: webhook.id,
    stream,
    sequence,
    eventId,
    event: name,
    status: 'pending',
    attempt: 0,
    from: 0,
    attempts: [],
    ...(name === 'job.progress' && { once: true }),
    ...defined({ traceparent: getCurrentTraceparent() }),
    createdAt: now.toISOString(),
    wakeAt: getTimestampAfter(now, recheckS),
    ttl: Math.floor(now.getTime() / 1000) + deliveryLifetimeS,
  }
}
