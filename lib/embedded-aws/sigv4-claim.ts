// Parses the signature of a request from the Authorization header or the query string.
import type { IncomingHttpHeaders } from 'node:http'
import type { RefusedSignature, SignatureRefusal } from './sigv4-refusal.ts'

export interface SignedRequest {
  readonly method: string
  /** Raw request target (path and query), exactly as received. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** SHA-256 of the body in hex, for services that have already read the body; S3 uses x-amz-content-sha256. */
  readonly bodySha256?: string
}

/** A signature and what it claims to cover; nothing is verified yet. */
export interface SignatureClaim {
  readonly accessKeyId: string
  readonly sessionToken: string
  /** The day of the credential scope, as YYYYMMDD. */
  readonly day: string
  readonly region: string
  readonly service: string
  readonly signedHeaders: readonly string[]
  readonly signature: string
  /** The time as it was signed: `20260131T235959Z`. */
  readonly amzDate: string
  readonly signedAt: Date
  /** Lifetime in seconds; only presigned requests have one. */
  readonly expiresS?: number
  readonly isPresigned: boolean
  /** Path as it was sent, still percent-encoded. */
  readonly path: string
  /** Decoded query parameters in the order of the request. */
  readonly query: readonly (readonly [name: string, value: string])[]
}

const knownAlgorithm = 'AWS4-HMAC-SHA256'
const weekS = 604_800

/**
 * Parses the signature of a request. A refusal has S3's message; services with other messages use the refusal's reason.
 */
export function readSignatureClaim(request: SignedRequest): SignatureClaim | RefusedSignature {
  const queryStart = request.url.indexOf('?')
  const path = queryStart < 0 ? request.url : request.url.slice(0, queryStart)
  const query = readQuery(queryStart < 0 ? '' : request.url.slice(queryStart + 1))
  if (!query || !isDecodable(path)) return refuse('malformed', "Couldn't parse the specified URI.", false)

  const authorization = request.headers.authorization
  const names = new Set(query.map(([name]) => name))
  const isPresigned = names.has('X-Amz-Algorithm') || names.has('X-Amz-Signature')
  if (isPresigned && authorization !== undefined) {
    const message =
      'Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or the Authorization header should be specified'
    return refuse('two-mechanisms', message, true)
  }
  if (isPresigned) return readPresigned(path, query)
  if (names.has('AWSAccessKeyId') || /^AWS /.test(authorization ?? '')) {
    const message = `The authorization mechanism you have provided is not supported. Please use ${knownAlgorithm}.`
    return refuse('old-signature', message, false)
  }
  if (authorization === undefined) return refuse('missing', 'Access Denied', false)
  return readAuthorization(authorization, request.headers, path, query)
}

function readAuthorization(
  authorization: string,
  headers: IncomingHttpHeaders,
  path: string,
  query: SignatureClaim['query'],
): SignatureClaim | RefusedSignature {
  const refuseMalformed = (problem: string) =>
    refuse('malformed', `The authorization header is malformed; ${problem}.`, false)
  const [, algorithm = '', fields = ''] = /^(\S+)\s*(.*)$/s.exec(authorization) ?? []
  if (algorithm !== knownAlgorithm) return refuse('unsupported', 'Unsupported Authorization Type', false)
  const readField = (name: string) => new RegExp(`(?:^|[,\\s])${name}=([^,\\s]+)`).exec(fields)?.[1]
  const signedHeaders = readField('SignedHeaders')
  const signature = readField('Signature')
  const credential = readCredential(readField('Credential'))
  if (!credential)
    return refuseMalformed(
      'the Credential is mal-formed; expecting "<key>/YYYYMMDD/REGION/SERVICE/aws4_request"',
    )
  if (!signedHeaders) return refuseMalformed('missing SignedHeaders')
  if (!signature) return refuseMalformed('missing Signature')

  const amzDate = String(headers['x-amz-date'] ?? formatIsoDate(headers.date))
  const signedAt = readAmzDate(amzDate)
  if (!signedAt)
    return refuse('missing', 'AWS authentication requires a valid Date or x-amz-date header', false)
  if (credential.day !== amzDate.slice(0, 8))
    return refuseMalformed(`invalid credential date "${credential.day}"; expected "${amzDate.slice(0, 8)}"`)
  return {
    ...credential,
    sessionToken: String(headers['x-amz-security-token'] ?? ''),
    signedHeaders: signedHeaders.toLowerCase().split(';'),
    signature,
    amzDate,
    signedAt,
    isPresigned: false,
    path,
    query,
  }
}

