import { authenticate } from '../access/authenticate.ts'
import { authorize } from '../access/authorize.ts'
import { isSameOrigin } from '../access/same-origin.ts'
import { AppError } from '../errors.ts'
import { type Credentials, listAccess, type Principal } from '../model/principal.ts'

import type { Services } from '../services/services.ts'
import { defined } from '../validation/defined.ts'
import type { ConnectingOwner } from './connections.ts'
import { subprotocol } from './frames.ts'

/** The identity that a client claims in its handshake. */
export type IdentityClaim =
  | ({ readonly kind: 'known' } & ConnectingOwner)
  | { readonly kind: 'ticket'; readonly ticket: string }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'refused'; readonly reason: 'unauthenticated' | 'forbidden' }

export interface Handshake {
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly query: Readonly<Record<string, string | undefined>>
  /** IP address of the client. */
  readonly sourceIp: string
}

const bearerProtocol = 'bearer.'
const unknownClaim = { kind: 'unknown' } as const

/**
 * Reads the identity that the handshake claims. The first of these that is present decides: cookie, header,
 * subprotocol, ticket. If none is present, the client has to identify itself in its first frame.
 */
export async function readClaim(
  { headers, query, sourceIp }: Handshake,
  services: Services,
): Promise<IdentityClaim> {
  const cookies = headers['cookie']?.split(';').map((pair) => pair.trim())
  const { origin } = headers
  const cookieClaim = cookies
    ? await authenticateClaim({ headers: { origin }, cookies, sourceIp }, services)
    : unknownClaim
  // Browsers send the cookie whichever page connects, so a cookie from another origin must be ignored.
  const isCrossOrigin = cookieClaim.kind === 'known' && !isSameOrigin(headers, services.config.PUBLIC_URL)
  if (cookieClaim.kind === 'known' && !isCrossOrigin) return cookieClaim
  const headerClaim = await authenticateClaim({ headers: addBearerToken(headers), sourceIp }, services)
  if (headerClaim.kind !== 'unknown') return headerClaim
  const { ticket } = query
  if (ticket) return { kind: 'ticket', ticket }
  return isCrossOrigin ? { kind: 'refused', reason: 'forbidden' } : unknownClaim
}

/** Reads the identity from the token in the first frame. */
export const readTokenClaim = (token: string, sourceIp: string, services: Services): Promise<IdentityClaim> =>
  authenticateClaim({ headers: { authorization: `Bearer ${token}` }, sourceIp }, services)

async function authenticateClaim(
  credentials: Omit<Credentials, 'method'>,
  services: Services,
): Promise<IdentityClaim> {
  try {
    const principal: Principal = await authenticate({ ...credentials, method: 'GET' }, services)
    if (principal.isNew) return unknownClaim
    authorize(principal, listAccess)
    const { ownerId: owner, credential } = principal
    return { kind: 'known', owner, ...defined({ credential }) }
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error
    return { kind: 'refused', reason: error.status === 403 ? 'forbidden' : 'unauthenticated' }
  }
}

/** Converts a token in a subprotocol, which browsers have to use, to the header that other programs send. */
function addBearerToken(headers: Handshake['headers']): Handshake['headers'] {
  const offeredProtocol = parseProtocols(headers).find((name) => name.startsWith(bearerProtocol))
  const bearerHeader =
    headers['authorization'] ?? (offeredProtocol && `Bearer ${offeredProtocol.slice(bearerProtocol.length)}`)
  // Sent as a bearer token, so that an unknown owner token is refused: a socket cannot create a new identity.
  const owner = headers['x-owner-token']
  return { ...headers, authorization: bearerHeader ?? (owner && `Bearer ${owner}`) }
}

const parseProtocols = (headers: Handshake['headers']): string[] =>
  (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim())

/** Selects the subprotocol for the response. A browser that offered subprotocols requires one of them. */
export const selectSubprotocol = (headers: Handshake['headers']): string | undefined =>
  parseProtocols(headers).includes(subprotocol) ? subprotocol : undefined
