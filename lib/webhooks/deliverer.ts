import { mostDelayS } from '../aws/queues.ts'
import { believedMs } from '../believed.ts'
import type { Services } from '../services.ts'
import { ShortMemory } from '../short-memory.ts'
import { attemptDelivery } from './attempt.ts'
import { type DeliveryChange, DeliveryStore } from './deliveries.ts'
import {
  type Delivery,
  type DeliveryMessage,
  isGapless,
  type KeptEvent,
  type Lane,
  lookS,
  wakeAfter,
} from './delivery.ts'
import { sendDelivery } from './dispatcher.ts'
import { EventLog } from './event-log.ts'
import { payloadOf } from './payload.ts'
import { Receivers } from './receivers.ts'
import { disabledBy, isSuccess, nextDelayS, type Outcome } from './schedule.ts'
import { deliveryLifetimeS, type Webhook } from './webhook.ts'
import { Webhooks } from './webhooks.ts'

export type DelivererServices = Pick<
  Services,
  'config' | 'table' | 'queues' | 'vault' | 'log' | 'outgoing' | 'resultLink'
>

/** Milliseconds for which an event waits for those before it that did not come yet. */
const mostHoldMs = 4000
/** Seconds after which somebody looks whether they came. */
const holdS = 1
/** Milliseconds before the end of the function in which no attempt is begun. */
const reserveMs = 20_000
/** Seconds after which somebody looks whether a delivery is still being tried. */
const busyS = 10
/** Attempts of one delivery that are shown. */
const mostShown = 30

interface Surroundings {
  readonly receivers?: Receivers
  readonly now?: () => Date
  /** 0 to 1. */
  readonly random?: () => number
  /** Milliseconds for an attempt; 15 s when left out. */
  readonly attemptMs?: number
}

/** Brings events to webhooks. */
export class Deliverer {
  readonly #services: DelivererServices
  readonly #webhooks: Webhooks
  readonly #deliveries: DeliveryStore
  readonly #events: EventLog
  /** By id. */
  readonly #called = new ShortMemory<Webhook | undefined>(believedMs)
  readonly #receivers: Receivers
  readonly #now: () => Date
  readonly #random: () => number
  readonly #attemptMs: number | undefined

  constructor(
    services: DelivererServices,
    {
      receivers = new Receivers(),
      now = () => new Date(),
      random = Math.random,
      attemptMs,
    }: Surroundings = {},
  ) {
    this.#services = services
    this.#webhooks = new Webhooks(services)
    this.#deliveries = new DeliveryStore(services.table)
    this.#events = new EventLog(services.table)
    this.#receivers = receivers
    this.#now = now
    this.#random = random
    this.#attemptMs = attemptMs
  }

