import type { Config } from '../config.ts'
import { AppError } from '../errors.ts'
import { isInNetwork } from '../http/ip-networks.ts'

/** A service to try things on (`SANDBOX=1`): without limits of requests, so it may be for some networks alone. */

export const sandboxHeader = 'x-sandbox'

/** @throws AppError INSUFFICIENT_PERMISSIONS from elsewhere. */
export function requireSandboxNetwork(
  address: string,
  { SANDBOX, SANDBOX_ALLOW }: Pick<Config, 'SANDBOX' | 'SANDBOX_ALLOW'>,
): void {
  if (SANDBOX === '0' || !SANDBOX_ALLOW || SANDBOX_ALLOW.some((network) => isInNetwork(address, network)))
    return
  throw new AppError(
    'INSUFFICIENT_PERMISSIONS',
    'This sandbox is for some networks alone, and the request comes from another one. Ask those who run it.',
    { reason: 'address' },
  )
}
