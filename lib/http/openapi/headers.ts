import { ownerHeader } from '../../access/anonymous.ts'
import { isOpenAccess } from '../../model/principal.ts'
import type { AnyContract } from '../contract.ts'
import { replayedHeader } from '../idempotency.ts'
import { replyHeaders } from '../replies/reply-headers.ts'

const limitHeaders = {
  'x-ratelimit-limit': 'Requests that the tightest limit allows; missing if the plan has no limits',
  'x-ratelimit-remaining': 'Remaining requests of that limit',
  'x-ratelimit-reset': 'Time at which that limit resets, in Unix seconds',
  'ratelimit-policy': 'All limits, for example `"minute";q=60;w=60`',
  ratelimit: 'Remaining requests of the tightest limit, for example `"minute";r=57;t=31`',
}
const headersByStatus: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'www-authenticate': 'How to authenticate (RFC 6750)' },
  415: { 'accept-encoding': 'Supported encodings of request bodies' },
  429: { 'retry-after': 'Seconds until the limit resets' },
  503: { 'retry-after': 'Seconds after which to try again' },
}
/** Headers that explain the status are never missing. */
const listRequiredHeaders = (status: number): readonly string[] =>
  status === 201 || status === 302 || status === 303
    ? ['location']
    : Object.keys(headersByStatus[status] ?? {})

/** Returns the OpenAPI headers of a reply. */
export function openApiHeaders(contract: AnyContract, status: number) {
  const described: Readonly<Record<string, string>> = {
    'x-request-id': 'Id of the request, or the `X-Request-Id` that the client sent; also in `meta.requestId`',
    'x-api-version': 'Version of the API',
    ...(isOpenAccess(contract.access) ? {} : limitHeaders),
    ...(status < 400 ? successHeaders(contract, status) : headersByStatus[status]),
    ...(status === 409 &&
      contract.idempotent && {
        'retry-after': 'Seconds after which to try again while the first request is running',
      }),
  }
  return Object.fromEntries(
    Object.entries(described).map(([name, description]) => [
      name,
      {
        description,
        required: listRequiredHeaders(status).includes(name) || name === 'etag',
        schema: { type: 'string' as const },
      },
    ]),
  )
}

function successHeaders({ reply, idempotent, issuesIdentity }: AnyContract, status: number) {
  const named = (reply.headers ?? []).map((name) => [name, replyHeaders[name]])
  return {
    ...Object.fromEntries(status === 304 || status === 204 ? [] : named),
    ...(reply.etag &&
      status !== 204 && { etag: 'Changes with the data of the reply; send it as `If-None-Match`' }),
    ...((idempotent || issuesIdentity) && {
      [ownerHeader]: 'The new identity, if the request had none; also sent as a cookie',
    }),
    ...(idempotent && {
      [replayedHeader]: '`true` if the reply repeats that of an earlier request with the same key',
    }),
  }
}
