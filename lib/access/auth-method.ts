import type { Credentials, Principal } from '../model/principal.ts'
import type { Services } from '../services/services.ts'

/**
 * An authentication method. Returns undefined when the request does not use this method.
 * @throws AppError with status 401 for invalid credentials.
 */
export type AuthMethod = (
  request: Credentials,
  services: Services,
) => Principal | undefined | Promise<Principal | undefined>
