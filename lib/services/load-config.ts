import { type Config, processEnvironment, readConfig, roleKeyNames } from '../config.ts'
import { secretNames } from '../resources/function-declaration.ts'

/** Secrets that were removed from the environment of this process. */
const secrets: Record<string, string> = {}

/**
 * Loads the settings of a function. The first call removes the secrets from the environment, so that no child process
 * inherits them and no other code can read them there.
 */
export function loadConfigAndClearSecrets(overrides: Readonly<Record<string, string>> = {}): Config {
  for (const name of [...roleKeyNames, ...secretNames]) {
    const value = processEnvironment[name]
    if (value !== undefined) secrets[name] = value
    delete processEnvironment[name]
  }
  return readConfig({ ...processEnvironment, ...secrets, ...overrides })
}