function readPresigned(path: string, query: SignatureClaim['query']): SignatureClaim | RefusedSignature {
  const refuseMalformed = (message: string) => refuse('malformed', message, true)
  const readField = (name: string) => query.find(([key]) => key === name)?.[1]
  const requiredParameters = ['Algorithm', 'Credential', 'Signature', 'Date', 'SignedHeaders', 'Expires']
  if (requiredParameters.some((name) => !readField(`X-Amz-${name}`)))
    return refuseMalformed(
      'Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.',
    )
  if (readField('X-Amz-Algorithm') !== knownAlgorithm)
    return refuseMalformed(`X-Amz-Algorithm only supports "${knownAlgorithm}" and "AWS4-ECDSA-P256-SHA256"`)
  const credential = readCredential(readField('X-Amz-Credential'))
  if (!credential)
    return refuseMalformed(
      'Error parsing the X-Amz-Credential parameter; the Credential is mal-formed; expecting "<key>/YYYYMMDD/REGION/SERVICE/aws4_request".',
    )
  const amzDate = readField('X-Amz-Date') ?? ''
  const signedAt = readAmzDate(amzDate)
  if (!signedAt)
    return refuseMalformed("X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"")
  if (credential.day !== amzDate.slice(0, 8))
    return refuseMalformed(
      `Error parsing the X-Amz-Credential parameter; incorrect date "${credential.day}". This should be "${amzDate.slice(0, 8)}".`,
    )
  const expires = readField('X-Amz-Expires') ?? ''
  const expiresS = Number(expires)
  if (/^-/.test(expires)) return refuseMalformed('X-Amz-Expires must be non-negative')
  if (!/^\d+$/.test(expires)) return refuseMalformed('X-Amz-Expires should be a number')
  if (expiresS < 1) return refuseMalformed('X-Amz-Expires must be greater than zero seconds')
  if (expiresS > weekS)
    return refuseMalformed(
      'X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than 604800 seconds',
    )
  return {
    ...credential,
    sessionToken: readField('X-Amz-Security-Token') ?? '',
    signedHeaders: (readField('X-Amz-SignedHeaders') ?? '').toLowerCase().split(';'),
    signature: readField('X-Amz-Signature') ?? '',
    amzDate,
    signedAt,
    expiresS,
    isPresigned: true,
    path,
    query,
  }
}

/** Parses a credential such as `key/20260131/us-east-1/s3/aws4_request`; the key may itself contain slashes. */
export function readCredential(text: string | undefined) {
  const match = /^(.+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request$/.exec(text ?? '')
  if (!match) return undefined
  const [, accessKeyId = '', day = '', region = '', service = ''] = match
  return { accessKeyId, day, region, service }
}

/** Parses a time such as `20260131T235959Z`; undefined for any other text. */
export function readAmzDate(text: string): Date | undefined {
  const iso = text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6.000Z')
  const date = new Date(iso)
  return iso === text || Number.isNaN(date.getTime()) ? undefined : date
}

function formatIsoDate(httpDate: string | undefined): string {
  const date = new Date(httpDate ?? '')
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().replace(/[-:]|\.\d+/g, '')
}

/** Decodes a query string into pairs; undefined if an escape is not UTF-8. */
export function readQuery(text: string): [name: string, value: string][] | undefined {
  const decode = (component: string) => decodeURIComponent(component.replaceAll('+', ' '))
  try {
    return text
      .split('&')
      .filter((pair) => pair !== '')
      .map((pair) => {
        const equalsIndex = pair.indexOf('=')
        return equalsIndex < 0
          ? [decode(pair), '']
          : [decode(pair.slice(0, equalsIndex)), decode(pair.slice(equalsIndex + 1))]
      })
  } catch {
    return undefined
  }
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

function refuse(reason: SignatureRefusal, message: string, isPresigned: boolean): RefusedSignature {
  return { ok: false, reason, message, isPresigned }
}
