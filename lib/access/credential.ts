import { getAccountKey } from '../accounts/accounts.ts'
import type { Item, Key, Table } from '../aws/table.ts'
import type { Log } from '../log.ts'
import type { Credential } from '../model/principal.ts'
import type { Services } from '../services/services.ts'

/**
 * Lists the records on which WebSockets and event streams depend: a connection may be open for hours and ends when one
 * of its records is revoked.
 */

/**
 * Returns a credential: the key of the account's record, and the keys of the records of its API key, token or session.
 */
export const createCredential = (accountId: string, ...records: readonly Key[]): Credential => [
  getAccountKey(accountId),
  ...records,
]

/**
 * Reads the records of all credentials in one call. Returns a function that says whether a credential is still active.
 */
export async function readCredentials(
  credentials: readonly Credential[],
  table: Table,
  now = new Date(),
): Promise<(credential: Credential) => boolean> {
  const keys = new Map(credentials.flat().map((key) => [formatRecordName(key), key]))
  if (keys.size === 0) return () => true
  const items = await table.getAll([...keys.values()].map(({ pk, sk }) => ({ pk, sk })))
  const activeNames = new Set(items.filter((item) => isActiveRecord(item, now)).map(formatRecordName))
  return (credential) => credential.every((key) => activeNames.has(formatRecordName(key)))
}

const formatRecordName = ({ pk, sk }: Item | Key) => `${pk}\n${sk}`

/** Whether a record of an account, API key, OAuth client, access token or session is active. */
function isActiveRecord({ status, revokedAt, validUntil, expiresAt }: Item, now: Date): boolean {
  const nowText = now.toISOString()
  if (status === 'suspended' || revokedAt !== undefined) return false
  if (typeof validUntil === 'string' && validUntil <= nowText) return false
  // The expiry of an access token is in seconds since 1970.
  if (typeof expiresAt === 'number') return expiresAt * 1000 > now.getTime()
  return typeof expiresAt !== 'string' || expiresAt > nowText
}

/**
 * Closes the WebSockets that were opened with a revoked credential. If the signal is lost, they are closed before the
 * next event is sent to them.
 */
export async function closeRevokedSockets(
  owner: string,
  { bus, log }: Pick<Services, 'bus'> & { readonly log: Log },
): Promise<void> {
  await bus
    .signal('credential.revoked', { owner, listeners: ['sockets'] })
    .catch((error: unknown) =>
      log.error({ error, owner }, 'the revocation of a credential could not be published'),
    )
}
