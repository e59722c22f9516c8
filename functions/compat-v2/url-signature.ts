import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Addresses that make jobs: `<base>?job=<JSON in base64>[&cache_key=…]&s=<hex>`. The signature is HMAC-SHA256 over all of
 * the address before `&s`. Each API key has a base and a secret of its own, which are good for as long as the key is.
 */

export const signedUrlPath = '/v2/signed-urls/'

/** It needs no place to be kept: it follows from the id of the key. */
export const signingSecretOf = (keyId: string, key: Buffer): string =>
  createHmac('sha256', key).update(keyId).digest('hex')

export interface SignedQuery {
  readonly job: string
  readonly cache_key?: string | undefined
  readonly s: string
}

/** What was signed. Some SDKs leave plus signs in their base64, which a query has as blanks. */
export const signedText = (base: string, { job, cache_key: cacheKey }: SignedQuery): string =>
  `${base}?job=${job.replaceAll(' ', '+')}${cacheKey === undefined ? '' : `&cache_key=${cacheKey}`}`

export function hasValidSignature(text: string, signature: string, secret: string): boolean {
  const expected = createHmac('sha256', secret).update(text).digest()
  const given = /^[0-9a-f]{64}$/i.test(signature) ? Buffer.from(signature, 'hex') : Buffer.alloc(0)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** Either alphabet, with or without padding. @returns undefined for what is no JSON */
export function parseJobParam({ job }: Pick<SignedQuery, 'job'>): unknown {
  try {
    return JSON.parse(Buffer.from(job.replaceAll(' ', '+'), 'base64').toString('utf8'))
  } catch {
    return undefined
  }
}