  /** @param remainingMs until the time of the function is over. */
  async deliver(message: DeliveryMessage, remainingMs: () => number): Promise<void> {
    const { webhookId } = message
    const webhook = await this.#called.get(webhookId, () => this.#webhooks.store.find(webhookId))
    if (!webhook) return this.#giveUp(message, 'The webhook was deleted.')
    const receiver = { webhook: webhook.id, host: new URL(webhook.url).host }
    if (!this.#receivers.take(receiver)) return this.#defer(message)
    try {
      if (message.only) await this.#deliverOne(webhook, message, message.only)
      else await this.#goThrough(webhook, message, remainingMs)
    } finally {
      this.#receivers.giveBack(receiver)
    }
  }

  /** The receiver has enough to do: it comes back later, and each time later still. */
  async #defer(message: DeliveryMessage): Promise<void> {
    const deferred = Math.min(5, (message.deferred ?? 0) + 1)
    const delayS = 2 ** deferred * (1 + this.#random())
    await sendDelivery(this.#services.queues, { ...message, deferred }, delayS)
  }

  /** First attempts of a lane, one after the other. */
  async #goThrough(webhook: Webhook, given: Lane, remainingMs: () => number): Promise<void> {
    const lane = { webhookId: given.webhookId, stream: given.stream }
    const now = this.#now()
    const mine = await this.#deliveries.take(lane, now, ttlFrom(now))
    if (!mine) return
    const { lease } = mine
    let { passed } = mine
    let isFirst = true
    for (;;) {
      const waiting = (await this.#deliveries.ofLane(lane)).filter(
        (delivery) => isUntried(delivery) && !isBusy(delivery, this.#now()),
      )
      for (const delivery of waiting) {
        const kept = await this.#whenItsTurn(delivery, passed)
        if (!kept || remainingMs() < reserveMs) {
          await this.#deliveries.leave(lane, lease, passed)
          await sendDelivery(this.#services.queues, lane, holdS)
          return
        }
        if (!isFirst && !(await this.#deliveries.keep(lane, lease, this.#now()))) return
        isFirst = false
        await this.#attempt(webhook, delivery, kept)
        passed = Math.max(passed, delivery.sequence)
      }
      if (await this.#deliveries.leave(lane, lease, passed)) return
    }
  }

  /** The event of a delivery, unless one before it may still come. */
  async #whenItsTurn(delivery: Delivery, passed: number): Promise<KeptEvent | undefined> {
    const { stream, sequence, eventId, createdAt } = delivery
    const from = isGapless(stream) ? Math.min(passed + 1, sequence) : sequence
    const known = await this.#events.between(stream, from, sequence)
    const kept = known.find(({ id }) => id === eventId)
    const numbers = new Set(known.map((one) => one.sequence))
    if (numbers.size === sequence - from + 1) return kept
    return this.#now().getTime() - Date.parse(createdAt) < mostHoldMs ? undefined : kept
  }

  /** One that has no order to keep, or failed before. */
  async #deliverOne(
    webhook: Webhook,
    { webhookId, stream }: Lane,
    due: NonNullable<DeliveryMessage['only']>,
  ): Promise<void> {
    const ref = { webhookId, stream, ...due }
    const delivery = await this.#deliveries.claim(ref, this.#now())
    if (!delivery) {
      const seen = await this.#deliveries.find(ref)
      // Whoever has it may be gone.
      if (seen?.attempt === due.attempt && isBusy(seen, this.#now()))
        await sendDelivery(this.#services.queues, { webhookId, stream, only: due }, busyS)
      return
    }
    // Of one that was asked for once more meanwhile the lane takes care.
    if (delivery.from > 0 && isUntried(delivery)) return
    const kept = await this.#events.find(delivery)
    if (kept) await this.#attempt(webhook, delivery, kept)
  }

  async #attempt(webhook: Webhook, delivery: Delivery, kept: KeptEvent): Promise<void> {
    if (!webhook.enabled && !delivery.test) {
      await this.#deliveries.change(delivery, {
        ...ended,
        status: 'failed',
        error: 'The webhook is switched off.',
      })
      return
    }
    const { config, log, outgoing, resultLink } = this.#services
    const at = this.#now()
    const secrets = await this.#webhooks.secretsOf(webhook, at)
    const payload = payloadOf(kept.body, webhook.format, {
      baseUrl: config.PUBLIC_URL ?? '',
      resultLink,
    })
    const outcome = await attemptDelivery(
      { url: webhook.url, delivery, ...payload, secrets, at, withinMs: this.#attemptMs },
      await outgoing(),
    )
    const { id: deliveryId, event } = delivery
    const { responseStatus, durationMs, error } = outcome
    const { hostname } = new URL(webhook.url)
    log.info(
      { webhookId: webhook.id, deliveryId, event, hostname, responseStatus, durationMs, error },
      'webhook called',
    )
    await this.#record(webhook, delivery, outcome, at)
  }

  async #record(webhook: Webhook, delivery: Delivery, outcome: Outcome, at: Date): Promise<void> {
    const now = this.#now()
    const { change, delayS } = this.#consequence(delivery, outcome, { at, now, webhook })
    const changed = await this.#deliveries.change(delivery, change)
    await this.#noteOf(webhook, outcome, now)
    if (changed?.nextAttemptAt === undefined || delayS === undefined || delayS > mostDelayS) return
    await sendDelivery(this.#services.queues, retryMessage(changed), delayS)
  }

  #consequence(
    delivery: Delivery,
    outcome: Outcome,
    { at, now, webhook }: { at: Date; now: Date; webhook: Webhook },
  ): { change: DeliveryChange; delayS?: number | undefined } {
    const { responseStatus, responseBody, error, durationMs } = outcome
    const attempt = delivery.attempt + 1
    const made = { attempt, at: at.toISOString(), responseStatus, error, durationMs }
    const seen = {
      ...{ attempt, responseStatus, responseBody, error },
      attempts: [...delivery.attempts, made].slice(-mostShown),
    }
    if (isSuccess(outcome)) return { change: { ...seen, ...ended, status: 'succeeded' } }
    const isOver = delivery.once || disabledBy(webhook, outcome, now) !== undefined
    const delayS = isOver ? undefined : nextDelayS(attempt - delivery.from, outcome, now, this.#random())
    if (delayS === undefined) return { change: { ...seen, ...ended, status: 'failed' } }
    const nextAttemptAt = wakeAfter(now, delayS)
    // While a message is on its way nobody needs to look.
    const wakeAt = delayS > mostDelayS ? nextAttemptAt : wakeAfter(now, delayS + lookS)
    return { change: { ...seen, nextAttemptAt, wakeAt, busyUntil: undefined }, delayS }
  }

  /** What an outcome says of the webhook itself. */
  async #noteOf(webhook: Webhook, outcome: Outcome, now: Date): Promise<void> {
    const { id, failingSince } = webhook
    const { store } = this.#webhooks
    if (isSuccess(outcome)) {
      if (failingSince === undefined) return
      await store.change(id, { failingSince: undefined })
    } else {
      if (failingSince === undefined) await store.failed(id, now.toISOString())
      const disabledFor = webhook.enabled ? disabledBy(webhook, outcome, now) : undefined
      if (disabledFor) await store.change(id, { enabled: false, disabledAt: now.toISOString(), disabledFor })
    }
    this.#called.forget(id)
  }

  /** Nothing of a lane will be delivered any more. */
  async #giveUp({ webhookId, stream }: Lane, error: string): Promise<void> {
    const waiting = (await this.#deliveries.ofLane({ webhookId, stream })).filter(isWaiting)
    for (const delivery of waiting)
      await this.#deliveries.change(delivery, { ...ended, status: 'failed', error })
  }
}

/** Nobody looks after it any more. */
const ended = { nextAttemptAt: undefined, busyUntil: undefined, wakeAt: undefined } as const

const isBusy = ({ busyUntil = '' }: Delivery, now: Date) => busyUntil > now.toISOString()
const isWaiting = ({ status }: Delivery) => status === 'pending'
export const isUntried = (delivery: Delivery) => isWaiting(delivery) && delivery.attempt === delivery.from

export const retryMessage = ({ webhookId, stream, id, sequence, attempt }: Delivery): DeliveryMessage => ({
  ...{ webhookId, stream },
  only: { id, sequence, attempt },
})

const ttlFrom = (now: Date) => Math.floor(now.getTime() / 1000) + deliveryLifetimeS
