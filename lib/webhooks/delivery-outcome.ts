import { maxDelayS } from '../aws/queues.ts'
import type { DeliveryChange } from './deliveries.ts'
import { type Delivery, recheckS, timestampAfter } from './delivery.ts'
import { type AttemptOutcome, getDisableReason, getNextDelayS, isSuccess } from './schedule.ts'
import type { Webhook } from './webhook.ts'

/** How many attempts of a delivery are stored and shown. */
const maxShownAttempts = 30

/** Removes the fields that schedule further attempts. */
export const finishedFields = { nextAttemptAt: undefined, busyUntil: undefined, wakeAt: undefined } as const

interface AttemptContext {
  /** When the attempt started. */
  readonly at: Date
  readonly now: Date
  readonly webhook: Webhook
  /** 0 to 1. */
  readonly random: number
}

/** Returns the change that an attempt's outcome makes to a delivery, and the seconds until the next attempt. */
export function resolveOutcome(
  delivery: Delivery,
  outcome: AttemptOutcome,
  { at, now, webhook, random }: AttemptContext,
): { change: DeliveryChange; delayS?: number | undefined } {
  const { responseStatus, responseBody, error, durationMs } = outcome
  const attempt = delivery.attempt + 1
  const record = { attempt, at: at.toISOString(), responseStatus, error, durationMs }
  const attemptedDelivery = {
    attempt,
    responseStatus,
    responseBody,
    error,
    attempts: [...delivery.attempts, record].slice(-maxShownAttempts),
  }
  if (isSuccess(outcome)) return { change: { ...attemptedDelivery, ...finishedFields, status: 'succeeded' } }
  const isOver = delivery.once || getDisableReason(webhook, outcome, now) !== undefined
  const delayS = isOver ? undefined : getNextDelayS(attempt - delivery.from, outcome, now, random)
  if (delayS === undefined) return { change: { ...attemptedDelivery, ...finishedFields, status: 'failed' } }
  const nextAttemptAt = timestampAfter(now, delayS)
  // The wakeup is only a safety net while a queue message is on its way.
  const wakeAt = delayS > maxDelayS ? nextAttemptAt : timestampAfter(now, delayS + recheckS)
  return { change: { ...attemptedDelivery, nextAttemptAt, wakeAt, busyUntil: undefined }, delayS }
}
