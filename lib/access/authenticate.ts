import type { Services } from '../services.ts'
import { asAnonymous } from './anonymous.ts'
import { byKey } from './by-key.ts'
import { byToken } from './oauth/by-token.ts'
import type { Credentials, Principal } from './principal.ts'
import { bySession } from './session.ts'
import type { Way } from './way.ts'

/** The first that a request goes decides; everybody is anonymous at last. */
const ways: readonly Way[] = [byKey, byToken, bySession]

/** @throws AppError INVALID_API_KEY and others with status 401 */
export async function authenticate(request: Credentials, services: Services): Promise<Principal> {
  for (const way of ways) {
    const principal = await way(request, services)
    if (principal) return principal
  }
  return asAnonymous(request, services)
}
