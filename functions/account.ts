import type { Context } from 'aws-lambda'
import { ownerCookie, ownerHeader, ownerOfToken } from '../lib/access/anonymous.ts'
import { type AuthParts, createAuth } from '../lib/access/auth/auth.ts'
import { handleAuth } from '../lib/access/auth/handle.ts'
import { moveToAccount } from '../lib/access/move.ts'
import { readConfig } from '../lib/config.ts'
import { createServices } from '../lib/create-services.ts'
import { clientAddress } from '../lib/http/client-address.ts'
import type { HttpEvent } from '../lib/http/contract.ts'
import type { Services } from '../lib/services.ts'
import type { ApiHandler } from './api.ts'

/** Milliseconds after which a provider that did not answer is asked again. */
const againMs = 30_000

/** Signing in and all that belongs to it: a function of its own, because what it loads is as large as all of the API. */
export function createAccount(
  services: Services,
  { evenMs, ...given }: Pick<AuthParts, 'mailer' | 'password'> & { readonly evenMs?: number } = {},
): ApiHandler {
  const origin = new URL(services.config.PUBLIC_URL ?? `http://localhost:${services.config.PORT}`).origin
  const make = () =>
    createAuth({
      services,
      ...given,
      onSignUp: async (account, headers) => {
        const before = knownOwner(headers, services.keys.owner)
        if (before !== undefined) await moveToAccount(before, account, services)
      },
    })
  const { OPENID_PROVIDERS: providers = [] } = services.config
  let auth = make()
  let madeAt = Date.now()
  /** A provider that does not answer is left out by the library for good. */
  const current = async () => {
    if (providers.length === 0 || Date.now() - madeAt < againMs) return auth
    const { socialProviders } = await auth.$context
    if (providers.every(({ id }) => socialProviders.some((known) => known.id === id))) return auth
    madeAt = Date.now()
    auth = make()
    return auth
  }
  return async (event) => {
    const address = clientAddress({ ...event, ...event.requestContext.http }, services.config.TRUSTED_PROXIES)
    return handleAuth(await current(), event, { origin, address, evenMs })
  }
}

/** Who this was before he signed up. */
function knownOwner(headers: Headers, secret: Buffer): string | undefined {
  const cookie = headers
    .get('cookie')
    ?.split(/;\s*/)
    .find((pair) => pair.startsWith(`${ownerCookie}=`))
    ?.slice(ownerCookie.length + 1)
  return ownerOfToken(headers.get(ownerHeader) ?? undefined, secret) ?? ownerOfToken(cookie, secret)
}

let account: ApiHandler | undefined

export const handler = (event: HttpEvent, context: Context) => {
  account ??= createAccount(createServices(readConfig()))
  return account(event, context)
}
