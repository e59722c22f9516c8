import * as z from 'zod'
import type { Key, Table } from '../aws/table.ts'
import { Sealed, type Vault } from '../crypto/sealed.ts'
import { createSecret } from './signatures.ts'
import type { Webhook } from './webhook.ts'

/** An owner's secret, which signs deliveries to the `webhookUrl` of the owner's jobs. */

const Timestamp = z.iso.datetime()

const DefaultSecretRecord = z.object({
  secret: Sealed,
  old: z.array(z.object({ secret: Sealed, until: Timestamp })).optional(),
  createdAt: Timestamp,
})
export type DefaultSecret = z.infer<typeof DefaultSecretRecord>

/** Returns the key of the secret. It is in the owner's partition, but not in the list of owned records. */
const getKey = (owner: string): Key => ({ pk: `OWNER#${owner}`, sk: 'HOOK-SECRET' })
export const getDefaultSecretContext = (owner: string) => `webhook secret of ${owner}`

/** Returns the default secret; the first caller creates it. */
export async function readDefaultSecret(owner: string, table: Table, vault: Vault): Promise<DefaultSecret> {
  const storedItem = await table.get(getKey(owner))
  if (storedItem) return DefaultSecretRecord.parse(storedItem)
  const secret = vault.seal(createSecret(), getDefaultSecretContext(owner))
  const record = { ...getKey(owner), secret, createdAt: new Date().toISOString() }
  const { item } = await table.put(record, { condition: { exists: false } })
  return DefaultSecretRecord.parse(item)
}

export async function storeDefaultSecret(
  owner: string,
  changedSecret: DefaultSecret,
  table: Table,
): Promise<void> {
  await table.put({ ...getKey(owner), ...changedSecret })
}

/** Moves the secret to the account that an anonymous owner created, so that signatures stay valid. */
export async function moveDefaultSecret(from: string, to: string, table: Table, vault: Vault): Promise<void> {
  const storedItem = await table.get(getKey(from))
  if (!storedItem) return
  const { secret, old = [], createdAt } = DefaultSecretRecord.parse(storedItem)
  const reseal = (sealed: Sealed) =>
    vault.seal(vault.unseal(sealed, getDefaultSecretContext(from)), getDefaultSecretContext(to))
  const record = {
    secret: reseal(secret),
    createdAt,
    old: old.map(({ secret, until }) => ({ secret: reseal(secret), until })),
  }
  await table.put({ ...getKey(to), ...record }, { condition: { exists: false } })
}

export async function removeDefaultSecret(owner: string, table: Table): Promise<void> {
  await table.delete(getKey(owner))
}

type SealedSecrets = Pick<Webhook, 'secret' | 'old'>

/** Returns the secrets that are valid now, the current one first. */
export function unsealSecrets(
  { secret, old = [] }: SealedSecrets,
  context: string,
  vault: Vault,
  now: Date,
): [string, ...string[]] {
  if (!secret) throw new Error(`${context} has no secret`)
  const validSecrets = old.filter(({ until }) => until > now.toISOString())
  return [
    vault.unseal(secret, context),
    ...validSecrets.map((validSecret) => vault.unseal(validSecret.secret, context)),
  ] as [string, ...string[]] // created by `createSecret`, or validated
}

/** Maximum number of old secrets, so that repeated rotation does not make the headers ever longer. */
const maxOldSecrets = 3

/** Creates a new secret; the previous secret also keeps signing for `graceHours`. */
export function renewSecret(
  { secret, old = [] }: SealedSecrets,
  { context, graceHours, now }: { context: string; graceHours: number; now: Date },
  vault: Vault,
): { readonly plain: string; readonly secrets: { secret: Sealed; old: NonNullable<SealedSecrets['old']> } } {
  const newSecretText = createSecret()
  const oldSecretUntil = new Date(now.getTime() + graceHours * 3_600_000).toISOString()
  const keptSecrets = [...(secret ? [{ secret, until: oldSecretUntil }] : []), ...old].filter(
    (one) => one.until > now.toISOString(),
  )
  return {
    plain: newSecretText,
    secrets: { secret: vault.seal(newSecretText, context), old: keptSecrets.slice(0, maxOldSecrets) },
  }
}
