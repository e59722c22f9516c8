import { buffer } from 'node:stream/consumers'
import * as z from 'zod'
import type { Outgoing } from '../guarded-http.ts'
import type { Endpoints } from './drive.ts'

/** What a drive gives out when its owner agrees (RFC 6749, 4.1; RFC 7636). */
export const Tokens = z.object({
  access: z.string(),
  /** Absent where the drive gives none: then it has to be connected again. */
  refresh: z.string().optional(),
  /** Milliseconds since 1970. */
  expiresAt: z.number(),
})
export type Tokens = z.infer<typeof Tokens>

export interface Registration {
  readonly clientId: string
  readonly clientSecret: string
  readonly endpoints: Endpoints
}

const usualLifetimeS = 3600

/** Loaded when a drive is used: few requests are. */
async function openId({ clientId, clientSecret, endpoints }: Registration, outgoing: Outgoing) {
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
    const answer = await outgoing.request(url, {
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      ...(body != null && { body: String(body) }),
      signal: signal ?? AbortSignal.timeout(12_000),
      mostRedirects: 0,
    })
    const type = answer.headers['content-type']
    return new Response(new Uint8Array(await buffer(answer.body)), {
      status: answer.status,
      headers: type === undefined ? {} : { 'content-type': type },
    })
  }
  return { library, config }
}

export interface Question {
  readonly redirectUri: string
  readonly state: string
  readonly scope: string
  readonly more: Readonly<Record<string, string>>
}

/** Where the owner of a drive is asked, and what proves that whoever comes back is who was sent. */
export async function question(registration: Registration, outgoing: Outgoing, asked: Question) {
  const { library, config } = await openId(registration, outgoing)
  const verifier = library.randomPKCECodeVerifier()
  const url = library.buildAuthorizationUrl(config, {
    ...asked.more,
    redirect_uri: asked.redirectUri,
    scope: asked.scope,
    state: asked.state,
    code_challenge: await library.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  return { url: url.href, verifier }
}

/** @param came the address at which the owner came back. @throws what the library does when the drive says no. */
export async function tokensFor(
  registration: Registration,
  outgoing: Outgoing,
  came: URL,
  { verifier, state }: { readonly verifier: string; readonly state: string },
): Promise<Tokens> {
  const { library, config } = await openId(registration, outgoing)
  return tokensOf(
    await library.authorizationCodeGrant(config, came, { pkceCodeVerifier: verifier, expectedState: state }),
  )
}

/** @throws what the library does when the drive says no. */
export async function refreshed(
  registration: Registration,
  outgoing: Outgoing,
  { refresh = '' }: Tokens,
): Promise<Tokens> {
  const { library, config } = await openId(registration, outgoing)
  const tokens = tokensOf(await library.refreshTokenGrant(config, refresh))
  // "The authorization server MAY issue a new refresh token", or let the old one go on.
  return { refresh, ...tokens }
}

interface Answer {
  readonly access_token: string
  readonly refresh_token?: string | undefined
  readonly expires_in?: number | undefined
}

const tokensOf = ({ access_token, refresh_token, expires_in }: Answer): Tokens => ({
  access: access_token,
  ...(refresh_token !== undefined && { refresh: refresh_token }),
  expiresAt: Date.now() + (expires_in ?? usualLifetimeS) * 1000,
})

/** Whether the owner of the drive, and not the way to it, is the reason. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof Error && ['ResponseBodyError', 'AuthorizationResponseError'].includes(error.name)
