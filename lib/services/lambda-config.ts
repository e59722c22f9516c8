import type { Config } from '../config.ts'
import { loadConfigAndClearSecrets } from './load-config.ts'

/**
 * Loads the settings of a deployed function. Secrets are fetched from the bucket, because anyone with read access to
 * the function's configuration could read them in its environment.
 */
export async function loadLambdaConfig(): Promise<Config> {
  const config = loadConfigAndClearSecrets()
  if (config.SECRETS === undefined) return config
  // If the environment contains the secrets, no S3 code is loaded.
  const { readSecrets } = await import('../aws/secrets.ts')
  return loadConfigAndClearSecrets(await readSecrets(config.SECRETS, config))
}
