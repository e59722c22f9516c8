import { createHmac, timingSafeEqual } from 'node:crypto'
import { AppError } from '../errors.ts'

/**
 * Signed, expiring URLs of results: HMAC-SHA256 over `v1\nGET\n/v1/download/{jobId}\n` and the query without `sig` and
 * `attempt`, sorted by name. `inline` may be part of the signed query or be added later by anyone who has the URL: the
 * bytes are the same, and only types that cannot run scripts are shown inline. `attempt` is never signed; redirects to
 * the same URL add it.
 */

const dayS = 24 * 3600
/** Minimum and maximum lifetime of a signed URL in seconds: its key expires at the end of the following day. */
export const signedLifetimeS = { min: 60, max: dayS } as const
/** Clock skew allowed between two machines, in seconds. */
const clockSkewS = 300

/** Returns the signing key of the day with this number, counted from 1970. */
export type GetDailyKey = (day: number) => Buffer

type Query = Readonly<Record<string, string | undefined>>

const getDay = (at: number) => Math.floor(at / 1000 / dayS)

function computeSignature(jobId: string, query: Query, key: Buffer): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    name === 'sig' || value === undefined ? [] : `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  )
  const text = `v1\nGET\n/v1/download/${jobId}\n${pairs.sort().join('&')}`
  return createHmac('sha256', key).update(text).digest('base64url')
}

/** Returns the query of a signed URL. @param at time of signing in milliseconds since the epoch. */
export function signQuery(
  { jobId, query, expiresAtS, at }: { jobId: string; query: Query; expiresAtS: number; at: number },
  getKey: GetDailyKey,
): string {
  const kid = getDay(at)
  const allParameters: Query = { ...query, exp: String(expiresAtS), kid: String(kid) }
  const definedParameters = Object.entries(allParameters).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  )
  const text = new URLSearchParams(definedParameters).toString().replaceAll('+', '%20')
  return `${text}&sig=${computeSignature(jobId, allParameters, getKey(kid))}`
}

const signatureParams = ['exp', 'kid', 'sig', 'max', 'link'] as const
/** Whether a URL has any parameter of a signature, valid or not. */
export const hasSignature = (query: Query) => signatureParams.some((name) => query[name] !== undefined)

/**
 * Verifies the signature of a URL.
 * @param query all query parameters, unparsed.
 * @throws AppError INVALID_SIGNATURE, EXPIRED
 */
export function verifySignature(jobId: string, query: Query, getKey: GetDailyKey, now = Date.now()): void {
  const { kid = '', exp = '', sig = '' } = query
  const hasValidNumbers = /^\d{1,10}$/.test(kid) && /^\d{1,12}$/.test(exp)
  if (hasValidNumbers && Number(exp) * 1000 <= now) {
    // Expiry is only reported if the signature is valid.
    if (Number(kid) >= getDay(now) - 31 && isValidSignature(jobId, query, getKey(Number(kid)), sig))
      throw createUrlExpiredError(exp)
  } else if (hasValidNumbers) {
    const isCurrent = Number(kid) >= getDay(now) - 1 && Number(kid) <= getDay(now + clockSkewS * 1000)
    if (isCurrent && isValidSignature(jobId, query, getKey(Number(kid)), sig)) return
  }
  throw new AppError(
    'INVALID_SIGNATURE',
    'sig: the signature is not valid for this URL. Use the URL unchanged, or create a new one with POST /v1/download/signed.',
    { field: 'sig' },
  )
}

function isValidSignature(jobId: string, query: Query, key: Buffer, sig: string): boolean {
  const { attempt: _attempt, ...signed } = query
  const { inline: _inline, ...parameters } = signed
  // `inline` may be part of the signed query, or may have been added later.
  return (
    areSignaturesEqual(sig, computeSignature(jobId, signed, key)) ||
    areSignaturesEqual(sig, computeSignature(jobId, parameters, key))
  )
}

function areSignaturesEqual(sig: string, expected: string): boolean {
  const [givenSignature, expectedSignature] = [Buffer.from(sig), Buffer.from(expected)]
  return (
    givenSignature.length === expectedSignature.length && timingSafeEqual(givenSignature, expectedSignature)
  )
}

const createUrlExpiredError = (exp: string) => {
  const expiredAt = new Date(Number(exp) * 1000).toISOString()
  return new AppError(
    'EXPIRED',
    `This URL expired at ${expiredAt}. Create a new one with POST /v1/download/signed.`,
    { expiredAt },
  )
}
