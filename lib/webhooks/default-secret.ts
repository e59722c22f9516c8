import * as z from 'zod'
import type { Key, Table } from '../aws/table.ts'
import { Sealed, type Vault } from '../sealed.ts'
import { newSecret } from './signatures.ts'
import type { Webhook } from './webhook.ts'

/** The secret of an owner that signs what goes to the `webhookUrl` of a job. */

const Timestamp = z.iso.datetime()

const DefaultSecretRecord = z.object({
  secret: Sealed,
  old: z.array(z.object({ secret: Sealed, until: Timestamp })).optional(),
  createdAt: Timestamp,
})
export type DefaultSecret = z.infer<typeof DefaultSecretRecord>

/** Beside the places of what the owner has, and not among them. */
const keyOf = (owner: string): Key => ({ pk: `OWNER#${owner}`, sk: 'HOOK-SECRET' })
export const defaultSecretContext = (owner: string) => `webhook secret of ${owner}`

/** Made when it is first asked for, by whoever comes first. */
export async function defaultSecret(owner: string, table: Table, vault: Vault): Promise<DefaultSecret> {
  const found = await table.get(keyOf(owner))
  if (found) return DefaultSecretRecord.parse(found)
  const secret = vault.seal(newSecret(), defaultSecretContext(owner))
  const record = { ...keyOf(owner), secret, createdAt: new Date().toISOString() }
  const { item } = await table.put(record, { condition: { exists: false } })
  return DefaultSecretRecord.parse(item)
}

export async function storeDefaultSecret(owner: string, changed: DefaultSecret, table: Table): Promise<void> {
  await table.put({ ...keyOf(owner), ...changed })
}

/** The account of whoever had it signs with the same. */
export async function moveDefaultSecret(from: string, to: string, table: Table, vault: Vault): Promise<void> {
  const found = await table.get(keyOf(from))
  if (!found) return
  const { secret, old = [], createdAt } = DefaultSecretRecord.parse(found)
  const reseal = (sealed: Sealed) =>
    vault.seal(vault.unseal(sealed, defaultSecretContext(from)), defaultSecretContext(to))
  const record = {
    ...{ secret: reseal(secret), createdAt },
    old: old.map(({ secret: one, until }) => ({ secret: reseal(one), until })),
  }
  await table.put({ ...keyOf(to), ...record }, { condition: { exists: false } })
}

export async function removeDefaultSecret(owner: string, table: Table): Promise<void> {
  await table.delete(keyOf(owner))
}

export type SealedSecrets = Pick<Webhook, 'secret' | 'old'>

/** Those that sign at this moment, the current one first. */
export function unsealSecrets(
  { secret, old = [] }: SealedSecrets,
  context: string,
  vault: Vault,
  now: Date,
): [string, ...string[]] {
  if (!secret) throw new Error(`${context} has no secret`)
  const valid = old.filter(({ until }) => until > now.toISOString())
  return [vault.unseal(secret, context), ...valid.map((one) => vault.unseal(one.secret, context))] as [
    string,
    ...string[],
  ] // sealed by newSecret, or from a checked field
}

/** Old ones that are kept at most: rotating again and again must not make the headers grow. */
const maxOldSecrets = 3

/** A new secret; the one before signs beside it for so long. */
export function rotateSecret(
  { secret, old = [] }: SealedSecrets,
  { context, graceHours, now }: { context: string; graceHours: number; now: Date },
  vault: Vault,
): { readonly plain: string; readonly secrets: { secret: Sealed; old: NonNullable<SealedSecrets['old']> } } {
  const plain = newSecret()
  const until = new Date(now.getTime() + graceHours * 3_600_000).toISOString()
  const kept = [...(secret ? [{ secret, until }] : []), ...old].filter((one) => one.until > now.toISOString())
  return { plain, secrets: { secret: vault.seal(plain, context), old: kept.slice(0, maxOldSecrets) } }
}
