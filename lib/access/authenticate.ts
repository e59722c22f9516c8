import type { Services } from '../services.ts'
import { asAnonymous } from './anonymous.ts'
import type { Credentials, Principal } from './principal.ts'

/**
 * One way to say who one is: undefined when the request does not go it.
 * @throws AppError with status 401 when it does, and what it says does not hold.
 */
export type Way = (
  request: Credentials,
  services: Services,
) => Principal | undefined | Promise<Principal | undefined>

/** The first that a request goes decides; everybody is anonymous at last. */
const ways: readonly Way[] = []

/** @throws AppError INVALID_API_KEY and others with status 401 */
export async function authenticate(request: Credentials, services: Services): Promise<Principal> {
  for (const way of ways) {
    const principal = await way(request, services)
    if (principal) return principal
  }
  return asAnonymous(request, services)
}
