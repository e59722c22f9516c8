import type { DisabledFor } from './webhook.ts'

/** When a delivery is tried again, and when nobody is told any more: decisions alone. */

/** Seconds before each attempt, from the one before: ten within 75 hours, as Standard Webhooks proposes. */
export const retryDelaysS = [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400] as const

/** Part of a delay that is left to chance, to either side, so that what failed together does not come back together. */
const jitter = 0.1
/** A receiver may ask for more time, but not for any. */
const maxRetryAfterS = 86_400
/** Milliseconds of nothing but failures after which a webhook is switched off. */
export const maxFailingMs = 5 * 86_400_000

export interface Outcome {
  /** Absent where there was no answer. */
  readonly responseStatus?: number | undefined
  /** Up to 1 KB of the answer. */
  readonly responseBody?: string | undefined
  readonly error?: string | undefined
  /** As the receiver sent it. */
  readonly retryAfter?: string | undefined
  readonly durationMs: number
}

export const isSuccess = ({ responseStatus = 0 }: Outcome) => responseStatus >= 200 && responseStatus < 300

/**
 * Seconds until the next attempt; undefined when there is none.
 * @param attempts attempts so far, in this row.
 * @param random 0 to 1.
 */
export function nextDelayS(
  attempts: number,
  outcome: Outcome,
  now: Date,
  random: number,
): number | undefined {
  const delayS = retryDelaysS[attempts]
  if (delayS === undefined) return undefined
  const jittered = delayS * (1 + jitter * (2 * random - 1))
  return Math.max(jittered, retryAfterS(outcome.retryAfter, now))
}

/** RFC 9110, 10.2.3: seconds or a date. */
function retryAfterS(value: string | undefined, now: Date): number {
  if (value === undefined) return 0
  const seconds = /^\d+$/.test(value.trim()) ? Number(value) : (Date.parse(value) - now.getTime()) / 1000
  return Number.isNaN(seconds) ? 0 : Math.min(maxRetryAfterS, Math.max(0, seconds))
}

/** Why nobody is told any more after this. */
export function disableReason(
  { failingSince }: { readonly failingSince?: string | undefined },
  { responseStatus }: Outcome,
  now: Date,
): DisabledFor | undefined {
  if (responseStatus === 410) return 'gone'
  const hasFailedTooLong =
    failingSince !== undefined && now.getTime() - Date.parse(failingSince) >= maxFailingMs
  return hasFailedTooLong ? 'failing' : undefined
}
