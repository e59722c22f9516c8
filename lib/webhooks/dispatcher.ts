import type { BusEvent } from '../../events/index.ts'
import { mostDelayS, type Queues } from '../aws/queues.ts'
import type { Table } from '../aws/table.ts'
import { believedMs } from '../subscriber-cache.ts'
import { ShortMemory } from '../ttl-cache.ts'
import { DeliveryStore } from './deliveries.ts'
import { type Delivery, type DeliveryMessage, deliveryId, isGapless, newDelivery } from './delivery.ts'
import { EventLog } from './event-log.ts'
import { WebhookStore } from './store.ts'
import { hearsOnlyEnds, isFor, type Webhook, wants, webhookIdOfJob } from './webhook.ts'

/** Puts one message into the queue of deliveries. Receivers are groups of it: a busy one does not hold up the others. */
export const sendDelivery = (queues: Queues, message: DeliveryMessage, delayS = 0): Promise<void> =>
  queues.sendOne('delivery', message, { group: message.webhookId, delayS: Math.min(mostDelayS, delayS) })

/** To go through its lane; where there is no order to be kept, straight to the delivery. */
function messageTo(webhook: Webhook, event: BusEvent): DeliveryMessage {
  const lane = { webhookId: webhook.id, stream: event.stream }
  if (!hearsOnlyEnds(webhook)) return lane
  return { ...lane, only: { id: deliveryId(webhook, event), sequence: event.sequence, attempt: 0 } }
}

/** Makes deliveries of events. */
export class Dispatcher {
  readonly #webhooks: WebhookStore
  readonly #ofOwners = new ShortMemory<Webhook[]>(believedMs)
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
    const ofOwner = await this.#ofOwners.get(event.owner, () => this.#webhooks.list(event.owner))
    const listening = [...ofOwner, ...(await this.#ofJob(event))]
    if (!listening.some((webhook) => isFor(webhook, event.event))) return
    const enabled = listening.filter((webhook) => webhook.enabled)
    const wanted = enabled.filter((webhook) => wants(webhook, event.event))
    await Promise.all(wanted.map((webhook) => this.#make(webhook, event, now)))
    await this.#events.keep(event, now)
    // Who has waited for this one does not know that it came.
    const inLanes = enabled.filter((webhook) => !hearsOnlyEnds(webhook))
    const isLate = inLanes.length > 0 && isGapless(stream) && (await this.#events.hasLater(event))
    const woken = enabled.filter(
      (webhook) => wanted.includes(webhook) || (isLate && inLanes.includes(webhook)),
    )
    const messages = woken.map((webhook) => ({ message: messageTo(webhook, event), group: webhook.id }))
    await this.#queues.sendEach('delivery', messages)
  }

  async #ofJob({ stream, hasWebhook }: BusEvent): Promise<Webhook[]> {
    const webhook = hasWebhook && (await this.#webhooks.find(webhookIdOfJob(stream)))
    return webhook ? [webhook] : []
  }

  #make(webhook: Webhook, event: BusEvent, now: Date): Promise<boolean> {
    const delivery: Delivery = newDelivery(webhook, event, now)
    return event.event === 'job.progress'
      ? this.#deliveries.createProgress(delivery, new Date(event.timestamp))
      : this.#deliveries.create(delivery)
  }
}
