import * as z from 'zod'
import { getAccountKey } from '../accounts/accounts.ts'
import { accountCacheMs, cacheAccount } from '../accounts/owner-plan.ts'
import { TtlCache } from '../async/ttl-cache.ts'
import { createOwned, getOwnedKey, listOwnedIds, removeOwned } from '../aws/owned-records.ts'
import type { Item, Key, Write } from '../aws/table.ts'
import type { Change } from '../aws/table-expressions.ts'
import { newId } from '../ids.ts'
import { scopes } from '../model/principal.ts'
import type { Services } from '../services/services.ts'
import { createKeyText } from './api-key-text.ts'
import { hashSecret } from './secret-text.ts'

/** API keys of accounts. A record is stored under the SHA-256 of its key; the key itself is not stored. */

export const maxKeys = 50
const graceMs = 24 * 3600 * 1000
/** How long a revoked key is remembered, so that its use can be rejected with the reason. */
const retentionS = 90 * 24 * 3600

export const ApiKey = z.object({
  id: z.string(),
  owner: z.string(),
  digest: z.string(),
  name: z.string(),
  kind: z.enum(['secret', 'public']),
  scopes: z.array(z.enum(scopes)),
  /** First characters of the key. Its owner recognizes the key by its first and last characters. */
  prefix: z.string(),
  /** Last four characters of the key. */
  last4: z.string(),
  createdAt: z.string(),
  expiresAt: z.string().optional(),
  allowedIps: z.array(z.string()).optional(),
  allowedOrigins: z.array(z.string()).optional(),
  /** When a rotated key stops working. */
  validUntil: z.string().optional(),
  revokedAt: z.string().optional(),
  lastUsedAt: z.string().optional(),
  lastUsedIp: z.string().optional(),
  /** Ids of the keys that this key replaced; this key has access to the jobs that they created. */
  earlier: z.array(z.string()).optional(),
})
export type ApiKey = z.infer<typeof ApiKey>

export type KeyInput = Pick<ApiKey, 'name' | 'kind' | 'scopes'> & {
  readonly [Field in Restriction]?: ApiKey[Field] | undefined
}
/** Returns the audit entries to write in the same transaction as a change. */
type CreateAuditWrites = (key: ApiKey) => readonly Write[]
const noWrites: CreateAuditWrites = () => []
/** Maximum number of rotations remembered per key. */
const maxEarlierKeys = 20

type Restriction = 'expiresAt' | 'allowedIps' | 'allowedOrigins'
/** `null` removes a restriction. */
type KeyChange = { readonly [Field in 'name' | 'scopes']?: ApiKey[Field] | undefined } & {
  readonly [Field in Restriction]?: ApiKey[Field] | null | undefined
}

export const getApiKeyRecordKey = (digest: string): Key => ({ pk: `KEYHASH#${digest}`, sk: 'KEY' })
const parseKey = (item: Item | undefined): ApiKey | undefined => item && ApiKey.parse(item)

interface KeyCache {
  readonly keys: TtlCache<ApiKey | undefined>
  /**
   * Owner of each key by its digest; it never changes. If it is known, the key and the account are read in one call.
   */
  readonly ownersByDigest: Map<string, string>
}
const caches = new WeakMap<object, KeyCache>()
const maxCachedOwners = 10_000

export class ApiKeys {
  readonly #table: Services['table']
  readonly #cache: KeyCache

  constructor({ table }: Pick<Services, 'table'>) {
    this.#table = table
    const cache = caches.get(table) ?? { keys: new TtlCache(accountCacheMs), ownersByDigest: new Map() }
    caches.set(table, cache)
    this.#cache = cache
  }

