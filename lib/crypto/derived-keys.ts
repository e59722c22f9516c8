import { keysOf } from '../validation/keys-of.ts'
import { createDailyKeys, deriveKey, Vault } from './sealed.ts'

/** Purposes of derived keys, by the setting with the key. Processes without the service secret get these keys. */
const purposesByKeyName = { TASK_KEY: 'seal tasks', WEBHOOK_KEY: 'seal', DOWNLOAD_KEY: 'downloads' } as const
export const derivedKeyNames = keysOf(purposesByKeyName)
type DerivedKeyName = keyof typeof purposesByKeyName

type KeySettings = { readonly [Name in 'SERVICE_SECRET' | DerivedKeyName]?: string | undefined }

/** Derives the keys from a service secret. @returns the keys by the name of their setting */
export const deriveKeys = (secret: string): Readonly<Record<DerivedKeyName, string>> =>
  // The keys of the result are exactly those of `purposesByKeyName`.
  Object.fromEntries(
    derivedKeyNames.map((name) => [name, deriveKey(secret, purposesByKeyName[name]).toString('base64url')]),
  ) as Record<DerivedKeyName, string>

const decode = (key: string | undefined) => (key === undefined ? undefined : Buffer.from(key, 'base64url'))

/** Opens the vault with the keys that this process has. @throws if it has no keys */
export function openVault({ SERVICE_SECRET, TASK_KEY, WEBHOOK_KEY }: KeySettings): Vault {
  if (SERVICE_SECRET !== undefined) return new Vault(SERVICE_SECRET)
  if (TASK_KEY === undefined && WEBHOOK_KEY === undefined)
    throw new Error('SERVICE_SECRET, TASK_KEY and WEBHOOK_KEY are not set')
  return new Vault({ 'seal tasks': decode(TASK_KEY), seal: decode(WEBHOOK_KEY) })
}

/** Returns a function that returns the key for the download links of a day. @throws if this process has no key */
export function openDailyKeys({ SERVICE_SECRET, DOWNLOAD_KEY }: KeySettings): (day: number) => Buffer {
  const key =
    decode(DOWNLOAD_KEY) ??
    (SERVICE_SECRET === undefined ? undefined : deriveKey(SERVICE_SECRET, 'downloads'))
  if (!key) throw new Error('SERVICE_SECRET and DOWNLOAD_KEY are not set')
  return createDailyKeys(key)
}
