import type { Config } from '../config.ts'
import { AppError } from '../errors.ts'
import { isInNetwork } from '../net/ip-networks.ts'

/** A service for testing (`SANDBOX=1`). It has no rate limits, so access can be limited to some networks. */

export const sandboxHeader = 'x-sandbox'

/** @throws AppError INSUFFICIENT_PERMISSIONS for an IP address outside the allowed networks. */
export function requireSandboxNetwork(
  address: string,
  { SANDBOX, SANDBOX_ALLOW }: Pick<Config, 'SANDBOX' | 'SANDBOX_ALLOW'>,
): void {
  if (SANDBOX === '0' || !SANDBOX_ALLOW || SANDBOX_ALLOW.some((network) => isInNetwork(address, network)))
    return
  throw new AppError(
    'INSUFFICIENT_PERMISSIONS',
    'This sandbox does not accept requests from your network. Contact its operator.',
    { reason: 'address' },
  )
}
