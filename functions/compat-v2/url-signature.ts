import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Signed URLs that create jobs: `<base>?job=<JSON in base64>[&cache_key=…]&s=<hex>`. The signature is HMAC-SHA256 over
 * the URL before `&s`. Each API key has its own base and secret, which are valid as long as the key.
 */

export const signedUrlPath = '/v2/signed-urls/'

/** Derives the signing secret from the id of the key, so that it need not be stored. */
export const deriveSigningSecret = (keyId: string, key: Buffer): string =>
  createHmac('sha256', key).update(keyId).digest('hex')

interface SignedQuery {
  readonly job: string
  readonly cache_key?: string | undefined
  readonly s: string
}

/**
 * Returns the text that the signature covers. Some SDKs don't escape the plus signs of base64 in the query, so these
 * arrive as spaces.
 */
export const buildSignedText = (base: string, { job, cache_key: cacheKey }: SignedQuery): string =>
  `${base}?job=${job.replaceAll(' ', '+')}${cacheKey === undefined ? '' : `&cache_key=${cacheKey}`}`

export function hasValidSignature(signedText: string, signature: string, secret: string): boolean {
  const expectedSignature = createHmac('sha256', secret).update(signedText).digest()
  const givenSignature = /^[0-9a-f]{64}$/i.test(signature) ? Buffer.from(signature, 'hex') : Buffer.alloc(0)
  return (
    givenSignature.length === expectedSignature.length && timingSafeEqual(givenSignature, expectedSignature)
  )
}

/** Parses JSON in base64 or base64url, with or without padding. Returns undefined if the text is not JSON. */
export function parseJobParam({ job }: Pick<SignedQuery, 'job'>): unknown {
  try {
    return JSON.parse(Buffer.from(job.replaceAll(' ', '+'), 'base64').toString('utf8'))
  } catch {
    return undefined
  }
}
