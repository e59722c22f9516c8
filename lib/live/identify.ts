import { type Owner, ownerHeader, ownerOf } from '../http/owner.ts'
import { subprotocol } from './frames.ts'

/** What a handshake says about who it is. */
export type Claim =
  | { readonly kind: 'known'; readonly owner: string }
  | { readonly kind: 'ticket'; readonly ticket: string }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'refused'; readonly reason: 'unauthenticated' | 'forbidden' }

export interface Handshake {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly query: Readonly<Record<string, string | undefined>>
}

const bearerProtocol = 'bearer.'

/** The first that is there decides, in this order: cookie, header, subprotocol, ticket. Without any the first frame does. */
export function claimOf({ headers, query }: Handshake, secret: Buffer, publicUrl: string | undefined): Claim {
  const cookies = headers['cookie']?.split(';').map((pair) => pair.trim())
  const byCookie = cookies && known(ownerOf({ headers: {}, cookies }, secret))
  // A browser sends it whichever page asks.
  const isForeign = byCookie !== undefined && !isOwnPage(headers, publicUrl)
  if (byCookie !== undefined && !isForeign) return { kind: 'known', owner: byCookie }
  const token = tokenIn(headers)
  if (token !== undefined) {
    const owner = ownerOfToken(token, secret)
    return owner === undefined ? { kind: 'refused', reason: 'unauthenticated' } : { kind: 'known', owner }
  }
  const { ticket } = query
  if (ticket) return { kind: 'ticket', ticket }
  return isForeign ? { kind: 'refused', reason: 'forbidden' } : { kind: 'unknown' }
}

export const ownerOfToken = (token: string, secret: Buffer): string | undefined =>
  known(ownerOf({ headers: { [ownerHeader]: token } }, secret))

const known = ({ id, isNew }: Owner) => (isNew ? undefined : id)

function tokenIn(headers: Handshake['headers']): string | undefined {
  const bearer = /^bearer +(\S+)$/i.exec(headers['authorization'] ?? '')?.[1]
  const offered = protocolsOf(headers).find((name) => name.startsWith(bearerProtocol))
  return bearer ?? headers[ownerHeader] ?? offered?.slice(bearerProtocol.length)
}

const protocolsOf = (headers: Handshake['headers']): string[] =>
  (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim())

/** The subprotocol that the answer names; a browser that offered some wants one of them. */
export const chosenProtocol = (headers: Handshake['headers']): string | undefined =>
  protocolsOf(headers).includes(subprotocol) ? subprotocol : undefined

/** Programs send no `Origin`, and cookies only on purpose. */
function isOwnPage(headers: Handshake['headers'], publicUrl: string | undefined): boolean {
  const { origin, host } = headers
  if (origin === undefined) return true
  const page = URL.parse(origin)
  return page !== null && (page.host === host || page.origin === URL.parse(publicUrl ?? '')?.origin)
}
