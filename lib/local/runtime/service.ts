import { readConfig } from '../../config.ts'
import { startSteps } from './boot.ts'
import type { PartialEnvironment } from './environment.ts'
import type { IsolatedFunctions } from './isolated-functions.ts'
import { serviceSteps } from './service-steps.ts'

interface Service {
  /** URL for clients, without a trailing slash. */
  readonly url: string
  readonly missingEngines: readonly string[]
  close(): Promise<void>
}

/**
 * Starts the whole service on this machine; `close` stops its parts in reverse order.
 * @param onAcceptedLoss see `DamageOptions`
 */
export async function startService(
  env: PartialEnvironment,
  isolated?: IsolatedFunctions,
  onAcceptedLoss?: (message: string) => void,
): Promise<Service> {
  const inputs = { env, config: readConfig(env), isolated, onAcceptedLoss }
  const { parts, stop } = await startSteps(serviceSteps, inputs)
  return { url: parts.publicPort.url, missingEngines: parts.engines.missingEngines, close: stop }
}
