import type { Credentials, Principal } from '../model/principal.ts'
import type { Services } from '../services/services.ts'
import { createAnonymousPrincipal } from './anonymous.ts'
import { authenticateByKey } from './api-key-auth.ts'
import type { AuthMethod } from './auth-method.ts'
import { authenticateByToken } from './oauth/token-auth.ts'
import { authenticateBySession } from './session-auth.ts'

/** Methods in order of precedence: the first one that a request uses decides. Requests without any are anonymous. */
const authMethods: readonly AuthMethod[] = [authenticateByKey, authenticateByToken, authenticateBySession]

/** @throws AppError INVALID_API_KEY or another error with status 401. */
export async function authenticate(request: Credentials, services: Services): Promise<Principal> {
  for (const method of authMethods) {
    const principal = await method(request, services)
    if (principal) return principal
  }
  return createAnonymousPrincipal(request, services)
}
