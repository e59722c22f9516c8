import { maxDelayS } from '../aws/queues.ts'
import type { DeliveryChange } from './deliveries.ts'
import { type Delivery, getTimestampAfter, recheckS } from './delivery.ts'
import { type AttemptOutcome, getDisableReason, getNextDelayS, isSuccess } from './schedule.ts'
import type { Webhook } from './webhook.ts'

/** Maximum number of attempts of a delivery that are stored and shown. */
const maxShownAttempts = 30

/** Changes that remove the fields for further attempts. */
export const finishedFields = { nextAttemptAt: undefined, busyUntil: undefined, wakeAt: undefined } as const

interface AttemptContext {
  /** When the attempt started. */
  readonly at: Date
  readonly now: Date
  readonly webhook: Webhook
  /** A random number from 0 to 1. */
  readonly random: number
}

/** Returns the change that the outcome of an attempt makes to a delivery, and the seconds until the next attempt. */
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
  const nextAttemptAt = getTimestampAfter(now, delayS)
  // While a queue message is on its way, the wakeup is only a safety net.
  const wakeAt = delayS > maxDelayS ? nextAttemptAt : getTimestampAfter(now, delayS + recheckS)
  return { change: { ...attemptedDelivery, nextAttemptAt, wakeAt, busyUntil: undefined }, delayS }
}
