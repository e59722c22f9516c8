import type { Context } from 'aws-lambda'
import { createAuth } from '../lib/access/auth/auth.ts'
import { handleAuth } from '../lib/access/auth/handle.ts'
import { readConfig } from '../lib/config.ts'
import { createServices } from '../lib/create-services.ts'
import type { HttpEvent } from '../lib/http/contract.ts'
import type { ApiHandler } from './api.ts'

/** Signing in and all that belongs to it: a function of its own, because what it loads is as large as all of the API. */
export function createAccount(environment?: Readonly<Record<string, string>>): ApiHandler {
  const services = createServices(readConfig(environment))
  const origin = new URL(services.config.PUBLIC_URL ?? 'http://localhost').origin
  const auth = createAuth({ services })
  return async (event) => {
    const address = event.requestContext.http.sourceIp
    return handleAuth(auth, event, { origin, address })
  }
}

let account: ApiHandler | undefined

export const handler = (event: HttpEvent, context: Context) => {
  account ??= createAccount()
  return account(event, context)
}
