import { createHmac, timingSafeEqual } from 'node:crypto'
import { AppError } from '../errors.ts'

/**
 * Addresses of results that hold by their signature, and for a while: HMAC-SHA256 over
 * `v1\nGET\n/v1/download/{jobId}\n` and all of the query but `sig`, sorted by name. Whoever has one may add `inline`: it
 * leads to the same bytes, and only what cannot run anything is shown by it.
 */

const dayS = 24 * 3600
/** Seconds that such an address may hold: its key is gone after the day that follows its own. */
export const signedLifetimeS = { min: 60, max: dayS } as const
/** Seconds that clocks of two machines may differ. */
const skewS = 300

/** The key of a day, by its number: each day has its own, and what was signed with an older one holds no more. */
export type DailyKey = (day: number) => Buffer

type Query = Readonly<Record<string, string | undefined>>

const dayOf = (at: number) => Math.floor(at / 1000 / dayS)

function signature(jobId: string, query: Query, key: Buffer): string {
  const parts = Object.entries(query).flatMap(([name, value]) =>
    name === 'sig' || value === undefined ? [] : `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  )
  const text = `v1\nGET\n/v1/download/${jobId}\n${parts.sort().join('&')}`
  return createHmac('sha256', key).update(text).digest('base64url')
}

/** The query of a signed address. @param at milliseconds at which it is signed. */
export function signQuery(
  { jobId, query, expiresAtS, at }: { jobId: string; query: Query; expiresAtS: number; at: number },
  keyOf: DailyKey,
): string {
  const kid = dayOf(at)
  const all: Query = { ...query, exp: String(expiresAtS), kid: String(kid) }
  const given = Object.entries(all).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  )
  const text = new URLSearchParams(given).toString().replaceAll('+', '%20')
  return `${text}&sig=${signature(jobId, all, keyOf(kid))}`
}

const signatureParams = ['exp', 'kid', 'sig', 'max', 'link'] as const
/** Whether an address claims to be signed. */
export const hasSignature = (query: Query) => signatureParams.some((name) => query[name] !== undefined)

/**
 * @param query all of it, as it came.
 * @throws AppError INVALID_SIGNATURE, EXPIRED
 */
export function verifySignature(jobId: string, query: Query, keyOf: DailyKey, now = Date.now()): void {
  const { kid = '', exp = '', sig = '' } = query
  const isNumbered = /^\d{1,10}$/.test(kid) && /^\d{1,12}$/.test(exp)
  if (isNumbered && Number(exp) * 1000 <= now) {
    // Told only of addresses that were right once.
    if (Number(kid) >= dayOf(now) - 31 && isValidSignature(jobId, query, keyOf(Number(kid)), sig))
      throw expiredError(exp)
  } else if (isNumbered) {
    const isCurrent = Number(kid) >= dayOf(now) - 1 && Number(kid) <= dayOf(now + skewS * 1000)
    if (isCurrent && isValidSignature(jobId, query, keyOf(Number(kid)), sig)) return
  }
  throw new AppError(
    'INVALID_SIGNATURE',
    'The signature does not fit this address. Use the address exactly as it was given, or ask for a new one by POST /v1/download/signed.',
    { field: 'sig' },
  )
}

function isValidSignature(jobId: string, query: Query, key: Buffer, sig: string): boolean {
  const { inline: _added, ...given } = query
  // It may as well be part of what was signed.
  return (
    signaturesEqual(sig, signature(jobId, query, key)) || signaturesEqual(sig, signature(jobId, given, key))
  )
}

function signaturesEqual(sig: string, expected: string): boolean {
  const [one, other] = [Buffer.from(sig), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

const expiredError = (exp: string) => {
  const expiredAt = new Date(Number(exp) * 1000).toISOString()
  return new AppError(
    'EXPIRED',
    `This address expired at ${expiredAt}. Ask for a new one by POST /v1/download/signed.`,
    { expiredAt },
  )
}
