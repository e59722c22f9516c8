import type { Config } from './config.ts'
import { loadConfigAndClearSecrets } from './load-config.ts'

/**
 * Settings of a function as it was deployed: those that are secret are fetched from where they lie, as whoever may look
 * at the function would read them in its environment.
 */
export async function loadLambdaConfig(): Promise<Config> {
  const config = loadConfigAndClearSecrets()
  if (config.SECRETS === undefined) return config
  // Where the environment holds them, nothing of S3 is loaded.
  const { readSecrets } = await import('./aws/secrets.ts')
  return loadConfigAndClearSecrets(await readSecrets(config.SECRETS, config))
}
