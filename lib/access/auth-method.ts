import type { Services } from '../services.ts'
import type { Credentials, Principal } from './principal.ts'

/**
 * One way to say who one is: undefined when the request does not go it.
 * @throws AppError with status 401 when it does, and what it says does not hold.
 */
export type AuthMethod = (
  request: Credentials,
  services: Services,
) => Principal | undefined | Promise<Principal | undefined>
