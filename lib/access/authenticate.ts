import type { Services } from '../services.ts'
import { anonymousPrincipal } from './anonymous.ts'
import { authenticateByKey } from './api-key-auth.ts'
import type { AuthMethod } from './auth-method.ts'
import { authenticateByToken } from './oauth/token-auth.ts'
import type { Credentials, Principal } from './principal.ts'
import { authenticateBySession } from './session-auth.ts'

/** The first that a request goes decides; everybody is anonymous at last. */
const authMethods: readonly AuthMethod[] = [authenticateByKey, authenticateByToken, authenticateBySession]

/** @throws AppError INVALID_API_KEY and others with status 401 */
export async function authenticate(request: Credentials, services: Services): Promise<Principal> {
  for (const method of authMethods) {
    const principal = await method(request, services)
    if (principal) return principal
  }
  return anonymousPrincipal(request, services)
}
