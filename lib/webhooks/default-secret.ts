import * as z from 'zod'
import type { Key, Table } from '../aws/table.ts'
import { Sealed, type Vault } from '../sealed.ts'
import { newSecret } from './signatures.ts'
import type { Webhook } from './webhook.ts'

/** The secret of an owner that signs what goes to the `webhookUrl` of a job. */

const Moment = z.iso.datetime()

const Record = z.object({
  secret: Sealed,
  old: z.array(z.object({ secret: Sealed, until: Moment })).optional(),
  createdAt: Moment,
})
export type DefaultSecret = z.infer<typeof Record>

/** Beside the places of what the owner has, and not among them. */
const keyOf = (owner: string): Key => ({ pk: `OWNER#${owner}`, sk: 'HOOK-SECRET' })
export const placeOfDefault = (owner: string) => `webhook secret of ${owner}`

/** Made when it is first asked for, by whoever comes first. */
export async function defaultSecret(owner: string, table: Table, vault: Vault): Promise<DefaultSecret> {
  const found = await table.get(keyOf(owner))
  if (found) return Record.parse(found)
  const secret = vault.seal(newSecret(), placeOfDefault(owner))
  const record = { ...keyOf(owner), secret, createdAt: new Date().toISOString() }
  const { item } = await table.put(record, { condition: { exists: false } })
  return Record.parse(item)
}

export async function storeDefault(owner: string, changed: DefaultSecret, table: Table): Promise<void> {
  await table.put({ ...keyOf(owner), ...changed })
}

/** The account of whoever had it signs with the same. */
export async function moveDefaultSecret(from: string, to: string, table: Table, vault: Vault): Promise<void> {
  const found = await table.get(keyOf(from))
  if (!found) return
  const { secret, old = [], createdAt } = Record.parse(found)
  const moved = (sealed: Sealed) => vault.seal(vault.open(sealed, placeOfDefault(from)), placeOfDefault(to))
  const record = {
    ...{ secret: moved(secret), createdAt },
    old: old.map(({ secret: one, until }) => ({ secret: moved(one), until })),
  }
  await table.put({ ...keyOf(to), ...record }, { condition: { exists: false } })
}

export async function removeDefaultSecret(owner: string, table: Table): Promise<void> {
  await table.delete(keyOf(owner))
}

export type Secrets = Pick<Webhook, 'secret' | 'old'>

/** Those that sign at this moment, the current one first. */
export function openSecrets(
  { secret, old = [] }: Secrets,
  place: string,
  vault: Vault,
  now: Date,
): [string, ...string[]] {
  if (!secret) throw new Error(`${place} has no secret`)
  const valid = old.filter(({ until }) => until > now.toISOString())
  return [vault.open(secret, place), ...valid.map((one) => vault.open(one.secret, place))] as [
    string,
    ...string[],
  ] // sealed by newSecret, or from a checked field
}

/** Old ones that are kept at most: rotating again and again must not make the headers grow. */
const mostOld = 3

/** A new secret; the one before signs beside it for so long. */
export function rotated(
  { secret, old = [] }: Secrets,
  { place, graceHours, now }: { place: string; graceHours: number; now: Date },
  vault: Vault,
): { readonly plain: string; readonly secrets: { secret: Sealed; old: NonNullable<Secrets['old']> } } {
  const plain = newSecret()
  const until = new Date(now.getTime() + graceHours * 3_600_000).toISOString()
  const kept = [...(secret ? [{ secret, until }] : []), ...old].filter((one) => one.until > now.toISOString())
  return { plain, secrets: { secret: vault.seal(plain, place), old: kept.slice(0, mostOld) } }
}
