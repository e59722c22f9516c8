import * as z from 'zod'
import { isSealed, Sealed, type Vault } from '../crypto/sealed.ts'
import type { Principal } from '../model/principal.ts'

/** URLs of webhooks, whose credentials, path and query often are secrets: they are stored sealed. */

/** Earlier versions stored the URL as it is. */
export const StoredUrl = z.union([z.string(), Sealed])
export type StoredUrl = z.infer<typeof StoredUrl>

/** Returns a stored URL. @param context of the seal: the id of the record. */
export const openUrl = (storedUrl: StoredUrl, context: string, vault: Vault): string =>
  isSealed(storedUrl) ? z.string().parse(vault.unseal(storedUrl, context)) : storedUrl

/** Returns the URL for a client: whole for those who may set it, otherwise without credentials and query. */
export function toWebhookUrl({ kind, scopes, isPublic }: Principal, address: string): string {
  // Anonymous clients have no scopes, but may do anything with what they own.
  const maySetWebhookUrl =
    kind === 'anonymous' || scopes.has('WEBHOOKS_MANAGE') || scopes.has('CONVERT_WRITE')
  if (maySetWebhookUrl && !isPublic) return address
  const { origin, pathname } = new URL(address)
  return `${origin}${pathname}`
}
