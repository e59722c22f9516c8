import { ownerHeader } from '../../access/anonymous.ts'
import { getSessionCookieName } from '../../access/session-auth.ts'
import type { ErrorCode } from '../../error-catalog.ts'
import { type Access, type GrantedScope, grantedScopes, isOpenAccess } from '../../model/principal.ts'

/** Security schemes and requirements for the OpenAPI document. */

const scopeDescriptions: Readonly<Record<GrantedScope, string>> = {
  CONVERT_READ: 'Read formats, jobs and results',
  CONVERT_WRITE: 'Upload and convert files, and change jobs and workflows',
  WEBHOOKS_MANAGE: 'Manage webhooks and their deliveries',
  ACCOUNT_READ: 'Read the account and its usage',
}

/** Returns the security schemes. @param url URL of the service; the token endpoint is below it */
export const securitySchemes = (url: string) =>
  ({
    oauth: {
      type: 'oauth2',
      description:
        'An access token as `Authorization: Bearer …`, for a client created with `POST /v1/oauth/clients`',
      flows: {
        clientCredentials: {
          tokenUrl: `${url.replace(/\/$/, '')}/v1/oauth/token`,
          scopes: { ...scopeDescriptions },
        },
      },
    },
    apiKey: {
      type: 'apiKey',
      in: 'header',
      name: 'X-Api-Key',
      description:
        'An API key (`sk_…` or `ck_…`), created with `POST /v1/api-keys`; it can have the same scopes as an OAuth client',
    },
    bearer: {
      type: 'http',
      scheme: 'bearer',
      description: 'An API key or an owner token as `Authorization: Bearer …`',
    },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: getSessionCookieName('https:'),
      description: 'Session of a signed-in user, who has all scopes',
    },
    owner: {
      type: 'apiKey',
      in: 'header',
      name: ownerHeader,
      description: 'Anonymous identity from an earlier reply',
    },
  }) as const

/**
 * Returns the alternative authentication methods, and the scopes that all of them need. Only OAuth schemes can list
 * scopes (OpenAPI 3.1, Security Requirement Object), and some scopes are for sessions only.
 */
export function getSecurity(access: Access) {
  if (isOpenAccess(access)) return { security: [] }
  const scopes = [...access.scopes]
  const isGranted = grantedScopes.some((scope) => scopes.includes(scope))
  const security: Record<string, string[]>[] = [
    ...(access.anonymous ? [{}, { owner: [] }] : []),
    ...(isGranted ? [{ oauth: scopes }, { apiKey: [] }, { bearer: [] }] : []),
    { session: [] },
  ]
  return { security, 'x-scopes': scopes }
}

export function getAccessErrors(access: Access): readonly ErrorCode[] {
  if (isOpenAccess(access)) return []
  return [
    ...(access.anonymous === true ? [] : (['AUTHENTICATION_REQUIRED'] as const)),
    ...(['INVALID_API_KEY', 'INSUFFICIENT_PERMISSIONS', 'RATE_LIMITED'] as const),
  ]
}
