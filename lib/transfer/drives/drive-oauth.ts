import { buffer } from 'node:stream/consumers'
import * as z from 'zod'
import { defined } from '../../validation/defined.ts'
import type { GuardedHttp } from '../guarded-http.ts'
import type { Endpoints } from './drive.ts'

/** Tokens that a drive issues when its owner consents (RFC 6749, 4.1; RFC 7636). */
export const OAuthTokens = z.object({
  access: z.string(),
  /**
   * Refresh token. If the drive issues none, the owner has to connect the drive again once the access token expires.
   */
  refresh: z.string().optional(),
  /** When the access token expires, in milliseconds since 1970. */
  expiresAt: z.number(),
})
export type OAuthTokens = z.infer<typeof OAuthTokens>

export interface ClientRegistration {
  readonly clientId: string
  readonly clientSecret: string
  readonly endpoints: Endpoints
}

const defaultLifetimeS = 3600

/** Loads the OAuth library on first use, because few requests use a drive. */
async function loadClient({ clientId, clientSecret, endpoints }: ClientRegistration, http: GuardedHttp) {
  const library = await import('openid-client')
  const { authorize, token } = endpoints
  const config = new library.Configuration(
    { issuer: new URL(authorize).origin, authorization_endpoint: authorize, token_endpoint: token },
    clientId,
    undefined,
    library.ClientSecretPost(clientSecret),
  )
  // The operator configured an endpoint with plain HTTP, such as a drive in the same network.
  if (token.startsWith('http:')) library.allowInsecureRequests(config)
  config[library.customFetch] = async (url, { method, headers, body, signal }) => {
    const response = await http.request(url, {
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      ...(body != null && { body: String(body) }),
      signal: signal ?? AbortSignal.timeout(12_000),
      maxRedirects: 0,
    })
    const type = response.headers['content-type']
    return new Response(new Uint8Array(await buffer(response.body)), {
      status: response.status,
      headers: type === undefined ? {} : { 'content-type': type },
    })
  }
  return { library, config }
}

interface AuthorizationRequest {
  readonly redirectUri: string
  readonly state: string
  readonly scope: string
  readonly extraParameters: Readonly<Record<string, string>>
}

/**
 * Creates the URL at which the drive's owner is asked for consent, and the PKCE verifier that binds the callback to it.
 */
export async function createAuthorizationUrl(
  registration: ClientRegistration,
  http: GuardedHttp,
  request: AuthorizationRequest,
) {
  const { library, config } = await loadClient(registration, http)
  const verifier = library.randomPKCECodeVerifier()
  const url = library.buildAuthorizationUrl(config, {
    ...request.extraParameters,
    redirect_uri: request.redirectUri,
    scope: request.scope,
    state: request.state,
    code_challenge: await library.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  return { url: url.href, verifier }
}

/**
 * Exchanges the code of a callback for tokens.
 * @param callbackUrl the URL to which the drive redirected.
 * @throws the library's error if the drive refuses.
 */
export async function exchangeCode(
  registration: ClientRegistration,
  http: GuardedHttp,
  callbackUrl: URL,
  { verifier, state }: { readonly verifier: string; readonly state: string },
): Promise<OAuthTokens> {
  const { library, config } = await loadClient(registration, http)
  return parseTokens(
    await library.authorizationCodeGrant(config, callbackUrl, {
      pkceCodeVerifier: verifier,
      expectedState: state,
    }),
  )
}

/** Gets new tokens with a refresh token. @throws the library's error if the drive refuses. */
export async function refreshTokens(
  registration: ClientRegistration,
  http: GuardedHttp,
  { refresh = '' }: OAuthTokens,
): Promise<OAuthTokens> {
  const { library, config } = await loadClient(registration, http)
  const tokens = parseTokens(await library.refreshTokenGrant(config, refresh))
  // RFC 6749, 6: "The authorization server MAY issue a new refresh token"; otherwise the old one stays valid.
  return { refresh, ...tokens }
}

interface TokenResponse {
  readonly access_token: string
  readonly refresh_token?: string | undefined
  readonly expires_in?: number | undefined
}

const parseTokens = ({ access_token, refresh_token, expires_in }: TokenResponse): OAuthTokens => ({
  access: access_token,
  ...defined({ refresh: refresh_token }),
  expiresAt: Date.now() + (expires_in ?? defaultLifetimeS) * 1000,
})

/** Whether the drive or its owner refused; false for a network failure. */
export const isOAuthRefusal = (error: unknown): boolean =>
  error instanceof Error && ['ResponseBodyError', 'AuthorizationResponseError'].includes(error.name)
