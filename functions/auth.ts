import { moveToAccount } from '../lib/access/adopt-anonymous.ts'
import { ownerCookie, ownerHeader, verifyOwnerToken } from '../lib/access/anonymous.ts'
import { type AuthOptions, createAuth } from '../lib/access/auth/auth.ts'
import { handleAuth } from '../lib/access/auth/http-adapter.ts'
import { isSameOrigin } from '../lib/access/same-origin.ts'
import type { HttpEvent } from '../lib/http/contract.ts'
import { clientIpOf } from '../lib/http/edge-origin.ts'
import type { ApiHandler } from '../lib/http/http-function.ts'
import { deployedServices } from '../lib/lambda-services.ts'
import { started } from '../lib/lazy-async.ts'
import type { Services } from '../lib/services.ts'

/** Milliseconds after which a provider that did not answer is asked again. */
const retryProvidersMs = 30_000

/** Signing in and all that belongs to it: a function of its own, because what it loads is as large as all of the API. */
export function createAuthApi(
  services: Services,
  {
    constantTimeMs,
    ...given
  }: Pick<AuthOptions, 'mailer' | 'password'> & { readonly constantTimeMs?: number } = {},
): ApiHandler {
  const origin = new URL(services.config.PUBLIC_URL ?? `http://localhost:${services.config.PORT}`).origin
  const make = () =>
    createAuth({
      services,
      ...given,
      onSignUp: async (account, headers) => {
        const before = previousOwner(headers, services.keys.owner)
        if (before !== undefined) await moveToAccount(before, account, services)
      },
    })
  const { OPENID_PROVIDERS: providers = [] } = services.config
  let auth = make()
  let madeAt = Date.now()
  /** A provider that does not answer is left out by the library for good. */
  const current = async () => {
    if (providers.length === 0 || Date.now() - madeAt < retryProvidersMs) return auth
    const { socialProviders } = await auth.$context
    if (providers.every(({ id }) => socialProviders.some((known) => known.id === id))) return auth
    madeAt = Date.now()
    auth = make()
    return auth
  }
  return async (event) => {
    const address = clientIpOf({ ...event, ...event.requestContext.http }, services.config)
    const isOtherName = services.config.TRUST_HOST === '1' && isSameOrigin(event.headers, origin)
    return handleAuth(await current(), isOtherName ? withPublicOrigin(event, origin) : event, {
      origin,
      address,
      constantTimeMs,
    })
  }
}

/** The page of the service under another of its names, which the library does not know. Letters keep the one that it does. */
const withPublicOrigin = (event: HttpEvent, origin: string): HttpEvent =>
  event.headers['origin'] === undefined ? event : { ...event, headers: { ...event.headers, origin } }

/** Who this was before he signed up. */
function previousOwner(headers: Headers, secret: Buffer): string | undefined {
  const cookie = headers
    .get('cookie')
    ?.split(/;\s*/)
    .find((pair) => pair.startsWith(`${ownerCookie}=`))
    ?.slice(ownerCookie.length + 1)
  return verifyOwnerToken(headers.get(ownerHeader) ?? undefined, secret) ?? verifyOwnerToken(cookie, secret)
}

const authApi = started(async () => createAuthApi(await deployedServices()))

export const handler: ApiHandler = async (event, context) => (await authApi())(event, context)
