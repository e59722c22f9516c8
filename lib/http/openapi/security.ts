import { ownerHeader } from '../../access/anonymous.ts'
import { sessionCookieName } from '../../access/session-auth.ts'
import type { ErrorCode } from '../../error-catalog.ts'
import { type Access, grantedScopes, isOpenAccess } from '../../model/principal.ts'

/** Security schemes and requirements for the OpenAPI document. */

export const securitySchemes = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Api-Key',
    description: 'An API key, `sk_…` or `ck_…`, created with `POST /v1/api-keys`',
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
    description: 'Session of a signed-in user',
  },
  owner: {
    type: 'apiKey',
    in: 'header',
    name: ownerHeader,
    description:
      'Anonymous identity from an earlier reply. A token that this service did not issue gets 401 `INVALID_API_KEY` with `details.field` `X-Owner-Token`: forget it and send the request without it',
  },
} as const

/** Alternatives, each with the required scopes (OpenAPI 3.1, Security Requirement Object). */
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
