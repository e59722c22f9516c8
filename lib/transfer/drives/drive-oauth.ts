import { buffer } from 'node:stream/consumers'
import * as z from 'zod'
import type { GuardedHttp } from '../guarded-http.ts'
import type { Endpoints } from './drive.ts'

/** What a drive gives out when its owner agrees (RFC 6749, 4.1; RFC 7636). */
export const OAuthTokens = z.object({
  access: z.string(),
  /** Absent where the drive gives none: then it has to be connected again. */
  refresh: z.string().optional(),
  /** Milliseconds since 1970. */
  expiresAt: z.number(),
})
export type OAuthTokens = z.infer<typeof OAuthTokens>

export interface ClientRegistration {
  readonly clientId: string
  readonly clientSecret: string
  readonly endpoints: Endpoints
}

const defaultLifetimeS = 3600

/** Loaded when a drive is used: few requests are. */
async function loadClient({ clientId, clientSecret, endpoints }: ClientRegistration, http: GuardedHttp) {
  const library = await import('openid-client')
  const { authorize, token } = endpoints
  const config = new library.Configuration(
    { issuer: new URL(authorize).origin, authorization_endpoint: authorize, token_endpoint: token },
    clientId,
    undefined,
    library.ClientSecretPost(clientSecret),
  )
  // It is a setting of whoever runs the service, as a drive in the same house is.
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

export interface AuthorizationRequest {
  readonly redirectUri: string
  readonly state: string
  readonly scope: string
  readonly extraParameters: Readonly<Record<string, string>>
}

/** Where the owner of a drive is asked, and what proves that whoever comes back is who was sent. */
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

/** @param callbackUrl the address at which the owner came back. @throws what the library does when the drive says no. */
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

/** @throws what the library does when the drive says no. */
export async function refreshTokens(
  registration: ClientRegistration,
  http: GuardedHttp,
  { refresh = '' }: OAuthTokens,
): Promise<OAuthTokens> {
  const { library, config } = await loadClient(registration, http)
  const tokens = parseTokens(await library.refreshTokenGrant(config, refresh))
  // "The authorization server MAY issue a new refresh token", or let the old one go on.
  return { refresh, ...tokens }
}

interface TokenResponse {
  readonly access_token: string
  readonly refresh_token?: string | undefined
  readonly expires_in?: number | undefined
}

const parseTokens = ({ access_token, refresh_token, expires_in }: TokenResponse): OAuthTokens => ({
  access: access_token,
  ...(refresh_token !== undefined && { refresh: refresh_token }),
  expiresAt: Date.now() + (expires_in ?? defaultLifetimeS) * 1000,
})

/** Whether the owner of the drive, and not the way to it, is the reason. */
export const isOAuthRefusal = (error: unknown): boolean =>
  error instanceof Error && ['ResponseBodyError', 'AuthorizationResponseError'].includes(error.name)
