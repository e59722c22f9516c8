import { ownerHeader } from '../access/anonymous.ts'
import { isOpenAccess } from '../access/principal.ts'
import type { AnyContract } from './contract.ts'
import { replayedHeader } from './idempotency.ts'
import { replyHeaders } from './reply-headers.ts'

const limitHeaders = {
  'x-ratelimit-limit': 'Requests that the limit which ends first allows; without one there is no such header',
  'x-ratelimit-remaining': 'How many of them are left',
  'x-ratelimit-reset': 'When it begins anew, in Unix seconds',
  'ratelimit-policy': 'All limits, as `"minute";q=60;w=60`',
  ratelimit: 'What is left of each, as `"minute";r=57;t=31`',
}
const headersByStatus: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'www-authenticate': 'The way in (RFC 6750)' },
  415: { 'accept-encoding': 'Encodings of bodies that are read' },
  429: { 'retry-after': 'Seconds until there is something left' },
  503: { 'retry-after': 'Seconds after which it may work again' },
}
/** Those that say what the status means cannot be missing. */
const requiredHeaders = (status: number): readonly string[] =>
  status === 201 || status === 302 || status === 303
    ? ['location']
    : Object.keys(headersByStatus[status] ?? {})

/** Headers of a reply, as OpenAPI has them. */
export function openApiHeaders(contract: AnyContract, status: number) {
  const described: Readonly<Record<string, string>> = {
    'x-request-id': 'Id of the request, or what the client sent as such; `meta.requestId` repeats it',
    'x-api-version': 'Version of the interface',
    ...(isOpenAccess(contract.access) ? {} : limitHeaders),
    ...(status < 400 ? successHeaders(contract, status) : headersByStatus[status]),
    ...(status === 409 &&
      contract.idempotent && { 'retry-after': 'Seconds, while the first request is at work' }),
  }
  return Object.fromEntries(
    Object.entries(described).map(([name, description]) => [
      name,
      {
        description,
        required: requiredHeaders(status).includes(name) || name === 'etag',
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
      status !== 204 && { etag: 'Changes with what the reply tells; `If-None-Match` takes it' }),
    ...((idempotent || issuesIdentity) && {
      [ownerHeader]:
        'The identity that was handed out, where there was none; the cookie of that name has it, too',
    }),
    ...(idempotent && { [replayedHeader]: '`true` on a reply that was given before under the same key' }),
  }
}
