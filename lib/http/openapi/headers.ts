import { ownerHeader } from '../../access/anonymous.ts'
import type { AnyContract } from '../contract.ts'
import { replayedHeader } from '../idempotency.ts'
import { type ReplyHeader, replyHeaders } from '../replies/reply-headers.ts'

interface HeaderComponent {
  readonly name: string
  readonly description: string
  /** Whether the header is always present, as is the case for headers that explain the status. */
  readonly required: boolean
}

const createOptionalHeader = (name: string, description: string): HeaderComponent => ({
  name,
  description,
  required: false,
})
const createRequiredHeader = (name: string, description: string): HeaderComponent => ({
  name,
  description,
  required: true,
})

const commonHeaders = {
  RequestId: createOptionalHeader(
    'x-request-id',
    'Id of the request, or the `X-Request-Id` that the client sent; also in `meta.requestId`',
  ),
  ApiVersion: createOptionalHeader('x-api-version', 'Version of the API'),
}

const limitHeaders = {
  RateLimitLimit: createOptionalHeader(
    'x-ratelimit-limit',
    'Requests that the tightest limit allows; missing if the plan has no limits, such as `self-hosted`',
  ),
  RateLimitRemaining: createOptionalHeader(
    'x-ratelimit-remaining',
    'Remaining requests of the tightest limit',
  ),
  RateLimitReset: createOptionalHeader(
    'x-ratelimit-reset',
    'Time at which the tightest limit resets, in Unix seconds',
  ),
  RateLimitPolicy: createOptionalHeader('ratelimit-policy', 'All limits, for example `"minute";q=60;w=60`'),
  RateLimit: createOptionalHeader(
    'ratelimit',
    'Remaining requests of the tightest limit, for example `"minute";r=57;t=31`',
  ),
}

/** Headers that only some operations or statuses have. */
const otherHeaders = {
  Authenticate: createRequiredHeader('www-authenticate', 'How to authenticate (RFC 6750)'),
  AuthenticateScope: createOptionalHeader(
    'www-authenticate',
    '`Bearer error="insufficient_scope"` with the required scopes, if those of the key or token are too few (RFC 6750)',
  ),
  AcceptEncoding: createRequiredHeader('accept-encoding', 'Supported encodings of request bodies'),
  RetryWhenLimited: createRequiredHeader('retry-after', 'Seconds until the limit resets'),
  RetryWhenUnavailable: createRequiredHeader('retry-after', 'Seconds after which to try again'),
  RetryWhileRunning: createOptionalHeader(
    'retry-after',
    'Seconds after which to try again while the first request is running',
  ),
  ETag: createRequiredHeader('etag', 'Changes with the data of the reply; send it as `If-None-Match`'),
  OwnerToken: createOptionalHeader(
    ownerHeader,
    'The new identity, if the request had none; also sent as a cookie',
  ),
  IdempotentReplayed: createOptionalHeader(
    replayedHeader,
    '`true` if the reply repeats that of an earlier request with the same key',
  ),
  RedirectLocation: createRequiredHeader('location', replyHeaders.location),
  Location: createOptionalHeader('location', replyHeaders.location),
  Link: createOptionalHeader('link', replyHeaders.link),
  PreferenceApplied: createOptionalHeader('preference-applied', replyHeaders['preference-applied']),
  ReprDigest: createOptionalHeader('repr-digest', replyHeaders['repr-digest']),
  PollAfter: createOptionalHeader('retry-after', replyHeaders['retry-after']),
}

const headers = { ...commonHeaders, ...limitHeaders, ...otherHeaders }
type HeaderId = keyof typeof headers
const listIds = <Id extends string>(table: Readonly<Record<Id, unknown>>) => Object.keys(table) as Id[] // keys of a const table

/** The `headers` of the document's components. */
export const headerComponents = Object.fromEntries(
  Object.entries(headers).map(([id, { description, required: isRequired }]) => [
    id,
    { description, required: isRequired, schema: { type: 'string' as const } },
  ]),
)

const replyHeaderIds: Readonly<Record<ReplyHeader, HeaderId>> = {
  link: 'Link',
  location: 'Location',
  'preference-applied': 'PreferenceApplied',
  'repr-digest': 'ReprDigest',
  'retry-after': 'PollAfter',
}
const errorHeaderIds: Readonly<Record<number, HeaderId>> = {
  401: 'Authenticate',
  403: 'AuthenticateScope',
  415: 'AcceptEncoding',
  429: 'RetryWhenLimited',
  503: 'RetryWhenUnavailable',
}
const locationStatuses: readonly number[] = [201, 302, 303]

/** Returns references to the headers of a reply. */
export function createHeaderRefs(contract: AnyContract, status: number) {
  const ids: readonly HeaderId[] = [
    ...listIds(commonHeaders),
    ...listIds(limitHeaders),
    ...(status < 400 ? getSuccessHeaderIds(contract, status) : getFailureHeaderIds(contract, status)),
  ]
  return toRefs(ids)
}

const toRefs = (ids: readonly HeaderId[]) =>
  Object.fromEntries(ids.map((id) => [headers[id].name, { $ref: `#/components/headers/${id}` }]))

/** References to the rate-limit headers, which every reply has. */
export const limitHeaderRefs = toRefs(listIds(limitHeaders))

function getFailureHeaderIds({ idempotent }: AnyContract, status: number): readonly HeaderId[] {
  if (status === 409) return idempotent ? ['RetryWhileRunning'] : []
  const id = errorHeaderIds[status]
  return id ? [id] : []
}

function getSuccessHeaderIds(
  { reply, idempotent, issuesIdentity }: AnyContract,
  status: number,
): readonly HeaderId[] {
  const namedHeaders: readonly ReplyHeader[] = status === 304 || status === 204 ? [] : (reply.headers ?? [])
  return [
    ...namedHeaders.map((name) =>
      name === 'location' && locationStatuses.includes(status) ? 'RedirectLocation' : replyHeaderIds[name],
    ),
    ...(reply.etag && status !== 204 ? (['ETag'] as const) : []),
    ...(idempotent || issuesIdentity ? (['OwnerToken'] as const) : []),
    ...(idempotent ? (['IdempotentReplayed'] as const) : []),
  ]
}
