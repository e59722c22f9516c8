import { setTimeout as sleep } from 'node:timers/promises'
import { encodeTime } from 'ulid'
import { exampleOnBus } from '../../events/examples/index.ts'
import type { BusEvent, EventName } from '../../events/index.ts'
import { AppError } from '../errors.ts'
import { newId } from '../ids.ts'
import { eachOf } from '../map-concurrently.ts'
import type { Services } from '../services.ts'
import { DeliveryStore } from './deliveries.ts'
import { type Delivery, type KeptEvent, lookS, newDelivery, wakeAfter } from './delivery.ts'
import { attemptMs } from './delivery-attempt.ts'
import { sendDelivery } from './dispatcher.ts'
import { EventLog } from './event-log.ts'
import { type Webhook, wants } from './webhook.ts'

/** Events of one replay, and how many of them are prepared at a time. */
export const mostReplayed = 1000
const atATime = 16
/** Tries at a delivery that somebody else works on at the same moment. */
const tries = 5
const pollMs = 200

/** What owners have sent, once more or to see it arrive. */
export class Sendings {
  readonly store: DeliveryStore
  readonly #events: EventLog
  readonly #services: Pick<Services, 'table' | 'queues'>

  constructor(services: Pick<Services, 'table' | 'queues'>) {
    this.store = new DeliveryStore(services.table)
    this.#events = new EventLog(services.table)
    this.#services = services
  }

  /** An event that did not happen, sent at once; as it is when it has arrived, or the time is over. */
  async test(
    webhook: Webhook,
    event: EventName,
    remainingMs: () => number,
    now = new Date(),
  ): Promise<Delivery> {
    const id = newId('evt')
    const made = {
      ...exampleOnBus(event),
      ...{ timestamp: now.toISOString(), id, sequence: 1, test: true },
      ...{ owner: webhook.owner, stream: id },
    }
    const delivery = { ...newDelivery(webhook, made, now), once: true, test: true }
    await this.store.create(delivery)
    await this.#events.keep(made, now, false)
    await sendDelivery(this.#services.queues, { webhookId: webhook.id, stream: id })
    const waitMs = Math.min(attemptMs + 5000, remainingMs() - 3000)
    for (const until = performance.now() + waitMs; performance.now() < until; await sleep(pollMs)) {
      const seen = await this.store.find(delivery)
      if (seen && seen.status !== 'pending') return seen
    }
    return delivery
  }

  /** From the beginning, under the same id. @throws AppError CONFLICT while it is sent all the time. */
  async redeliver(given: Delivery, now = new Date()): Promise<Delivery> {
    const again = await this.#restart(given, now)
    await sendDelivery(this.#services.queues, { webhookId: again.webhookId, stream: again.stream })
    return again
  }

  async #restart(given: Delivery, now: Date): Promise<Delivery> {
    let delivery: Delivery | undefined = given
    for (let attempt = 1; delivery && attempt <= tries; attempt++) {
      const change = {
        status: 'pending',
        ...{ from: delivery.attempt, error: undefined, busyUntil: undefined },
        ...{ nextAttemptAt: now.toISOString(), wakeAt: wakeAfter(now, lookS) },
      } as const
      const again = await this.store.change(delivery, change)
      if (again) return again
      delivery = await this.store.find(delivery)
    }
    throw new AppError('CONFLICT', `The delivery ${given.id} is just being sent. Look at it in a moment.`)
  }

  /**
   * All that happened since a moment, once more, also what the webhook was never told because it was off.
   * @param after the last event of the replay before, where that was too many.
   */
  async replay(
    webhook: Webhook,
    {
      since,
      after,
      events,
    }: { since: string; after?: string | undefined; events?: readonly string[] | undefined },
    now = new Date(),
  ): Promise<{ deliveries: number; next: string | null }> {
    const from = after ?? `evt_${encodeTime(Date.parse(since), 10)}`
    const found = await this.#events.since(webhook.owner, from, mostReplayed)
    const wanted = found.filter(
      ({ event, stream, owner }) =>
        owner === webhook.owner && isOf(webhook, stream) && isWanted(event, webhook, events),
    )
    await eachOf(wanted, atATime, (event) => this.#once(webhook, event, now))
    for (const stream of new Set(wanted.map((one) => one.stream)))
      await sendDelivery(this.#services.queues, { webhookId: webhook.id, stream })
    return {
      deliveries: wanted.length,
      next: found.length === mostReplayed ? (found.at(-1)?.id ?? null) : null,
    }
  }

  async #once(webhook: Webhook, event: KeptEvent, now: Date): Promise<void> {
    const { timestamp } = JSON.parse(event.body) as { timestamp: string } // written by us
    const delivery = newDelivery(
      webhook,
      { ...event, event: event.event as BusEvent['event'], timestamp },
      now,
    )
    if (await this.store.create(delivery)) return
    const before = await this.store.find(delivery)
    if (before) await this.#restart(before, now)
  }
}

const isOf = ({ jobId }: Webhook, stream: string) => jobId === undefined || jobId === stream

/** How far a job was is nobody's question any more, unless somebody asks. */
const isWanted = (event: string, webhook: Webhook, events: readonly string[] | undefined) =>
  events ? wants({ events: [...events] }, event) : event !== 'job.progress' && wants(webhook, event)
