import type { DisabledFor } from './webhook.ts'

/** Decides when a delivery is retried and when a webhook is disabled. All functions are pure. */

/** Seconds between attempts: ten attempts within 76 hours, as Standard Webhooks suggests. */
export const retryDelaysS = [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400] as const

/**
 * Random fraction that is added to or subtracted from a delay, so that deliveries that failed together are not retried
 * together.
 */
const jitterFraction = 0.1
/** Maximum delay in seconds that a receiver can request with `Retry-After`. */
const maxRetryAfterS = 86_400
/** How long all deliveries must have failed before a webhook is disabled, in milliseconds. */
const maxFailingMs = 5 * 86_400_000

export interface AttemptOutcome {
  /** Status of the response; undefined if there was none. */
  readonly responseStatus?: number | undefined
  /** Beginning of the response, up to 1 KB. */
  readonly responseBody?: string | undefined
  readonly error?: string | undefined
  /** Value of the receiver's `Retry-After` header. */
  readonly retryAfter?: string | undefined
  readonly durationMs: number
}

export const isSuccess = ({ responseStatus = 0 }: AttemptOutcome) =>
  responseStatus >= 200 && responseStatus < 300

/**
 * Returns the seconds until the next attempt; undefined if there is none.
 * @param attempts number of attempts since the delivery was created or restarted.
 * @param random from 0 to 1.
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
  return Math.max(jitteredDelayS, parseRetryAfterS(outcome.retryAfter, now))
}

/** Parses `Retry-After`: seconds or a date (RFC 9110, 10.2.3). */
function parseRetryAfterS(value: string | undefined, now: Date): number {
  if (value === undefined) return 0
  const seconds = /^\d+$/.test(value.trim()) ? Number(value) : (Date.parse(value) - now.getTime()) / 1000
  return Number.isNaN(seconds) ? 0 : Math.min(maxRetryAfterS, Math.max(0, seconds))
}

/** Returns why the outcome disables the webhook; undefined if it does not. */
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
