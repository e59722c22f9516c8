import { moveToAccount } from '../lib/access/adopt-anonymous.ts'
import { ownerCookie, ownerHeader, verifyOwnerHeader, verifyOwnerToken } from '../lib/access/anonymous.ts'
import { type AuthOptions, createAuth } from '../lib/access/auth/auth.ts'
import { isSameOrigin } from '../lib/access/same-origin.ts'
import { lazyAsync } from '../lib/async/lazy-async.ts'
import { handleAuth, replyToErrors } from '../lib/http/auth-adapter.ts'
import type { HttpEvent } from '../lib/http/contract.ts'
import type { ApiHandler } from '../lib/http/http-function.ts'
import { readLimitHeaders } from '../lib/http/replies/limit-headers.ts'
import { getClientIpBehindEdge } from '../lib/net/edge-origin.ts'
import { createLambdaServices } from '../lib/services/lambda-services.ts'
import type { Services } from '../lib/services/services.ts'

/** How long to wait before retrying a provider that did not respond. */
const providerRetryMs = 30_000

/** The sign-in API. It is a separate function because better-auth is as large as the rest of the API. */
export function createAuthApi(
  services: Services,
  {
    constantTimeMs,
    ...authOverrides
  }: Pick<AuthOptions, 'mailer' | 'password'> & { readonly constantTimeMs?: number } = {},
): ApiHandler {
  const origin = new URL(services.config.PUBLIC_URL ?? `http://localhost:${services.config.PORT}`).origin
  const createAuthInstance = () =>
    createAuth({
      services,
      ...authOverrides,
      onSignUp: async (account, headers) => {
        const anonymousOwner = readAnonymousOwner(headers, services.keys.owner)
        if (anonymousOwner !== undefined) await moveToAccount(anonymousOwner, account, services)
      },
    })
  const { OPENID_PROVIDERS: providers = [] } = services.config
  let auth = createAuthInstance()
  let authCreatedAt = Date.now()
  /**
   * Returns better-auth. Creates it again after a while if a provider is missing, because better-auth drops providers
   * that do not respond when it is created.
   */
  const getCurrentAuth = async () => {
    if (providers.length === 0 || Date.now() - authCreatedAt < providerRetryMs) return auth
    const { socialProviders } = await auth.$context
    if (providers.every(({ id }) => socialProviders.some((provider) => provider.id === id))) return auth
    authCreatedAt = Date.now()
    auth = createAuthInstance()
    return auth
  }
  const respond: ApiHandler = (event) =>
    replyToErrors(event, async () => {
      const address = getClientIpBehindEdge({ ...event, ...event.requestContext.http }, services.config)
      verifyOwnerHeader(event.headers[ownerHeader], services.keys.owner)
      const usesOtherHostname = services.config.TRUST_HOST === '1' && isSameOrigin(event.headers, origin)
      return handleAuth(await getCurrentAuth(), usesOtherHostname ? withPublicOrigin(event, origin) : event, {
        origin,
        address,
        constantTimeMs,
      })
    })
  return async (event, context) => {
    const result = await respond(event, context)
    return { ...result, headers: { ...(await readLimitHeaders(event, services)), ...result.headers } }
  }
}

/** Replaces the page's origin with the public origin, which better-auth accepts. */
const withPublicOrigin = (event: HttpEvent, origin: string): HttpEvent =>
  event.headers['origin'] === undefined ? event : { ...event, headers: { ...event.headers, origin } }

/** Returns the anonymous identity that a client had before it signed up. */
function readAnonymousOwner(headers: Headers, secret: Buffer): string | undefined {
  const cookie = headers
    .get('cookie')
    ?.split(/;\s*/)
    .find((pair) => pair.startsWith(`${ownerCookie}=`))
    ?.slice(ownerCookie.length + 1)
  return verifyOwnerToken(headers.get(ownerHeader) ?? undefined, secret) ?? verifyOwnerToken(cookie, secret)
}

const authApi = lazyAsync(async () => createAuthApi(await createLambdaServices()))

export const handler: ApiHandler = async (event, context) => (await authApi())(event, context)
