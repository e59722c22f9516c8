import { setTimeout as sleep } from 'node:timers/promises'
import { encodeTime } from 'ulid'
import { createExampleOnBus } from '../../events/examples/index.ts'
import type { BusEvent, EventName } from '../../events/index.ts'
import { forEachConcurrently } from '../async/for-each-concurrently.ts'
import { AppError } from '../errors.ts'
import { newId } from '../ids.ts'
import type { Services } from '../services/services.ts'
import { DeliveryStore } from './deliveries.ts'
import { type Delivery, getTimestampAfter, newDelivery, recheckS, type StoredEvent } from './delivery.ts'
import { attemptTimeoutMs } from './delivery-attempt.ts'
import { sendDelivery } from './dispatcher.ts'
import { EventLog } from './event-log.ts'
import { isSubscribedTo, type Webhook } from './webhook.ts'

/** Maximum number of events per replay. */
export const maxReplayedEvents = 1000
/** Maximum number of events of a replay that are prepared at the same time. */
const maxConcurrent = 16
/** Maximum number of attempts to change a delivery that other processes change at the same time. */
const maxTries = 5
const pollIntervalMs = 200

/** Deliveries that owners request: tests, redeliveries and replays. */
export class ManualDeliveries {
  readonly store: DeliveryStore
  readonly #events: EventLog
  readonly #services: Pick<Services, 'table' | 'queues'>

  constructor(services: Pick<Services, 'table' | 'queues'>) {
    this.store = new DeliveryStore(services.table)
    this.#events = new EventLog(services.table)
    this.#services = services
  }

  /** Sends an example event immediately. Returns the delivery after its attempt, or when the time is up. */
  async test(
    webhook: Webhook,
    event: EventName,
    remainingMs: () => number,
    now = new Date(),
  ): Promise<Delivery> {
    const id = newId('evt')
    const testEvent = {
      ...createExampleOnBus(event),
      timestamp: now.toISOString(),
      id,
      sequence: 1,
      test: true as const,
      owner: webhook.owner,
      stream: id,
    }
    const delivery = { ...newDelivery(webhook, testEvent, now), once: true, test: true }
    await this.store.create(delivery)
    await this.#events.store(testEvent, now, false)
    await sendDelivery(this.#services.queues, { webhookId: webhook.id, stream: id })
    const waitMs = Math.min(attemptTimeoutMs + 5000, remainingMs() - 3000)
    for (
      const deadlineMs = performance.now() + waitMs;
      performance.now() < deadlineMs;
      await sleep(pollIntervalMs)
    ) {
      const seenDelivery = await this.store.find(delivery)
      if (seenDelivery && seenDelivery.status !== 'pending') return seenDelivery
    }
    return delivery
  }

  /** Restarts a delivery under the same id. @throws AppError CONFLICT if other processes keep changing the delivery. */
  async redeliver(givenDelivery: Delivery, now = new Date()): Promise<Delivery> {
    const restartedDelivery = await this.#restart(givenDelivery, now)
    await sendDelivery(this.#services.queues, {
      webhookId: restartedDelivery.webhookId,
      stream: restartedDelivery.stream,
    })
    return restartedDelivery
  }

  async #restart(givenDelivery: Delivery, now: Date): Promise<Delivery> {
    let delivery: Delivery | undefined = givenDelivery
    for (let attempt = 1; delivery && attempt <= maxTries; attempt++) {
      const change = {
        status: 'pending',
        from: delivery.attempt,
        error: undefined,
        busyUntil: undefined,
        nextAttemptAt: now.toISOString(),
        wakeAt: getTimestampAfter(now, recheckS),
      } as const
      const restartedDelivery = await this.store.change(delivery, change)
      if (restartedDelivery) return restartedDelivery
      delivery = await this.store.find(delivery)
    }
    throw new AppError(
      'CONFLICT',
      `The delivery ${givenDelivery.id} is being sent right now. Check it again in a few seconds.`,
    )
  }

  /**
   * Resends all events since a given time, including those that were skipped because the webhook was disabled.
   * @param after the last event of the previous replay, if that replay reached the limit.
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
    const foundEvents = await this.#events.listSince(webhook.owner, from, maxReplayedEvents)
    const replayedEvents = foundEvents.filter(
      ({ event, stream, owner }) =>
        owner === webhook.owner && receivesStream(webhook, stream) && shouldReplay(event, webhook, events),
    )
    await forEachConcurrently(replayedEvents, maxConcurrent, (event) =>
      this.#replayEvent(webhook, event, now),
    )
    for (const stream of new Set(replayedEvents.map((event) => event.stream)))
      await sendDelivery(this.#services.queues, { webhookId: webhook.id, stream })
    return {
      deliveries: replayedEvents.length,
      next: foundEvents.length === maxReplayedEvents ? (foundEvents.at(-1)?.id ?? null) : null,
    }
  }

  async #replayEvent(webhook: Webhook, event: StoredEvent, now: Date): Promise<void> {
    const { timestamp } = JSON.parse(event.body) as { timestamp: string } // this service wrote the event
    const delivery = newDelivery(
      webhook,
      { ...event, event: event.event as BusEvent['event'], timestamp }, // the dispatcher stored the event
      now,
    )
    if (await this.store.create(delivery)) return
    const deliveryBefore = await this.store.find(delivery)
    if (deliveryBefore) await this.#restart(deliveryBefore, now)
  }
}

const receivesStream = ({ jobId }: Webhook, stream: string) => jobId === undefined || jobId === stream

/** Progress events are replayed only if the request names them. */
const shouldReplay = (event: string, webhook: Webhook, events: readonly string[] | undefined) =>
  events
    ? isSubscribedTo({ events: [...events] }, event)
    : event !== 'job.progress' && isSubscribedTo(webhook, event)
