import { ownerHeader } from '../access/anonymous.ts'
import { type Access, grantedScopes, isOpenAccess } from '../access/principal.ts'
import { sessionCookieName } from '../access/session-auth.ts'
import type { ErrorCode } from '../error-catalog.ts'

/** Ways to say who one is, and what an operation needs, as OpenAPI has it. */

export const securitySchemes = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Api-Key',
    description: 'An API key, `sk_…` or `ck_…`, of `POST /v1/api-keys`',
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key, an access token or an owner token as `Authorization: Bearer …`',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookieName('https:'),
    description: 'Of a person who has signed in',
  },
  owner: {
    type: 'apiKey',
    in: 'header',
    name: ownerHeader,
    description: 'Identity that an earlier reply handed out',
  },
} as const

/** Any of them lets a request in; scopes are named beside each (OpenAPI 3.1, Security Requirement Object). */
export function securityOf(access: Access): Record<string, string[]>[] {
  if (isOpenAccess(access)) return []
  const scopes = [...access.scopes]
  const isGranted = grantedScopes.some((scope) => scopes.includes(scope))
  return [
    ...(access.anonymous ? [{}, { owner: [] }] : []),
    ...(isGranted ? [{ apiKey: scopes }, { bearer: scopes }] : []),
    { session: scopes },
  ]
}

export function accessErrors(access: Access): readonly ErrorCode[] {
  if (isOpenAccess(access)) return []
  return [
    ...(access.anonymous === true ? [] : (['AUTHENTICATION_REQUIRED'] as const)),
    ...(['INVALID_API_KEY', 'INSUFFICIENT_PERMISSIONS', 'RATE_LIMITED'] as const),
  ]
}
