import { type Config, processEnvironment, readConfig, roleKeyNames } from './config.ts'
import { secretNames } from './resources/declaration.ts'

/** What was taken out of the environment of this process. */
const secrets: Record<string, string> = {}

/**
 * Settings of a function. What is secret leaves its environment with the first call: no program that it starts inherits
 * it, and no code that it loads finds it there.
 */
export function loadConfigAndClearSecrets(overrides: Readonly<Record<string, string>> = {}): Config {
  for (const name of [...roleKeyNames, ...secretNames]) {
    const value = processEnvironment[name]
    if (value !== undefined) secrets[name] = value
    delete processEnvironment[name]
  }
  return readConfig({ ...processEnvironment, ...secrets, ...overrides })
}
