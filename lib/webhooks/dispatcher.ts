import type { BusEvent } from '../../events/index.ts'
import { mostDelayS, type Queues } from '../aws/queues.ts'
import type { Table } from '../aws/table.ts'
import { DeliveryStore } from './deliveries.ts'
import { type Delivery, type DeliveryMessage, isGapless, newDelivery } from './delivery.ts'
import { WebhookStore } from './store.ts'
import { type Webhook, wants } from './webhook.ts'

/** Puts one message into the queue of deliveries. Receivers are groups of it: a busy one does not hold up the others. */
export const sendDelivery = (queues: Queues, message: DeliveryMessage, delayS = 0): Promise<void> =>
  queues.sendOne('delivery', message, { group: message.webhookId, delayS: Math.min(mostDelayS, delayS) })

/** Makes deliveries of events. */
export class Dispatcher {
  readonly #webhooks: WebhookStore
  readonly #deliveries: DeliveryStore
  readonly #queues: Queues

  constructor({ table, queues }: { readonly table: Table; readonly queues: Queues }) {
    this.#webhooks = new WebhookStore(table)
    this.#deliveries = new DeliveryStore(table)
    this.#queues = queues
  }

  /** An event that comes again leads to the same deliveries, and wakes them once more. */
  async dispatch(event: BusEvent, now = new Date()): Promise<void> {
    const { owner, stream } = event
    const listening = await this.#webhooks.listening(owner, stream)
    if (listening.length === 0) return
    const enabled = listening.filter((webhook) => webhook.enabled)
    const wanted = enabled.filter((webhook) => wants(webhook, event.event))
    await Promise.all(wanted.map((webhook) => this.#make(webhook, event, now)))
    await this.#deliveries.keepEvent(event, now)
    // Who has waited for this one does not know that it came.
    const isLate = isGapless(stream) && (await this.#deliveries.hasLater(event))
    const woken = isLate ? enabled : wanted
    await Promise.all(woken.map(({ id: webhookId }) => sendDelivery(this.#queues, { webhookId, stream })))
  }

  #make(webhook: Webhook, event: BusEvent, now: Date): Promise<boolean> {
    const delivery: Delivery = newDelivery(webhook, event, now)
    return event.event === 'job.progress'
      ? this.#deliveries.createProgress(delivery, new Date(event.timestamp))
      : this.#deliveries.create(delivery)
  }
}
