import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import * as z from 'zod'

/** Encrypts user secrets at rest: the content of a record is useless without the service secret. */

export const Sealed = z.strictObject({
  sealed: z.string().describe('base64url of nonce, tag and ciphertext'),
})
export type Sealed = z.infer<typeof Sealed>

export const isSealed = (value: unknown): value is Sealed => Sealed.safeParse(value).success

/** Placeholder that is shown instead of a secret. */
export const redacted = '***'

/** Purposes of derived keys; no key reveals anything about the others (RFC 5869). */
type KeyPurpose =
  | 'owner'
  | 'cursor'
  | 'idempotency'
  | 'accounts'
  | 'signed urls'
  | SealingPurpose
  | 'downloads'
  | `download ${number}`

export const deriveKey = (secret: string | Buffer, purpose: KeyPurpose): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', `mutabor ${purpose}`, 32))

/** Purposes of sealing keys: `seal tasks` for passwords of tasks, `seal` for webhook secrets, and one for the rest. */
export type SealingPurpose = 'seal tasks' | 'seal' | 'seal records'

/** Keys by purpose; a process has only those that it needs. */
export type SealingKeys = { readonly [P in SealingPurpose]?: Buffer | undefined }

/** Returns which key seals the values of a context. */
function getSealingPurpose(context: string): SealingPurpose {
  if (context.startsWith('job_')) return 'seal tasks'
  return /^(?:whk_|webhook secret of )/.test(context) ? 'seal' : 'seal records'
}

/** Returns a function that derives the key for the download links of a day, with a cache: many replies need the key. */
export function createDailyKeys(downloadsKey: Buffer): (day: number) => Buffer {
  const derivedKeys = new Map<number, Buffer>()
  return (day) => {
    const key = derivedKeys.get(day) ?? deriveKey(downloadsKey, `download ${day}`)
    if (derivedKeys.size > 8) derivedKeys.clear()
    derivedKeys.set(day, key)
    return key
  }
}

const algorithm = 'aes-256-gcm'
/** Length of a nonce in bytes (NIST SP 800-38D, 8.2.2). */
const nonceBytes = 12
const tagBytes = 16

/** Seals and unseals values of one service. */
export class Vault {
  readonly #keys: SealingKeys

  /** Creates a vault. @param keys the service secret, from which all keys are derived, or some of these keys. */
  constructor(keys: string | SealingKeys) {
    this.#keys = typeof keys === 'string' ? deriveSealingKeys(keys) : keys
  }

  /**
   * Seals a value.
   * @param context where the value is stored; it can only be unsealed there, so that it cannot be moved to another
   * record.
   */
  seal(value: unknown, context: string): Sealed {
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv(algorithm, this.#getKey(context), nonce).setAAD(Buffer.from(context))
    const text = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()])
    return { sealed: Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url') }
  }

  /** Unseals a value. @throws if it was sealed by another service or for another context. */
  unseal(value: Sealed, context: string): unknown {
    const key = this.#getKey(context)
    const { seal: oldKey = key } = this.#keys
    try {
      return open(value, context, key)
    } catch (error) {
      // The value may have been sealed when there was only one key for all purposes.
      if (oldKey.equals(key)) throw error
      return open(value, context, oldKey)
    }
  }

  #getKey(context: string): Buffer {
    const purpose = getSealingPurpose(context)
    const key = this.#keys[purpose]
    if (key) return key
    throw new Error(`this process does not have the key "${purpose}"`)
  }

  /** Seals the values whose names are in `secrets`, unless they are already sealed. */
  sealSecrets(
    values: Readonly<Record<string, unknown>>,
    secrets: ReadonlySet<string>,
    context: string,
  ): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => {
        const isPlainSecret = secrets.has(name) && value !== undefined && !isSealed(value)
        return [name, isPlainSecret ? this.seal(value, context) : value]
      }),
    )
  }

  /**
   * Seals the values of a client's request whose names are in `secrets`. Other values that look sealed become null, so
   * that they are never unsealed.
   */
  sealClientSecrets(
    values: Readonly<Record<string, unknown>>,
    secrets: ReadonlySet<string>,
    context: string,
  ): Record<string, unknown> {
    const clearSealed = (innerValue: unknown) => (isSealed(innerValue) ? { value: null } : undefined)
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => {
        const isSecret = secrets.has(name) && value !== undefined
        return [name, isSecret ? this.seal(value, context) : mapDeep(value, clearSealed)]
      }),
    )
  }

  /** Unseals every sealed value, at any depth. */
  unsealAll<T>(value: T, context: string): T {
    return mapDeep(value, (inner) =>
      isSealed(inner) ? { value: this.unseal(inner, context) } : undefined,
    ) as T // the same, except for sealed values
  }
}

function open({ sealed }: Sealed, context: string, key: Buffer): unknown {
  const bytes = Buffer.from(sealed, 'base64url')
  const text = bytes.subarray(nonceBytes + tagBytes)
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes))
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
  return JSON.parse(Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8'))
}

const deriveSealingKeys = (secret: string): SealingKeys => ({
  'seal tasks': deriveKey(secret, 'seal tasks'),
  seal: deriveKey(secret, 'seal'),
  'seal records': deriveKey(secret, 'seal records'),
})

/** Replaces sealed values by a placeholder before clients or operators see them. */
export const redactSecrets = <T>(value: T): T =>
  mapDeep(value, (inner) => (isSealed(inner) ? { value: redacted } : undefined)) as T

/**
 * Returns a copy of a value. Calls `replace` with each value, at any depth; if it returns undefined, the value is kept
 * and the values inside it are visited.
 */
export function mapDeep(
  value: unknown,
  replace: (innerValue: unknown) => { readonly value: unknown } | undefined,
): unknown {
  const replacedValue = replace(value)
  if (replacedValue) return replacedValue.value
  if (Array.isArray(value)) return value.map((inner) => mapDeep(inner, replace))
  if (typeof value !== 'object' || value === null || value instanceof Set) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, mapDeep(inner, replace)]))
}
