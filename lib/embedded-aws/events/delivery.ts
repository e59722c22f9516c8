// Sends deliveries in the outbox to their targets: immediately, again after a failure, then to the dead-letter queue.
// https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-retry-policy.html
import type { LogFunction } from '../log-line.ts'
import { createDeadLetter } from './dead-letter.ts'
import { readDeliveryFailure } from './delivery-failure.ts'
import type { PendingDelivery } from './outbox.ts'
import type { EventsStore } from './store.ts'
import { getBusName, getTargetService } from './target-arn.ts'

export interface SqsMessageOptions {
  readonly messageGroupId?: string
  /** String attributes of the message; those of dead letters say why the delivery failed. */
  readonly attributes?: Readonly<Record<string, string>>
}

/** Functions that send messages to targets. Both throw if the target did not accept the message. */
export interface DeliveryTargets {
  sqs(arn: string, body: string, options: SqsMessageOptions): Promise<void>
  lambda(arn: string, payload: unknown): Promise<void>
}

interface DeliveryOptions {
  readonly store: EventsStore
  readonly targets: DeliveryTargets
  /** Accepts an event that another bus sends to a bus of this server. */
  readonly ingest: (busName: string, event: string, hops: number) => Promise<void>
  readonly now: () => number
  readonly log: LogFunction
}

const maxConcurrent = 64
/** Maximum number of concurrent deliveries to a target, so that a slow target does not block other targets. */
const maxPerTarget = 16
const attemptTimeoutMs = 30_000
const maxSleepMs = 60_000
const firstRetryMs = 200
const maxRetryMs = 600_000

export class Deliveries {
  readonly #options: DeliveryOptions
  readonly #inProgress = new Map<number, string>()
  #isClosed = false
  #timer: NodeJS.Timeout | undefined

  constructor(options: DeliveryOptions) {
    this.#options = options
  }

  /** Checks the outbox for due deliveries. */
  wake(): void {
    if (this.#isClosed) return
    // Both queries use the same time; otherwise, a delivery that becomes due between them would be in neither.
    const at = this.#options.now()
    for (const { id, target } of this.#listStartable(at)) {
      this.#inProgress.set(id, target)
      void this.#attempt(id)
    }
    this.#sleep(at)
  }

  /** Returns the due deliveries for which a slot is free, oldest first. */
  #listStartable(at: number): { readonly id: number; readonly target: string }[] {
    const freeSlots = maxConcurrent - this.#inProgress.size
    if (freeSlots <= 0) return []
    const countByTarget = new Map<string, number>()
    for (const target of this.#inProgress.values())
      countByTarget.set(target, (countByTarget.get(target) ?? 0) + 1)
    const fullTargets = [...countByTarget]
      .filter(([, count]) => count >= maxPerTarget)
      .map(([target]) => target)
    const rows: { readonly id: number; readonly target: string }[] = []
    for (const row of this.#options.store.outbox.due(at, fullTargets)) {
      const count = countByTarget.get(row.target) ?? 0
      if (this.#inProgress.has(row.id) || count >= maxPerTarget) continue
      countByTarget.set(row.target, count + 1)
      rows.push(row)
      if (rows.length === freeSlots) break
    }
    return rows
  }

  #sleep(at: number): void {
    clearTimeout(this.#timer)
    const nextDueMs = this.#options.store.outbox.nextAfter(at)
    if (nextDueMs !== undefined)
      this.#timer = setTimeout(() => this.wake(), Math.min(nextDueMs - at, maxSleepMs))
  }

  async #attempt(id: number): Promise<void> {
    const delivery = this.#options.store.outbox.read(id)
    try {
      const nextDelivery = await withDeadline(this.#send(delivery)).then(
        () => undefined,
        (error: unknown) => this.#afterFailure(delivery, error),
      )
      if (this.#isClosed) return
      await this.#options.store.commit(() => {
        this.#inProgress.delete(id)
        if (nextDelivery) this.#options.store.outbox.update(id, nextDelivery.delivery, nextDelivery.dueAt)
        else this.#options.store.outbox.remove(id)
      }, 'process')
    } catch (error) {
      // The row stays in the outbox and is delivered again later, because a full disk stays full for a while.
      this.#options.log('The outbox of the event bus could not be written.', { error })
      setTimeout(() => {
        this.#inProgress.delete(id)
        this.wake()
      }, maxSleepMs).unref()
    }
  }

  async #send(delivery: PendingDelivery): Promise<void> {
    const { targetArn, messageGroupId, body, hops } = delivery
    const service = getTargetService(targetArn)
    if (service === 'sqs')
      return this.#options.targets.sqs(
        targetArn,
        body,
        messageGroupId === undefined ? {} : { messageGroupId },
      )
    if (service === 'lambda') return this.#options.targets.lambda(targetArn, parseOrText(body))
    return this.#options.ingest(getBusName(targetArn), body, hops + 1)
  }

  /** Returns the next attempt after a failed one; undefined if there is none. */
  async #afterFailure(delivery: PendingDelivery, error: unknown) {
    const failure = readDeliveryFailure(error)
    const delayMs = Math.min(firstRetryMs * 2 ** delivery.retries, maxRetryMs) * (0.5 + Math.random() / 2)
    const dueAt = this.#options.now() + Math.ceil(delayMs)
    const exhaustedCondition =
      delivery.retries >= delivery.maximumRetries
        ? 'MaximumRetryAttempts'
        : dueAt - delivery.acceptedAt > delivery.maximumAgeS * 1000
          ? 'MaximumEventAgeInSeconds'
          : undefined
    if (!failure.isPermanent && !exhaustedCondition)
      return { delivery: { ...delivery, retries: delivery.retries + 1 }, dueAt }
    const failureFields = { target: delivery.targetArn, origin: delivery.origin.arn, error: failure.message }
    if (delivery.deadLetterArn === undefined) {
      this.#options.log('An event could not be delivered and is dropped.', failureFields)
      return undefined
    }
    const { body, attributes } = createDeadLetter(delivery, failure, exhaustedCondition)
    try {
      await withDeadline(this.#options.targets.sqs(delivery.deadLetterArn, body, { attributes }))
    } catch (cause) {
      this.#options.log('An event could not be sent to its dead-letter queue and is dropped.', {
        ...failureFields,
        cause,
      })
    }
    return undefined
  }

  /** Stops immediately: deliveries in progress stay in the outbox and are repeated after the next start. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }
}

function parseOrText(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}

function withDeadline(promise: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const sentence = `The target did not respond within ${attemptTimeoutMs / 1000} s.`
      reject(Object.assign(new Error(sentence), { name: 'TimeoutError' }))
    }, attemptTimeoutMs)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
