// The receiving side of AWS Signature Version 4: computes what the client should have signed, and compares.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
import { createHash, createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { readSignatureClaim, type SignatureClaim, type SignedRequest } from './sigv4-claim.ts'
import type { RefusedSignature, SignatureRefusal } from './sigv4-refusal.ts'

/** An access key that this machine knows. */
export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

export type SignatureVerdict = AcceptedSignature | RefusedSignature

export interface AcceptedSignature {
  readonly ok: true
  readonly accessKeyId: string
  /** Value of x-amz-content-sha256, or UNSIGNED-PAYLOAD. */
  readonly contentSha256: string
  readonly seedSignature: string
  readonly signingKey: KeyObject
  /** Credential scope: date/region/service/aws4_request. */
  readonly scope: string
  readonly amzDate: string
  readonly isPresigned: boolean
}

interface SigV4Options {
  readonly service: string
  readonly region: string
  readonly now?: Date
}

const maxSkewMs = 15 * 60_000

/**
 * Verifies that one of the credentials signed the request for this service and region, and that it has not expired. S3
 * requires that all x-amz-* headers are signed and a hash of the body is declared; other services have already read the
 * body.
 */
export function verifySigV4(
  request: SignedRequest,
  credentials: readonly AwsCredentials[],
  { service, region, now = new Date() }: SigV4Options,
): SignatureVerdict {
  const claim = readSignatureClaim(request)
  if ('ok' in claim) return claim
  const refuse = (
    reason: SignatureRefusal,
    message: string,
    details?: Record<string, string>,
  ): RefusedSignature => ({
    ok: false,
    reason,
    message,
    isPresigned: claim.isPresigned,
    ...(details && { details }),
  })

  if (claim.service !== service)
    return refuse(
      'foreign-scope',
      `Incorrect service "${claim.service}". This endpoint belongs to "${service}".`,
    )
  if (claim.region !== region)
    return refuse('foreign-scope', `The region '${claim.region}' is wrong; expecting '${region}'.`, {
      Region: region,
    })
  const key = credentials.find((credential) => credential.accessKeyId === claim.accessKeyId)
  if (!key)
    return refuse('unknown-key', 'The AWS Access Key Id you provided does not exist in our records.', {
      AWSAccessKeyId: claim.accessKeyId,
    })
  if ((key.sessionToken ?? '') !== claim.sessionToken)
    return refuse('bad-token', 'The provided token is malformed or otherwise invalid.')

  const timeRefusal = checkTime(claim, now)
  if (timeRefusal) return refuse(timeRefusal.reason, timeRefusal.message, timeRefusal.details)

  const unsignedHeaders = listUnsignedHeaders(request.headers, claim, service)
  if (unsignedHeaders.length > 0)
    return refuse('unsigned-headers', 'There were headers present in the request which were not signed', {
      HeadersNotSigned: unsignedHeaders.join(', '),
    })

  const contentSha256 = getPayloadHash(request, claim, service)
  if (contentSha256 === undefined)
    return refuse('no-payload-hash', 'Missing required header for this request: x-amz-content-sha256')
  const scope = `${claim.day}/${claim.region}/${claim.service}/aws4_request`
  const signingKey = deriveSigningKey(key.secretAccessKey, claim.day, claim.region, claim.service)
  for (const bytes of listCanonicalRequests(request, claim, service, contentSha256)) {
    const stringToSign = `AWS4-HMAC-SHA256\n${claim.amzDate}\n${scope}\n${sha256(bytes)}`
    if (!isSameSignature(sign(signingKey, stringToSign), claim.signature)) continue
    return {
      ok: true,
      accessKeyId: key.accessKeyId,
      contentSha256,
      seedSignature: claim.signature,
      signingKey,
      scope,
      amzDate: claim.amzDate,
      isPresigned: claim.isPresigned,
    }
  }
  const [canonicalRequest = Buffer.alloc(0)] = listCanonicalRequests(request, claim, service, contentSha256)
  return refuse(
    'bad-signature',
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
    {
      AWSAccessKeyId: claim.accessKeyId,
      StringToSign: `AWS4-HMAC-SHA256\n${claim.amzDate}\n${scope}\n${sha256(canonicalRequest)}`,
      SignatureProvided: claim.signature,
      CanonicalRequest: canonicalRequest.toString(),
    },
  )
}

/**
 * Cache of signing keys, each of which takes four HMACs and stays the same for a day. Few keys are in use at a time,
 * and unknown callers cannot make it grow. A KeyObject makes the fifth HMAC, which every request needs, five times as
 * fast as bytes would.
 */
const signingKeys = new Map<string, KeyObject>()
const maxSigningKeys = 64

/** Derives the signing key of a day, which is given as YYYYMMDD. */
export function deriveSigningKey(secret: string, day: string, region: string, service: string): KeyObject {
  const name = [secret, day, region, service].join('\n')
  const cachedKey = signingKeys.get(name)
  if (cachedKey) return cachedKey
  const bytes = [day, region, service, 'aws4_request'].reduce<Buffer>(
    (previous, part) => createHmac('sha256', previous).update(part).digest(),
    Buffer.from(`AWS4${secret}`),
  )
  const key = createSecretKey(bytes)
  if (signingKeys.size >= maxSigningKeys) signingKeys.clear()
  signingKeys.set(name, key)
  return key
}

/** Returns an HMAC-SHA256 in hex, the last step of every form of Signature Version 4 (requests, chunks, policies). */
export function sign(signingKey: KeyObject, stringToSign: string): string {
  return createHmac('sha256', signingKey).update(stringToSign).digest('hex')
}

/** Compares signatures in constant time. */
export function isSameSignature(expectedSignature: string, receivedSignature: string): boolean {
  const [a, b] = [Buffer.from(expectedSignature), Buffer.from(receivedSignature)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Percent-encodes like AWS: all characters except A-Z a-z 0-9 - . _ ~ */
export function uriEncode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

function checkTime(claim: SignatureClaim, now: Date) {
  const ageMs = now.getTime() - claim.signedAt.getTime()
  const details = { ServerTime: now.toISOString() }
  if (claim.expiresS === undefined) {
    if (Math.abs(ageMs) <= maxSkewMs) return undefined
    const message = 'The difference between the request time and the current time is too large.'
    return {
      reason: 'skewed' as const,
      message,
      details: { ...details, RequestTime: claim.amzDate, MaxAllowedSkewMilliseconds: `${maxSkewMs}` },
    }
  }
  if (ageMs < -maxSkewMs) return { reason: 'expired' as const, message: 'Request is not yet valid', details }
  if (ageMs <= claim.expiresS * 1000) return undefined
  const expires = new Date(claim.signedAt.getTime() + claim.expiresS * 1000).toISOString()
  return {
    reason: 'expired' as const,
    message: 'Request has expired',
    details: { ...details, 'X-Amz-Expires': `${claim.expiresS}`, Expires: expires },
  }
}

/**
 * Returns the headers that must be signed but are not: `host` and, for S3, all x-amz-* headers. Anyone who sees a
 * presigned URL could add such headers.
 */
function listUnsignedHeaders(headers: IncomingHttpHeaders, claim: SignatureClaim, service: string): string[] {
  const requiredHeaders = ['host']
  if (service === 's3')
    requiredHeaders.push(...Object.keys(headers).filter((name) => name.startsWith('x-amz-')))
  return requiredHeaders.filter((name) => !claim.signedHeaders.includes(name))
}

function getPayloadHash(request: SignedRequest, claim: SignatureClaim, service: string): string | undefined {
  if (service !== 's3') return request.bodySha256 ?? sha256(Buffer.alloc(0))
  const header = request.headers['x-amz-content-sha256']
  const givenHash = claim.query.find(([name]) => name === 'X-Amz-Content-Sha256')?.[1] ?? header
  if (typeof givenHash === 'string') return givenHash
  return claim.isPresigned ? 'UNSIGNED-PAYLOAD' : undefined
}

/**
 * Yields the canonical request and its legitimate variants. Clients differ in whether they sign the path as sent or
 * decoded and re-encoded, and in the encoding of non-ASCII headers, which Node reads as Latin-1.
 */
function listCanonicalRequests(
  request: SignedRequest,
  claim: SignatureClaim,
  service: string,
  contentSha256: string,
): Buffer[] {
  const query = claim.query
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => [uriEncode(name), uriEncode(value)] as const)
    .sort((a, b) => compare(a[0], b[0]) || compare(a[1], b[1]))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
  const headers = claim.signedHeaders.map((name) => {
    const value = request.headers[name] ?? ''
    const text = Array.isArray(value) ? value.join(',') : value
    return `${name}:${text.trim().replace(/ +/g, ' ')}\n`
  })
  const remainingLines = [query, headers.join(''), claim.signedHeaders.join(';'), contentSha256].join('\n')
  const texts = listCanonicalPaths(claim.path, service).map(
    (path) => `${request.method}\n${path}\n${remainingLines}`,
  )
  const latin1 = texts
    .filter((text) => /[\u0080-\u00ff]/.test(text))
    .map((text) => Buffer.from(text, 'latin1'))
  return [...texts.map((text) => Buffer.from(text)), ...latin1]
}

function listCanonicalPaths(path: string, service: string): string[] {
  const encode = (text: string) => text.split('/').map(uriEncode).join('/')
  if (service === 's3') return [...new Set([encode(decodeURIComponent(path)), path])]
  const segments: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '.' && segment !== '') segments.push(segment)
  }
  const slash = segments.length > 0 && path.endsWith('/') ? '/' : ''
  return [encode(`/${segments.join('/')}${slash}`)]
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
