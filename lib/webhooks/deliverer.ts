import { emailOwner } from '../accounts/account-emails.ts'
import { TtlCache } from '../async/ttl-cache.ts'
import { maxDelayS } from '../aws/queues.ts'
import { emailTemplates, type Mailer } from '../mail/emails.ts'
import { subscriberCacheMs } from '../model/subscriber-cache.ts'
import type { Services } from '../services/services.ts'
import { annotateSpan, failSpan, runSpan } from '../trace.ts'
import { DeliveryStore } from './deliveries.ts'
import {
  type Delivery,
  type DeliveryMessage,
  hasGaplessSequence,
  type Lane,
  type StoredEvent,
} from './delivery.ts'
import { attemptDelivery } from './delivery-attempt.ts'
import { finishedFields, resolveOutcome } from './delivery-outcome.ts'
import { sendDelivery } from './dispatcher.ts'
import { EventLog } from './event-log.ts'
import { createPayload } from './payload.ts'
import { ReceiverConcurrency } from './receiver-concurrency.ts'
import { type AttemptOutcome, getDisableReason, isSuccess } from './schedule.ts'
import { type DisabledFor, deliveryLifetimeS, type Webhook } from './webhook.ts'
import { Webhooks } from './webhooks.ts'

export type DelivererServices = Pick<
  Services,
  'config' | 'table' | 'queues' | 'vault' | 'log' | 'guardedHttp' | 'resultLink'
>

/** How long an event waits for earlier events that have not arrived yet, in milliseconds. */
const maxReorderWaitMs = 4000
/** Delay in seconds before checking again for missing events. */
const reorderCheckIntervalS = 1
/** Remaining run time of the function in milliseconds below which no attempt is started. */
const minRemainingMs = 20_000
/** Delay in seconds before checking whether a delivery attempt is still running. */
const busyCheckIntervalS = 10

interface DelivererDeps {
  readonly receiverConcurrency?: ReceiverConcurrency
  readonly now?: () => Date
  /** Returns a random number from 0 to 1. */
  readonly random?: () => number
  /** Timeout of an attempt in milliseconds; 15 s if omitted. */
  readonly attemptTimeoutMs?: number
  /** Sends emails; created from the settings if omitted. */
  readonly mailer?: Mailer
}

/** Delivers events to webhooks. */
export class Deliverer {
  readonly #services: DelivererServices
  readonly #webhooks: Webhooks
  readonly #deliveries: DeliveryStore
  readonly #events: EventLog
  /** Cached webhooks by id. */
  readonly #webhookCache = new TtlCache<Webhook | undefined>(subscriberCacheMs)
  readonly #receiverConcurrency: ReceiverConcurrency
  readonly #now: () => Date
  readonly #random: () => number
  readonly #attemptTimeoutMs: number | undefined
  readonly #mailer: Mailer | undefined

  constructor(
    services: DelivererServices,
    {
      receiverConcurrency = new ReceiverConcurrency(),
      now = () => new Date(),
      random = Math.random,
      attemptTimeoutMs,
      mailer,
    }: DelivererDeps = {},
  ) {
    this.#services = services
    this.#webhooks = new Webhooks(services)
    this.#deliveries = new DeliveryStore(services.table)
    this.#events = new EventLog(services.table)
    this.#receiverConcurrency = receiverConcurrency
    this.#now = now
    this.#random = random
    this.#attemptTimeoutMs = attemptTimeoutMs
    this.#mailer = mailer
  }