  /**
   * Creates a key and returns it with its text, which is not stored. Returns undefined if the owner already has the
   * maximum number of keys.
   */
  async create(
    owner: string,
    input: KeyInput & Pick<ApiKey, 'earlier'>,
    { extraWrites = noWrites, now = new Date() }: { extraWrites?: CreateAuditWrites; now?: Date } = {},
  ): Promise<{ key: ApiKey; text: string } | undefined> {
    const text = createKeyText(input.kind)
    const key: ApiKey = {
      ...input,
      id: newId('key'),
      owner,
      digest: hashSecret(text),
      createdAt: now.toISOString(),
      prefix: text.slice(0, 7),
      last4: text.slice(-4),
    }
    await this.#table.put({ ...getApiKeyRecordKey(key.digest), ...key })
    const { id, digest } = key
    if (await createOwned(this.#table, 'KEY', { id, owner, digest }, maxKeys, extraWrites(key)))
      return { key, text }
    await this.#table.delete(getApiKeyRecordKey(digest))
    return undefined
  }

  /** Lists the keys of an owner, newest first. */
  async list(owner: string): Promise<ApiKey[]> {
    const ids = await listOwnedIds(this.#table, 'KEY', owner)
    const pointers = await this.#table.getAll(ids.map((id) => getOwnedKey('KEY', id)))
    const items = await this.#table.getAll(pointers.map(({ digest }) => getApiKeyRecordKey(String(digest))))
    return items
      .map((item) => ApiKey.parse(item))
      .filter((key) => key.owner === owner && key.revokedAt === undefined)
      .sort((a, b) => (a.id < b.id ? 1 : -1))
  }

  async find(id: string): Promise<ApiKey | undefined> {
    const pointer = await this.#table.get(getOwnedKey('KEY', id))
    const key = pointer && parseKey(await this.#table.get(getApiKeyRecordKey(String(pointer['digest']))))
    return key?.revokedAt === undefined ? key : undefined
  }

  /** Finds a key by its text; the result may be some seconds old and the key may be revoked. */
  findCached(text: string): Promise<ApiKey | undefined> {
    const digest = hashSecret(text)
    return this.#cache.keys.get(digest, () => this.#loadKey(digest))
  }

  /** Reads the key and, once its owner is known, its account in the same call. */
  async #loadKey(digest: string): Promise<ApiKey | undefined> {
    const { ownersByDigest } = this.#cache
    const owner = ownersByDigest.get(digest)
    if (owner === undefined) {
      const key = parseKey(await this.#table.get(getApiKeyRecordKey(digest)))
      if (ownersByDigest.size >= maxCachedOwners) ownersByDigest.clear()
      if (key) ownersByDigest.set(digest, key.owner)
      return key
    }
    const pointers = [getApiKeyRecordKey(digest), getAccountKey(owner)] as const
    const items = await this.#table.getAll(pointers)
    const [key, account] = pointers.map(({ pk }) => items.find((item) => item['pk'] === pk))
    cacheAccount({ table: this.#table }, owner, account)
    return parseKey(key)
  }

  /** Returns the changed key; undefined if it has been revoked in the meantime. */
  async change(
    key: ApiKey,
    change: KeyChange,
    extraWrites: CreateAuditWrites = noWrites,
  ): Promise<ApiKey | undefined> {
    const entries = Object.entries(change).filter(([, value]) => value !== undefined)
    const set = Object.fromEntries(entries.filter(([, value]) => value !== null))
    const remove = entries.flatMap(([name, value]) => (value === null ? [name] : []))
    return this.#write(key, { set, remove }, { extraWrites: extraWrites({ ...key, ...set }) })
  }

  /** Replaces a key; the old key works for another day. Returns undefined if it was already rotated or revoked. */
  async rotate(
    key: ApiKey,
    extraWrites: CreateAuditWrites = noWrites,
    now = new Date(),
  ): Promise<RotatedKey | 'full' | undefined> {
    const { name, kind, scopes: grantedScopes, expiresAt, allowedIps, allowedOrigins } = key
    const earlierKeys = [...(key.earlier ?? []), key.id].slice(-maxEarlierKeys)
    const createdKey = await this.create(
      key.owner,
      { name, kind, scopes: grantedScopes, expiresAt, allowedIps, allowedOrigins, earlier: earlierKeys },
      { now },
    )
    if (!createdKey) return 'full'
    const graceEnd = new Date(now.getTime() + graceMs).toISOString()
    const validUntil = expiresAt !== undefined && expiresAt < graceEnd ? expiresAt : graceEnd
    const previousKey = await this.#write(
      key,
      { set: { validUntil } },
      { absent: ['validUntil', 'revokedAt'], extraWrites: extraWrites(key) },
    )
    if (previousKey) return { ...createdKey, previous: previousKey }
    await this.revoke(createdKey.key, noWrites, now)
    return undefined
  }

  /** Returns false if the key was already revoked. */
  async revoke(key: ApiKey, extraWrites: CreateAuditWrites = noWrites, now = new Date()): Promise<boolean> {
    const { id, owner } = key
    const ttl = Math.ceil(now.getTime() / 1000) + retentionS
    const change = { set: { revokedAt: now.toISOString(), ttl } }
    const revokedKey = await this.#write(key, change, { extraWrites: extraWrites(key) })
    if (revokedKey) await removeOwned(this.#table, 'KEY', { id, owner })
    return revokedKey !== undefined
  }

  async recordUse({ digest }: ApiKey, ip: string, now: Date): Promise<void> {
    await this.#table.update(getApiKeyRecordKey(digest), {
      set: { lastUsedAt: now.toISOString(), lastUsedIp: ip },
    })
  }

  async #write(
    { digest }: ApiKey,
    change: Change,
    { absent = ['revokedAt'], extraWrites }: { absent?: readonly string[]; extraWrites: readonly Write[] },
  ) {
    const update = getApiKeyRecordKey(digest)
    const isCommitted = await this.#table.transact([
      { update, change, if: { exists: true, absent } },
      ...extraWrites,
    ])
    this.#cache.keys.delete(digest)
    return isCommitted ? parseKey(await this.#table.get(update)) : undefined
  }
}

interface RotatedKey {
  readonly key: ApiKey
  readonly text: string
  readonly previous: ApiKey
}

/** Returns why a key is no longer valid; undefined if it is valid. */
export function findInactiveReason(key: ApiKey, now: Date): 'revoked' | 'expired' | undefined {
  const nowText = now.toISOString()
  if (key.revokedAt !== undefined) return 'revoked'
  if (key.validUntil !== undefined && key.validUntil <= nowText) return 'revoked'
  return key.expiresAt !== undefined && key.expiresAt <= nowText ? 'expired' : undefined
}
