import { readAccount } from '../../accounts/accounts.ts'
import { type GrantedScope, grantedScopes } from '../../model/principal.ts'
import type { Services } from '../../services/services.ts'
import { Clients, type OAuthClient } from './clients.ts'
import { createOAuthError } from './oauth-errors.ts'
import { AccessTokens } from './tokens.ts'

/** Requests to the token endpoints of RFC 6749, 7009 and 7662. */

interface TokenRequest {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: {
    readonly client_id?: string | undefined
    readonly client_secret?: string | undefined
  }
}

/** @throws AppError invalid_client, invalid_request */
export async function authenticateClient(
  { headers, body }: TokenRequest,
  { table }: Pick<Services, 'table'>,
): Promise<OAuthClient> {
  const { id, secret } = parseClientCredentials(headers['authorization'], body)
  const client = await new Clients(table).authenticate(id, secret)
  const account = client && (await readAccount({ table }, client.owner))
  if (client && account?.status === 'active') return client
  throw createOAuthError('invalid_client', 'The client_id or client_secret is wrong.')
}

/** RFC 6749, 2.3: "The client MUST NOT use more than one authentication method in each request." */
function parseClientCredentials(authorization: string | undefined, body: TokenRequest['body']) {
  const basicCredentials = /^basic +(\S+)$/i.exec(authorization ?? '')?.[1]
  const { client_id: bodyId, client_secret: bodySecret } = body
  if (basicCredentials !== undefined && bodySecret !== undefined)
    throw createOAuthError(
      'invalid_request',
      'Expected client_id and client_secret either in Authorization or in the body, got both.',
    )
  if (basicCredentials === undefined) {
    if (bodyId && bodySecret) return { id: bodyId, secret: bodySecret }
    throw createOAuthError(
      'invalid_client',
      'Expected client_id and client_secret, with Authorization: Basic or in the body.',
    )
  }
  const [, ...userAndPassword] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(basicCredentials, 'base64').toString('utf8')) ?? []
  // Client id and secret are form-encoded before they are joined; neither contains a space.
  const [id, secret] = userAndPassword.map(decodeFormValue)
  if (id && secret && (bodyId === undefined || bodyId === id)) return { id, secret }
  throw createOAuthError(
    'invalid_client',
    'Authorization: expected Basic and client_id:client_secret in base64.',
  )
}

function decodeFormValue(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

/** @throws AppError unsupported_grant_type, invalid_scope, invalid_client, invalid_request */
export async function issueToken(
  request: TokenRequest & {
    readonly body: { readonly grant_type?: string | undefined; readonly scope?: string | undefined }
  },
  { table }: Pick<Services, 'table'>,
) {
  const { grant_type: type, scope } = request.body
  if (type === undefined)
    throw createOAuthError('invalid_request', 'grant_type is missing; expected client_credentials.')
  if (type !== 'client_credentials')
    throw createOAuthError(
      'unsupported_grant_type',
      `grant_type: expected client_credentials, got ${type.slice(0, 40)}.`,
    )
  const client = await authenticateClient(request, { table })
  const scopes = selectScopes(scope, client)
  return { token: await new AccessTokens(table).issue(client, scopes), scopes }
}

/** Returns the requested scopes; all scopes of the client if it requests none. */
function selectScopes(scopeText: string | undefined, { scopes }: OAuthClient): readonly GrantedScope[] {
  const requestedScopes = scopeText?.split(' ').filter(Boolean) ?? []
  if (requestedScopes.length === 0) return scopes
  const refusedScopes = requestedScopes.filter((name) => !scopes.some((scope) => scope === name))
  if (refusedScopes.length > 0)
    throw createOAuthError(
      'invalid_scope',
      `scope: this client may have ${scopes.join(' ')}, got ${refusedScopes.join(' ').slice(0, 100)}.`,
      { allowed: scopes },
    )
  return grantedScopes.filter((scope) => requestedScopes.includes(scope))
}