  /** Delivers the events of a message. @param remainingMs returns the time left until the function's timeout. */
  async deliver(message: DeliveryMessage, remainingMs: () => number): Promise<void> {
    const { webhookId } = message
    const webhook = await this.#webhookCache.get(webhookId, () => this.#webhooks.store.find(webhookId))
    if (!webhook) return this.#failLane(message, 'The webhook was deleted.')
    const receiver = { webhook: webhook.id, host: new URL(this.#webhooks.getUrl(webhook)).host }
    if (!this.#receiverConcurrency.acquire(receiver)) return this.#defer(message)
    try {
      if (message.only) await this.#deliverOne(webhook, message, message.only)
      else await this.#drainLane(webhook, message, remainingMs)
    } finally {
      this.#receiverConcurrency.release(receiver)
    }
  }

  /** Sends a message again with an increasing delay, because the receiver is at its concurrency limit. */
  async #defer(message: DeliveryMessage): Promise<void> {
    const deferred = Math.min(5, (message.deferred ?? 0) + 1)
    const delayS = 2 ** deferred * (1 + this.#random())
    await sendDelivery(this.#services.queues, { ...message, deferred }, delayS)
  }

  /** Makes the first attempts of a lane, one after another. */
  async #drainLane(webhook: Webhook, { webhookId, stream }: Lane, remainingMs: () => number): Promise<void> {
    const lane = { webhookId, stream }
    const now = this.#now()
    const heldLane = await this.#deliveries.acquireLane(lane, now, getTtlAfter(now))
    if (!heldLane) return
    const { lease } = heldLane
    let { passed } = heldLane
    let isFirst = true
    for (;;) {
      const waitingDeliveries = (await this.#deliveries.listLane(lane)).filter(
        (delivery) => isUntried(delivery) && !isBusy(delivery, this.#now()),
      )
      for (const delivery of waitingDeliveries) {
        const storedEvent = await this.#findNextInSequence(delivery, passed)
        if (!storedEvent || remainingMs() < minRemainingMs) {
          await this.#deliveries.releaseLane(lane, lease, passed)
          await sendDelivery(this.#services.queues, lane, reorderCheckIntervalS)
          return
        }
        if (!isFirst && !(await this.#deliveries.renewLease(lane, lease, this.#now()))) return
        isFirst = false
        await this.#attempt(webhook, delivery, storedEvent)
        passed = Math.max(passed, delivery.sequence)
      }
      if (await this.#deliveries.releaseLane(lane, lease, passed)) return
    }
  }

  /** Returns the event of a delivery; undefined while an earlier event may still arrive. */
  async #findNextInSequence(delivery: Delivery, passedSequence: number): Promise<StoredEvent | undefined> {
    const { stream, sequence, eventId, createdAt } = delivery
    const from = hasGaplessSequence(stream) ? Math.min(passedSequence + 1, sequence) : sequence
    const knownEvents = await this.#events.readRange(stream, from, sequence)
    const storedEvent = knownEvents.find(({ id }) => id === eventId)
    const numbers = new Set(knownEvents.map((event) => event.sequence))
    if (numbers.size === sequence - from + 1) return storedEvent
    return this.#now().getTime() - Date.parse(createdAt) < maxReorderWaitMs ? undefined : storedEvent
  }

  /** Makes an attempt of a delivery that needs no order, or that failed before. */
  async #deliverOne(
    webhook: Webhook,
    { webhookId, stream }: Lane,
    target: NonNullable<DeliveryMessage['only']>,
  ): Promise<void> {
    const ref = { webhookId, stream, ...target }
    const delivery = await this.#deliveries.claim(ref, this.#now())
    if (!delivery) {
      const currentDelivery = await this.#deliveries.find(ref)
      // The process that claimed the delivery may have died, so the delivery is checked again later.
      if (currentDelivery?.attempt === target.attempt && isBusy(currentDelivery, this.#now()))
        await sendDelivery(this.#services.queues, { webhookId, stream, only: target }, busyCheckIntervalS)
      return
    }
    // A redelivery that was requested meanwhile is sent with its lane.
    if (delivery.from > 0 && isUntried(delivery)) return
    const storedEvent = await this.#events.find(delivery)
    if (storedEvent) await this.#attempt(webhook, delivery, storedEvent)
  }

  /**
   * Makes an attempt within the trace of the delivered event, because one queue message may cause deliveries of several
   * events.
   */
  #attempt(webhook: Webhook, delivery: Delivery, storedEvent: StoredEvent): Promise<void> {
    const { id, event, attempt, traceparent } = delivery
    const attributes = {
      'http.request.method': 'POST',
      'mutabor.event': event,
      'mutabor.delivery.id': id,
      'mutabor.attempt': attempt + 1,
    }
    return runSpan({ name: `deliver ${event}`, kind: 'client', parent: traceparent, attributes }, () =>
      this.#callWebhook(webhook, delivery, storedEvent),
    )
  }

  async #callWebhook(webhook: Webhook, delivery: Delivery, storedEvent: StoredEvent): Promise<void> {
    if (!webhook.enabled && !delivery.test) {
      await this.#deliveries.change(delivery, {
        ...finishedFields,
        status: 'failed',
        error: 'The webhook is disabled.',
      })
      return
    }
    const { config, log, guardedHttp, resultLink } = this.#services
    const at = this.#now()
    const secrets = await this.#webhooks.getSecrets(webhook, at)
    const payload = createPayload(storedEvent.body, webhook.format, {
      baseUrl: config.PUBLIC_URL ?? '',
      resultLink,
    })
    const url = this.#webhooks.getUrl(webhook)
    const outcome = await attemptDelivery(
      {
        url,
        format: webhook.format,
        delivery,
        ...payload,
        secrets,
        at,
        timeoutMs: this.#attemptTimeoutMs,
      },
      await guardedHttp(),
    )
    const { id: deliveryId, event } = delivery
    const { responseStatus, durationMs, error } = outcome
    annotateSpan({ 'http.response.status_code': responseStatus })
    if (error !== undefined) failSpan(String(responseStatus ?? 'no response'))
    const { hostname } = new URL(url)
    log.info(
      { webhookId: webhook.id, deliveryId, event, hostname, responseStatus, durationMs, error },
      'webhook called',
    )
    await this.#record(webhook, delivery, outcome, at)
  }

  async #record(webhook: Webhook, delivery: Delivery, outcome: AttemptOutcome, at: Date): Promise<void> {
    const now = this.#now()
    const random = this.#random()
    const { change, delayS } = resolveOutcome(delivery, outcome, { at, now, webhook, random })
    const changedDelivery = await this.#deliveries.change(delivery, change)
    await this.#updateHealth(webhook, outcome, now)
    if (changedDelivery?.nextAttemptAt === undefined || delayS === undefined || delayS > maxDelayS) return
    await sendDelivery(this.#services.queues, createRetryMessage(changedDelivery), delayS)
  }

  /** Records what an outcome means for the webhook itself. */
  async #updateHealth(webhook: Webhook, outcome: AttemptOutcome, now: Date): Promise<void> {
    const { id, failingSince } = webhook
    const { store } = this.#webhooks
    if (isSuccess(outcome)) {
      if (failingSince === undefined) return
      await store.change(id, { failingSince: undefined })
    } else {
      if (failingSince === undefined) await store.markFailing(id, now.toISOString())
      const disabledFor = getDisableReason(webhook, outcome, now)
      if (disabledFor && (await store.disable(id, { disabledAt: now.toISOString(), disabledFor })))
        await this.#notifyDisabled(webhook, disabledFor)
    }
    this.#webhookCache.delete(id)
  }

  #notifyDisabled(webhook: Webhook, disabledFor: DisabledFor): Promise<void> {
    const { owner } = webhook
    const reason = disableReasons[disabledFor]
    // Only the origin is logged, because the rest of the URL may contain a secret.
    const { origin } = new URL(this.#webhooks.getUrl(webhook))
    const email = (name: string) => emailTemplates.webhookDisabled(name, { url: origin, reason })
    return emailOwner(this.#services, owner, email, this.#mailer)
  }

  /** Fails all pending deliveries of a lane. */
  async #failLane({ webhookId, stream }: Lane, error: string): Promise<void> {
    const waitingDeliveries = (await this.#deliveries.listLane({ webhookId, stream })).filter(isWaiting)
    for (const delivery of waitingDeliveries)
      await this.#deliveries.change(delivery, { ...finishedFields, status: 'failed', error })
  }
}

const disableReasons: Readonly<Record<DisabledFor, string>> = {
  gone: 'it responded with status 410, which means that nothing more should be sent.',
  failing: 'all deliveries failed for five days.',
}

const isBusy = ({ busyUntil = '' }: Delivery, now: Date) => busyUntil > now.toISOString()
const isWaiting = ({ status }: Delivery) => status === 'pending'
export const isUntried = (delivery: Delivery) => isWaiting(delivery) && delivery.attempt === delivery.from

export const createRetryMessage = ({
  webhookId,
  stream,
  id,
  sequence,
  attempt,
}: Delivery): DeliveryMessage => ({
  webhookId,
  stream,
  only: { id, sequence, attempt },
})

const getTtlAfter = (now: Date) => Math.floor(now.getTime() / 1000) + deliveryLifetimeS
