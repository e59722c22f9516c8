import type { DisabledFor } from './webhook.ts'

/** Decides when a delivery is retried and when a webhook is disabled. Pure functions. */

/** Seconds between attempts: ten attempts within 75 hours, as Standard Webhooks suggests. */
export const retryDelaysS = [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400] as const

/**
 * Random fraction added to or subtracted from a delay, so that deliveries that failed together are not retried
 * together.
 */
const jitterFraction = 0.1
/** Maximum delay that a receiver can request with `Retry-After`. */
const maxRetryAfterS = 86_400
/** How long all deliveries must fail before a webhook is disabled, in milliseconds. */
const maxFailingMs = 5 * 86_400_000

export interface AttemptOutcome {
  /** Absent without a response. */
  readonly responseStatus?: number | undefined
  /** Up to 1 KB of the response. */
  readonly responseBody?: string | undefined
  readonly error?: string | undefined
  /** Header value from the receiver. */
  readonly retryAfter?: string | undefined
  readonly durationMs: number
}

export const isSuccess = ({ responseStatus = 0 }: AttemptOutcome) =>
  responseStatus >= 200 && responseStatus < 300

/**
 * Returns the seconds until the next attempt; undefined if there is none.
 * @param attempts made so far since the delivery was created or restarted.
 * @param random 0 to 1.
 */
export function getNextDelayS(
  attempts: number,
  outcome: AttemptOutcome,
  now: Date,
  random: number,
): number | undefined {
  const delayS = retryDelaysS[attempts]
  if (delayS === undefined) return undefined
  const jitteredDelayS = delayS * (1 + jitterFraction * (2 * random - 1))
  return Math.max(jitteredDelayS, retryAfterS(outcome.retryAfter, now))
}

/** RFC 9110, 10.2.3: seconds or a date. */
function retryAfterS(value: string | undefined, now: Date): number {
  if (value === undefined) return 0
  const seconds = /^\d+$/.test(value.trim()) ? Number(value) : (Date.parse(value) - now.getTime()) / 1000
  return Number.isNaN(seconds) ? 0 : Math.min(maxRetryAfterS, Math.max(0, seconds))
}

/** Returns why the outcome disables the webhook, if it does. */
export function getDisableReason(
  { failingSince }: { readonly failingSince?: string | undefined },
  { responseStatus }: AttemptOutcome,
  now: Date,
): DisabledFor | undefined {
  if (responseStatus === 410) return 'gone'
  const hasFailedTooLong =
    failingSince !== undefined && now.getTime() - Date.parse(failingSince) >= maxFailingMs
  return hasFailedTooLong ? 'failing' : undefined
}
