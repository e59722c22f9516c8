import { createHmac, timingSafeEqual } from 'node:crypto'
import { newId } from '../ids.ts'

/** Who jobs and uploads belong to. Until accounts exist it is an anonymous identity that the service hands out. */
export interface Owner {
  readonly id: string
  /** Signed form, given back to the client and accepted from it as cookie or header. */
  readonly token: string
  /** True when this request brought no identity, so that the reply must hand one out. */
  readonly isNew: boolean
}

export const ownerHeader = 'x-owner-token'
export const ownerCookie = 'mutabor_owner'

const sign = (id: string, secret: Buffer) =>
  createHmac('sha256', secret).update(`owner\n${id}`).digest('base64url')

function idOf(token: string | undefined, secret: Buffer): string | undefined {
  const [id, signature] = token?.split('.') ?? []
  if (!id || !signature) return undefined
  const expected = Buffer.from(sign(id, secret))
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected) ? id : undefined
}

/**
 * The one place that decides whose request this is. A forged or foreign token counts as none: the client gets a
 * new identity and sees nothing of others.
 */
export function ownerOf(
  request: { headers: Readonly<Record<string, string | undefined>>; cookies?: readonly string[] | undefined },
  secret: Buffer,
): Owner {
  const cookie = request.cookies
    ?.find((pair) => pair.startsWith(`${ownerCookie}=`))
    ?.slice(ownerCookie.length + 1)
  const known = idOf(request.headers[ownerHeader], secret) ?? idOf(cookie, secret)
  return known === undefined ? newOwner(newId('anon'), secret) : { ...newOwner(known, secret), isNew: false }
}

/** An identity that this request's reply hands out. */
export const newOwner = (id: string, secret: Buffer): Owner => ({
  id,
  token: `${id}.${sign(id, secret)}`,
  isNew: true,
})
