import { createHmac } from 'node:crypto'
import { accountKey, emailKey } from '../../accounts/accounts.ts'
import type { Item, Key, Write } from '../../aws/table.ts'
import type { Services } from '../../services/services.ts'

/**
 * Maps the models of better-auth to table items. The key of a record is made from its id. Other lookups use pointer
 * records, written in the same transaction: a marker for a unique field, and a list entry for other fields.
 */

export interface Model {
  /** Fields with a unique value. */
  readonly unique?: readonly string[]
  /** Fields to look up by, whose values may repeat. */
  readonly listed?: readonly string[]
  /** Fields that are encrypted in the table. Table keys for looking them up contain only an HMAC. */
  readonly secret?: readonly string[]
  /** Unique fields that are matched case-insensitively. */
  readonly caseInsensitive?: readonly string[]
  /** All records can be listed: administrators list accounts. */
  readonly enumerated?: boolean
}

export type Models = Readonly<Record<string, Model | undefined>>

export const models: Models = {
  user: { unique: ['email'], caseInsensitive: ['email'], enumerated: true },
  session: { unique: ['token'], listed: ['userId'], secret: ['token'] },
  account: {
    listed: ['userId', 'accountId'],
    secret: ['password', 'accessToken', 'refreshToken', 'idToken'],
  },
  verification: { listed: ['identifier'], secret: ['identifier', 'value'] },
  twoFactor: { listed: ['userId'], secret: ['secret', 'backupCodes'] },
}

export type AuthRecord = Item & { readonly id: string }

export interface RecordContext extends Pick<Services, 'vault' | 'keys'> {
  readonly models: Models
}

export const modelOf = (model: string, { models }: Pick<RecordContext, 'models'>): Model =>
  models[model] ?? {}

export const recordKey = (model: string, id: string): Key =>
  model === 'user' ? accountKey(id) : { pk: `AUTH#${model}#${id}`, sk: 'RECORD' }

/** Returns the index partition with all records of a model. */
export const modelListKey = (model: string) => `AUTH#${model}`

/** Returns the form of a value in a key: an HMAC for secrets. */
function keyValueOf(model: string, field: string, value: string, context: RecordContext): string {
  if (!modelOf(model, context).secret?.includes(field)) return value
  return createHmac('sha256', context.keys.accounts).update(`${model}.${field}\n${value}`).digest('base64url')
}

export const markerKey = (model: string, field: string, value: string, context: RecordContext): Key =>
  model === 'user' && field === 'email'
    ? emailKey(value)
    : { pk: `AUTH#${model}.${field}#${keyValueOf(model, field, value, context)}`, sk: 'MARKER' }

export const listPartition = (model: string, field: string, value: string, context: RecordContext): string =>
  `AUTH#${model}.${field}#${keyValueOf(model, field, value, context)}`

const placeKey = (model: string, field: string, value: string, id: string, context: RecordContext): Key => ({
  pk: listPartition(model, field, value, context),
  sk: `PLACE#${id}`,
})

/** Expiry for DynamoDB in seconds since the epoch; deletion may be late, so readers check `expiresAt` themselves. */
const ttlOf = ({ expiresAt }: Item): { ttl?: number } =>
  typeof expiresAt === 'string' ? { ttl: Math.ceil(Date.parse(expiresAt) / 1000) } : {}

/** Pointers contain the user id, so that a session and its account can be read in one call. */
const ownerOf = ({ userId }: Item) => (typeof userId === 'string' ? { userId } : {})

export function toItem(model: string, record: AuthRecord, context: RecordContext): Item & Key {
  const key = recordKey(model, record.id)
  const sealedFields = Object.fromEntries(
    Object.entries(record).map(([name, value]) => {
      const isSecret = modelOf(model, context).secret?.includes(name) && value !== undefined && value !== null
      return [name, isSecret ? context.vault.seal(value, `${key.pk} ${name}`) : value]
    }),
  )
  return {
    ...sealedFields,
    ...ttlOf(record),
    ...(modelOf(model, context).enumerated && { listKey: modelListKey(model) }),
    ...key,
  }
}

export function fromItem(model: string, item: Item, context: RecordContext): AuthRecord {
  const { pk, sk: _sk, listKey: _listKey, ttl: _ttl, ...rest } = item
  const record = { ...rest }
  for (const name of modelOf(model, context).secret ?? []) {
    const value = record[name]
    if (isSealedValue(value)) record[name] = context.vault.unseal(value, `${pk} ${name}`)
  }
  return record as AuthRecord // every record is stored with an id
}

const isSealedValue = (value: unknown): value is { sealed: string } =>
  typeof value === 'object' && value !== null && 'sealed' in value

/** Returns the pointer records of a record. */
function pointersOf(model: string, record: AuthRecord, context: RecordContext): (Item & Key)[] {
  const { unique = [], listed = [] } = modelOf(model, context)
  const of = (fields: readonly string[], key: (field: string, value: string) => Key) =>
    fields.flatMap((field) => {
      const value = record[field]
      return value === undefined || value === null
        ? []
        : [{ ...key(field, String(value)), id: record.id, ...ownerOf(record), ...ttlOf(record) }]
    })
  return [
    ...of(unique, (field, value) => markerKey(model, field, value, context)),
    ...of(listed, (field, value) => placeKey(model, field, value, record.id, context)),
  ]
}

/**
 * Returns the writes that replace the pointers of `before` by those of `next`; they fail if a unique value is
 * already in use.
 */
export function pointerWrites(
  model: string,
  recordBefore: AuthRecord | undefined,
  nextRecord: AuthRecord | undefined,
  context: RecordContext,
): Write[] {
  const oldPointers = recordBefore ? pointersOf(model, recordBefore, context) : []
  const now = nextRecord ? pointersOf(model, nextRecord, context) : []
  const isIn = (all: readonly Key[], { pk, sk }: Key) => all.some((one) => one.pk === pk && one.sk === sk)
  const isSame = recordBefore && nextRecord && ttlOf(recordBefore).ttl === ttlOf(nextRecord).ttl
  return [
    ...oldPointers
      .filter((pointer) => !isIn(now, pointer))
      .map(({ pk, sk }): Write => ({ delete: { pk, sk }, if: { equal: { id: recordBefore?.id } } })),
    ...now
      .filter((pointer) => !isSame || !isIn(oldPointers, pointer))
      .map((put): Write => ({ put, if: { either: [{ exists: false }, { equal: { id: put.id } }] } })),
  ]
}
