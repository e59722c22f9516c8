import { ownAccountEndpoints } from './account.ts'
import type { AuthEndpoint } from './endpoint.ts'
import { recoveryEndpoints } from './recovery.ts'
import { secondFactorEndpoints } from './second-factor.ts'
import { signInEndpoints } from './sign-in.ts'

export const authEndpoints: readonly AuthEndpoint[] = [
  ...signInEndpoints,
  ...secondFactorEndpoints,
  ...recoveryEndpoints,
  ...ownAccountEndpoints,
]
