import type { BusEvent } from '../../events/index.ts'
import { TtlCache } from '../async/ttl-cache.ts'
import { maxDelayS, type Queues } from '../aws/queues.ts'
import type { Table } from '../aws/table.ts'
import { subscriberCacheMs } from '../model/subscriber-cache.ts'
import { DeliveryStore } from './deliveries.ts'
import {
  type Delivery,
  type DeliveryMessage,
  deriveDeliveryId,
  hasGaplessSequence,
  newDelivery,
} from './delivery.ts'
import { EventLog } from './event-log.ts'
import { WebhookStore } from './store.ts'
import {
  getWebhookIdOfJob,
  isSubscribedTo,
  needsEvent,
  receivesTerminalEventsOnly,
  type Webhook,
} from './webhook.ts'

/**
 * Sends a message to the delivery queue. Each webhook is a message group, so that a busy webhook does not delay the
 * others.
 */
export const sendDelivery = (queues: Queues, message: DeliveryMessage, delayS = 0): Promise<void> =>
  queues.sendOne('delivery', message, { group: message.webhookId, delayS: Math.min(maxDelayS, delayS) })

/** Creates the message that drains a lane or, if no order is needed, sends the single delivery. */
function createMessage(webhook: Webhook, event: BusEvent): DeliveryMessage {
  const lane = { webhookId: webhook.id, stream: event.stream }
  if (!receivesTerminalEventsOnly(webhook)) return lane
  return { ...lane, only: { id: deriveDeliveryId(webhook, event), sequence: event.sequence, attempt: 0 } }
}

/** Creates the deliveries of events. */
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

  /** Dispatches an event. If it is dispatched again, the deliveries are the same and are triggered again. */
  async dispatch(event: BusEvent, now = new Date()): Promise<void> {
    const { stream } = event
    const ownedWebhooks = await this.#webhookCache.get(event.owner, () => this.#webhooks.list(event.owner))
    const candidates = [...ownedWebhooks, ...(await this.#jobWebhook(event))]
    if (!candidates.some((webhook) => needsEvent(webhook, event.event))) return
    const enabledWebhooks = candidates.filter((webhook) => webhook.enabled)
    const subscribedWebhooks = enabledWebhooks.filter((webhook) => isSubscribedTo(webhook, event.event))
    await Promise.all(subscribedWebhooks.map((webhook) => this.#createDelivery(webhook, event, now)))
    await this.#events.store(event, now)
    // Later events may be waiting for this one, so its lanes are drained.
    const orderedWebhooks = enabledWebhooks.filter((webhook) => !receivesTerminalEventsOnly(webhook))
    const isLate =
      orderedWebhooks.length > 0 && hasGaplessSequence(stream) && (await this.#events.hasLater(event))
    const webhooksToNotify = enabledWebhooks.filter(
      (webhook) => subscribedWebhooks.includes(webhook) || (isLate && orderedWebhooks.includes(webhook)),
    )
    const messages = webhooksToNotify.map((webhook) => ({
      message: createMessage(webhook, event),
      group: webhook.id,
    }))
    await this.#queues.sendEach('delivery', messages)
  }

  async #jobWebhook({ stream, hasWebhook }: BusEvent): Promise<Webhook[]> {
    const webhook = hasWebhook && (await this.#webhooks.find(getWebhookIdOfJob(stream)))
    return webhook ? [webhook] : []
  }

  #createDelivery(webhook: Webhook, event: BusEvent, now: Date): Promise<boolean> {
    const delivery: Delivery = newDelivery(webhook, event, now)
    return event.event === 'job.progress'
      ? this.#deliveries.createProgress(delivery, new Date(event.timestamp))
      : this.#deliveries.create(delivery)
  }
}
