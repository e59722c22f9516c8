import { mostDelayS } from '../aws/queues.ts'
import type { DeliveryChange } from './deliveries.ts'
import { type Delivery, lookS, wakeAfter } from './delivery.ts'
import { disabledBy, isSuccess, nextDelayS, type Outcome } from './schedule.ts'
import type { Webhook } from './webhook.ts'

/** Attempts of one delivery that are shown. */
const mostShown = 30

/** Nobody looks after it any more. */
export const ended = { nextAttemptAt: undefined, busyUntil: undefined, wakeAt: undefined } as const

interface Circumstances {
  /** When the attempt began. */
  readonly at: Date
  readonly now: Date
  readonly webhook: Webhook
  /** 0 to 1. */
  readonly random: number
}

/** What becomes of a delivery by the outcome of an attempt, and after how many seconds the next one is due. */
export function consequenceOf(
  delivery: Delivery,
  outcome: Outcome,
  { at, now, webhook, random }: Circumstances,
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
  const delayS = isOver ? undefined : nextDelayS(attempt - delivery.from, outcome, now, random)
  if (delayS === undefined) return { change: { ...seen, ...ended, status: 'failed' } }
  const nextAttemptAt = wakeAfter(now, delayS)
  // While a message is on its way nobody needs to look.
  const wakeAt = delayS > mostDelayS ? nextAttemptAt : wakeAfter(now, delayS + lookS)
  return { change: { ...seen, nextAttemptAt, wakeAt, busyUntil: undefined }, delayS }
}
