import type { BusEvent } from '../../events/index.ts'
import { maxDelayS, type Queues } from '../aws/queues.ts'
import type { Table } from '../aws/table.ts'
import { subscriberCacheMs } from '../subscriber-cache.ts'
import { TtlCache } from '../ttl-cache.ts'
import { DeliveryStore } from './deliveries.ts'
import {
  type Delivery,
  type DeliveryMessage,
  deliveryId,
  hasGaplessSequence,
  newDelivery,
} from './delivery.ts'
import { EventLog } from './event-log.ts'
import { WebhookStore } from './store.ts'
import {
  isSubscribedTo,
  needsEvent,
  receivesTerminalEventsOnly,
  type Webhook,
  webhookIdOfJob,
} from './webhook.ts'

/** Puts one message into the queue of deliveries. Receivers are groups of it: a busy one does not hold up the others. */
export const sendDelivery = (queues: Queues, message: DeliveryMessage, delayS = 0): Promise<void> =>
  queues.sendOne('delivery', message, { group: message.webhookId, delayS: Math.min(maxDelayS, delayS) })

/** To go through its lane; where there is no order to be kept, straight to the delivery. */
function createMessage(webhook: Webhook, event: BusEvent): DeliveryMessage {
  const lane = { webhookId: webhook.id, stream: event.stream }
  if (!receivesTerminalEventsOnly(webhook)) return lane
  return { ...lane, only: { id: deliveryId(webhook, event), sequence: event.sequence, attempt: 0 } }
}

/** Makes deliveries of events. */
export class Dispatcher {
  readonly #webhooks: WebhookStore
  readonly #webhookCache = new TtlCache<Webhook[]>(subscriberCacheMs)
  readonly #deliveries: DeliveryStore
  readonly #events: EventLog
  readonly #queues: Queues

  constructor({ table, queues }: { readonly table: Table; readonly queues: Queues }) {
    this.#webhooks = new WebhookStore(table)
    this.#deliveries = new DeliveryStore(table)
    this.#events = new EventLog(table)
    this.#queues = queues
  }

  /** An event that comes again leads to the same deliveries, and wakes them once more. */
  async dispatch(event: BusEvent, now = new Date()): Promise<void> {
    const { stream } = event
    const owned = await this.#webhookCache.get(event.owner, () => this.#webhooks.list(event.owner))
    const candidates = [...owned, ...(await this.#jobWebhook(event))]
    if (!candidates.some((webhook) => needsEvent(webhook, event.event))) return
    const enabled = candidates.filter((webhook) => webhook.enabled)
    const subscribed = enabled.filter((webhook) => isSubscribedTo(webhook, event.event))
    await Promise.all(subscribed.map((webhook) => this.#createDelivery(webhook, event, now)))
    await this.#events.store(event, now)
    // Who has waited for this one does not know that it came.
    const ordered = enabled.filter((webhook) => !receivesTerminalEventsOnly(webhook))
    const isLate = ordered.length > 0 && hasGaplessSequence(stream) && (await this.#events.hasLater(event))
    const notified = enabled.filter(
      (webhook) => subscribed.includes(webhook) || (isLate && ordered.includes(webhook)),
    )
    const messages = notified.map((webhook) => ({
      message: createMessage(webhook, event),
      group: webhook.id,
    }))
    await this.#queues.sendEach('delivery', messages)
  }

  async #jobWebhook({ stream, hasWebhook }: BusEvent): Promise<Webhook[]> {
    const webhook = hasWebhook && (await this.#webhooks.find(webhookIdOfJob(stream)))
    return webhook ? [webhook] : []
  }

  #createDelivery(webhook: Webhook, event: BusEvent, now: Date): Promise<boolean> {
    const delivery: Delivery = newDelivery(webhook, event, now)
    return event.event === 'job.progress'
      ? this.#deliveries.createProgress(delivery, new Date(event.timestamp))
      : this.#deliveries.create(delivery)
  }
}
