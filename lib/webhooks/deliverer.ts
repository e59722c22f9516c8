import { emailOwner } from '../access/account-emails.ts'
import { emailTemplates, type Mailer } from '../access/auth/emails.ts'
import { mostDelayS } from '../aws/queues.ts'
import type { Services } from '../services.ts'
import { believedMs } from '../subscriber-cache.ts'
import { ShortMemory } from '../ttl-cache.ts'
import { DeliveryStore } from './deliveries.ts'
import { type Delivery, type DeliveryMessage, isGapless, type KeptEvent, type Lane } from './delivery.ts'
import { attemptDelivery } from './delivery-attempt.ts'
import { consequenceOf, ended } from './delivery-outcome.ts'
import { sendDelivery } from './dispatcher.ts'
import { EventLog } from './event-log.ts'
import { payloadOf } from './payload.ts'
import { Receivers } from './receiver-concurrency.ts'
import { disabledBy, isSuccess, type Outcome } from './schedule.ts'
import { type DisabledFor, deliveryLifetimeS, type Webhook } from './webhook.ts'
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

interface Surroundings {
  readonly receivers?: Receivers
  readonly now?: () => Date
  /** 0 to 1. */
  readonly random?: () => number
  /** Milliseconds for an attempt; 15 s when left out. */
  readonly attemptMs?: number
  /** The one of the settings when left out. */
  readonly mailer?: Mailer
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
  readonly #mailer: Mailer | undefined

  constructor(
    services: DelivererServices,
    {
      receivers = new Receivers(),
      now = () => new Date(),
      random = Math.random,
      attemptMs,
      mailer,
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
    this.#mailer = mailer
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
      {
        url: webhook.url,
        format: webhook.format,
        delivery,
        ...payload,
        secrets,
        at,
        withinMs: this.#attemptMs,
      },
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
    const random = this.#random()
    const { change, delayS } = consequenceOf(delivery, outcome, { at, now, webhook, random })
    const changed = await this.#deliveries.change(delivery, change)
    await this.#noteOf(webhook, outcome, now)
    if (changed?.nextAttemptAt === undefined || delayS === undefined || delayS > mostDelayS) return
    await sendDelivery(this.#services.queues, retryMessage(changed), delayS)
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
      const disabledFor = disabledBy(webhook, outcome, now)
      if (disabledFor && (await store.disable(id, { disabledAt: now.toISOString(), disabledFor })))
        await this.#tellDisabled(webhook, disabledFor)
    }
    this.#called.forget(id)
  }

  #tellDisabled({ owner, url }: Webhook, disabledFor: DisabledFor): Promise<void> {
    const why = whyDisabled[disabledFor]
    // The rest of an address may be a secret.
    const { origin } = new URL(url)
    const letter = (name: string) => emailTemplates.webhookDisabled(name, { url: origin, why })
    return emailOwner(this.#services, owner, letter, this.#mailer)
  }

  /** Nothing of a lane will be delivered any more. */
  async #giveUp({ webhookId, stream }: Lane, error: string): Promise<void> {
    const waiting = (await this.#deliveries.ofLane({ webhookId, stream })).filter(isWaiting)
    for (const delivery of waiting)
      await this.#deliveries.change(delivery, { ...ended, status: 'failed', error })
  }
}

const whyDisabled: Readonly<Record<DisabledFor, string>> = {
  gone: 'it answered 410, which asks for nothing more to be sent.',
  failing: 'for five days nothing that was sent to it arrived.',
}

const isBusy = ({ busyUntil = '' }: Delivery, now: Date) => busyUntil > now.toISOString()
const isWaiting = ({ status }: Delivery) => status === 'pending'
export const isUntried = (delivery: Delivery) => isWaiting(delivery) && delivery.attempt === delivery.from

export const retryMessage = ({ webhookId, stream, id, sequence, attempt }: Delivery): DeliveryMessage => ({
  ...{ webhookId, stream },
  only: { id, sequence, attempt },
})

const ttlFrom = (now: Date) => Math.floor(now.getTime() / 1000) + deliveryLifetimeS
