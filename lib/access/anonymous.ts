import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Config } from '../config.ts'
import { AppError } from '../errors.ts'
import { newId } from '../ids.ts'
import type { Credentials, Principal } from '../model/principal.ts'
import { toRateLimitAddress } from '../net/ip-networks.ts'
import { readBearerToken } from './bearer.ts'

/** Anonymous identities, which the service issues to clients without an account when they first create something. */

export const ownerHeader = 'x-owner-token'
export const ownerCookie = 'mutabor_owner'

const signOwnerId = (id: string, secret: Buffer) =>
  createHmac('sha256', secret).update(`owner\n${id}`).digest('base64url')

/** Returns the signed form of an identity, which clients send as a cookie or header. */
export const signOwnerToken = (id: string, secret: Buffer): string => `${id}.${signOwnerId(id, secret)}`

/** Returns the identity of a token; undefined if its signature is invalid, or if it names an account. */
export function verifyOwnerToken(token: string | undefined, secret: Buffer): string | undefined {
  const [id = ''] = token?.split('.', 1) ?? []
  if (!token || !/^anon_\w{1,64}$/.test(id)) return undefined
  const [expectedToken, givenToken] = [Buffer.from(signOwnerToken(id, secret)), Buffer.from(token)]
  return givenToken.length === expectedToken.length && timingSafeEqual(givenToken, expectedToken)
    ? id
    : undefined
}

/**
 * Returns the anonymous principal of a request. An invalid cookie is ignored, because browsers send it by themselves:
 * the client gets a new identity. An invalid token in a header is an error, since a client only sends one to be
 * recognized.
 * @throws AppError INVALID_API_KEY
 */
export function createAnonymousPrincipal(
  { headers, cookies, sourceIp }: Credentials,
  {
    keys,
    config,
  }: { readonly keys: { readonly owner: Buffer }; readonly config: Pick<Config, 'ANONYMOUS_PLAN'> },
): Principal {
  const cookie = cookies?.find((pair) => pair.startsWith(`${ownerCookie}=`))?.slice(ownerCookie.length + 1)
  const bearer = readBearerToken(headers)
  const bearerOwner = verifyOwnerToken(bearer, keys.owner)
  if (bearer !== undefined && bearerOwner === undefined)
    throw new AppError(
      'INVALID_API_KEY',
      'Authorization: expected Bearer with a valid API key, access token or owner token. Send a valid one, or omit the header.',
      { reason: 'unknown' },
    )
  const tokenOwnerId =
    bearerOwner ?? verifyOwnerHeader(headers[ownerHeader], keys.owner) ?? verifyOwnerToken(cookie, keys.owner)
  return {
    ownerId: tokenOwnerId ?? newId('anon'),
    kind: 'anonymous',
    plan: config.ANONYMOUS_PLAN,
    role: 'USER',
    // No scopes: each endpoint declares whether it serves anonymous clients (`Access.anonymous`).
    scopes: new Set(),
    // Anonymous clients are limited by IP address, because a client can get any number of identities.
    limiterKey: `ip:${toRateLimitAddress(sourceIp)}`,
    ...(tokenOwnerId === undefined && { isNew: true }),
  }
}

/**
 * Returns the identity of `X-Owner-Token`; undefined without the header.
 * @throws AppError INVALID_API_KEY
 */
export function verifyOwnerHeader(token: string | undefined, secret: Buffer): string | undefined {
  if (!token) return undefined
  const owner = verifyOwnerToken(token, secret)
  if (owner !== undefined) return owner
  throw new AppError(
    'INVALID_API_KEY',
    'X-Owner-Token: this service did not issue this token. Send the token from an earlier reply, or omit the header to get a new identity.',
    { reason: 'unknown', field: 'X-Owner-Token' },
  )
}
