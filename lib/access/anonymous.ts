import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Config } from '../config.ts'
import { AppError } from '../errors.ts'
import { rateLimitAddress } from '../http/ip-networks.ts'
import { newId } from '../ids.ts'
import { bearerToken } from './bearer.ts'
import type { Credentials, Principal } from './principal.ts'

/** Who has no account has an identity that the service hands out with the first thing that he makes. */

export const ownerHeader = 'x-owner-token'
export const ownerCookie = 'mutabor_owner'

const signatureOf = (id: string, secret: Buffer) =>
  createHmac('sha256', secret).update(`owner\n${id}`).digest('base64url')

/** Signed form, given to the client and accepted from it as cookie or header. */
export const signOwnerToken = (id: string, secret: Buffer): string => `${id}.${signatureOf(id, secret)}`

/** The identity of a token of ours. */
export function verifyOwnerToken(token: string | undefined, secret: Buffer): string | undefined {
  const [id, signature] = token?.split('.') ?? []
  if (!id || !signature) return undefined
  const expected = Buffer.from(signatureOf(id, secret))
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected) ? id : undefined
}

/**
 * Everybody is at least this. A forged or foreign token counts as none: the client gets a new identity and sees
 * nothing of others. As a bearer it stands for nothing but itself, so there a wrong one is refused.
 * @throws AppError INVALID_API_KEY
 */
export function anonymousPrincipal(
  { headers, cookies, sourceIp }: Credentials,
  {
    keys,
    config,
  }: { readonly keys: { readonly owner: Buffer }; readonly config: Pick<Config, 'ANONYMOUS_PLAN'> },
): Principal {
  const cookie = cookies?.find((pair) => pair.startsWith(`${ownerCookie}=`))?.slice(ownerCookie.length + 1)
  const bearer = bearerToken(headers)
  const bearerOwner = verifyOwnerToken(bearer, keys.owner)
  if (bearer !== undefined && bearerOwner === undefined)
    throw new AppError(
      'INVALID_API_KEY',
      'Authorization: expected Bearer and an API key, an access token or an owner token of this service. Send one that is in use, or none.',
      { reason: 'unknown' },
    )
  const known =
    bearerOwner ?? verifyOwnerToken(headers[ownerHeader], keys.owner) ?? verifyOwnerToken(cookie, keys.owner)
  return {
    ownerId: known ?? newId('anon'),
    kind: 'anonymous',
    plan: config.ANONYMOUS_PLAN,
    role: 'USER',
    // Each endpoint says by itself whether it serves him (`Access.anonymous`).
    scopes: new Set(),
    // Identities cost nothing.
    limiterKey: `ip:${rateLimitAddress(sourceIp)}`,
    ...(known === undefined && { isNew: true }),
  }
}
