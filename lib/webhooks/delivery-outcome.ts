import { maxDelayS } from '../aws/queues.ts'
import type { DeliveryChange } from './deliveries.ts'
import { type Delivery, recheckS, timestampAfter } from './delivery.ts'
import { disableReason, isSuccess, nextDelayS, type Outcome } from './schedule.ts'
import type { Webhook } from './webhook.ts'

/** Attempts of one delivery that are shown. */
const maxShownAttempts = 30

/** Nobody looks after it any more. */
export const finishedFields = { nextAttemptAt: undefined, busyUntil: undefined, wakeAt: undefined } as const

interface AttemptContext {
  /** When the attempt began. */
  readonly at: Date
  readonly now: Date
  readonly webhook: Webhook
  /** 0 to 1. */
  readonly random: number
}

/** What becomes of a delivery by the outcome of an attempt, and after how many seconds the next one is due. */
export function resolveOutcome(
  delivery: Delivery,
  outcome: Outcome,
  { at, now, webhook, random }: AttemptContext,
): { change: DeliveryChange; delayS?: number | undefined } {
  const { responseStatus, responseBody, error, durationMs } = outcome
  const attempt = delivery.attempt + 1
  const record = { attempt, at: at.toISOString(), responseStatus, error, durationMs }
  const attempted = {
    ...{ attempt, responseStatus, responseBody, error },
    attempts: [...delivery.attempts, record].slice(-maxShownAttempts),
  }
  if (isSuccess(outcome)) return { change: { ...attempted, ...finishedFields, status: 'succeeded' } }
  const isOver = delivery.once || disableReason(webhook, outcome, now) !== undefined
  const delayS = isOver ? undefined : nextDelayS(attempt - delivery.from, outcome, now, random)
  if (delayS === undefined) return { change: { ...attempted, ...finishedFields, status: 'failed' } }
  const nextAttemptAt = timestampAfter(now, delayS)
  // While a message is on its way nobody needs to look.
  const wakeAt = delayS > maxDelayS ? nextAttemptAt : timestampAfter(now, delayS + recheckS)
  return { change: { ...attempted, nextAttemptAt, wakeAt, busyUntil: undefined }, delayS }
}
