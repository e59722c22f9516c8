import type { Services } from '../services.ts'
import { anonymousPrincipal } from './anonymous.ts'
import { byKey } from './api-key-auth.ts'
import type { Way } from './auth-method.ts'
import { byToken } from './oauth/token-auth.ts'
import type { Credentials, Principal } from './principal.ts'
import { bySession } from './session-auth.ts'

/** The first that a request goes decides; everybody is anonymous at last. */
const ways: readonly Way[] = [byKey, byToken, bySession]

/** @throws AppError INVALID_API_KEY and others with status 401 */
export async function authenticate(request: Credentials, services: Services): Promise<Principal> {
  for (const way of ways) {
    const principal = await way(request, services)
    if (principal) return principal
  }
  return anonymousPrincipal(request, services)
}
