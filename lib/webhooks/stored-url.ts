import * as z from 'zod'
import { isSealed, Sealed, type Vault } from '../crypto/sealed.ts'
import type { Principal } from '../model/principal.ts'

/** URLs of webhooks are stored sealed, because their credentials, path and query are often secrets. */

/** A sealed URL; earlier versions stored URLs unsealed. */
export const StoredUrl = z.union([z.string(), Sealed])
export type StoredUrl = z.infer<typeof StoredUrl>

/** Returns a stored URL. @param context context of the seal: the id of the record. */
export const openUrl = (storedUrl: StoredUrl, context: string, vault: Vault): string =>
  isSealed(storedUrl) ? z.string().parse(vault.unseal(storedUrl, context)) : storedUrl

/** Returns the URL for a client: the whole URL for clients that may set it, otherwise without credentials and query. */
export function toWebhookUrl({ kind, scopes, isPublic }: Principal, address: string): string {
  // Whether a client may set the URL. Anonymous clients have no scopes, but may do anything with what they own.
  const maySetWebhookUrl =
    kind === 'anonymous' || scopes.has('WEBHOOKS_MANAGE') || scopes.has('CONVERT_WRITE')
  if (maySetWebhookUrl && !isPublic) return address
  const { origin, pathname } = new URL(address)
  return `${origin}${pathname}`
}
