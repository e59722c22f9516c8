import { createHmac } from 'node:crypto'
import { getAccountKey, getEmailKey } from '../../accounts/accounts.ts'
import type { Item, Key, Write } from '../../aws/table.ts'
import type { Services } from '../../services/services.ts'

/**
 * Maps the models of better-auth to table items. The key of a record is made from its id. Other lookups use pointer
 * records, written in the same transaction: a marker for a unique field, and a list entry for other fields.
 */

export interface Model {
  /** Fields with a unique value. */
  readonly unique?: readonly string[]
  /** Fields by which records are looked up, although several records may have the same value. */
  readonly listed?: readonly string[]
  /** Fields that are encrypted in the table. Table keys for looking them up contain only an HMAC. */
  readonly secret?: readonly string[]
  /** Unique fields that are matched case-insensitively. */
  readonly caseInsensitive?: readonly string[]
  /** Whether all records can be listed, as administrators list accounts. */
  readonly isListable?: boolean
}

export type Models = Readonly<Record<string, Model | undefined>>

export const models: Models = {
  user: { unique: ['email'], caseInsensitive: ['email'], isListable: true },
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

export const getModel = (model: string, { models }: Pick<RecordContext, 'models'>): Model =>
  models[model] ?? {}

export const getRecordKey = (model: string, id: string): Key =>
  model === 'user' ? getAccountKey(id) : { pk: `AUTH#${model}#${id}`, sk: 'RECORD' }

/** Returns the index partition with all records of a model. */
export const getModelListKey = (model: string) => `AUTH#${model}`

/** Returns the text that represents a value in a table key: an HMAC for secrets, the value itself otherwise. */
function toKeyValue(model: string, field: string, value: string, context: RecordContext): string {
  if (!getModel(model, context).secret?.includes(field)) return value
  return createHmac('sha256', context.keys.accounts).update(`${model}.${field}\n${value}`).digest('base64url')
}

export const getMarkerKey = (model: string, field: string, value: string, context: RecordContext): Key =>
  model === 'user' && field === 'email'
    ? getEmailKey(value)
    : { pk: `AUTH#${model}.${field}#${toKeyValue(model, field, value, context)}`, sk: 'MARKER' }

export const getListPartition = (
  model: string,
  field: string,
  value: string,
  context: RecordContext,
): string => `AUTH#${model}.${field}#${toKeyValue(model, field, value, context)}`

const getListEntryKey = (
  model: string,
  field: string,
  value: string,
  id: string,
  context: RecordContext,
): Key => ({
  pk: getListPartition(model, field, value, context),
  sk: `PLACE#${id}`,
})

/** Expiry for DynamoDB in seconds since the epoch; deletion may be late, so readers check `expiresAt` themselves. */
const getTtl = ({ expiresAt }: Item): { ttl?: number } =>
  typeof expiresAt === 'string' ? { ttl: Math.ceil(Date.parse(expiresAt) / 1000) } : {}

/** Pointers contain the user id, so that a session and its account can be read in one call. */
const pickUserId = ({ userId }: Item) => (typeof userId === 'string' ? { userId } : {})

export function toItem(model: string, record: AuthRecord, context: RecordContext): Item & Key {
  const key = getRecordKey(model, record.id)
  const sealedFields = Object.fromEntries(
    Object.entries(record).map(([name, value]) => {
      const isSecret =
        getModel(model, context).secret?.includes(name) && value !== undefined && value !== null
      return [name, isSecret ? context.vault.seal(value, `${key.pk} ${name}`) : value]
    }),
  )
  return {
    ...sealedFields,
    ...getTtl(record),
    ...(getModel(model, context).isListable && { listKey: getModelListKey(model) }),
    ...key,
  }
}

export function fromItem(model: string, item: Item, context: RecordContext): AuthRecord {
  const { pk, sk: _sk, listKey: _listKey, ttl: _ttl, ...otherFields } = item
  const record = { ...otherFields }
  for (const name of getModel(model, context).secret ?? []) {
    const value = record[name]
    if (isSealedValue(value)) record[name] = context.vault.unseal(value, `${pk} ${name}`)
  }
  return record as AuthRecord // every record is stored with an id
}

const isSealedValue = (value: unknown): value is { sealed: string } =>
  typeof value === 'object' && value !== null && 'sealed' in value

/** Returns the pointer records of a record. */
function createPointers(model: string, record: AuthRecord, context: RecordContext): (Item & Key)[] {
  const { unique = [], listed = [] } = getModel(model, context)
  const createPointersOf = (fields: readonly string[], key: (field: string, value: string) => Key) =>
    fields.flatMap((field) => {
      const value = record[field]
      return value === undefined || value === null
        ? []
        : [{ ...key(field, String(value)), id: record.id, ...pickUserId(record), ...getTtl(record) }]
    })
  return [
    ...createPointersOf(unique, (field, value) => getMarkerKey(model, field, value, context)),
    ...createPointersOf(listed, (field, value) => getListEntryKey(model, field, value, record.id, context)),
  ]
}

/**
 * Returns the writes that replace the pointers of `recordBefore` with those of `recordAfter`; they fail if a unique
 * value is already in use.
 */
export function createPointerWrites(
  model: string,
  recordBefore: AuthRecord | undefined,
  recordAfter: AuthRecord | undefined,
  context: RecordContext,
): Write[] {
  const pointersBefore = recordBefore ? createPointers(model, recordBefore, context) : []
  const pointersAfter = recordAfter ? createPointers(model, recordAfter, context) : []
  const hasKey = (keys: readonly Key[], { pk, sk }: Key) => keys.some((key) => key.pk === pk && key.sk === sk)
  const hasSameTtl = recordBefore && recordAfter && getTtl(recordBefore).ttl === getTtl(recordAfter).ttl
  return [
    ...pointersBefore
      .filter((pointer) => !hasKey(pointersAfter, pointer))
      .map(({ pk, sk }): Write => ({ delete: { pk, sk }, if: { equal: { id: recordBefore?.id } } })),
    ...pointersAfter
      .filter((pointer) => !hasSameTtl || !hasKey(pointersBefore, pointer))
      .map((put): Write => ({ put, if: { either: [{ exists: false }, { equal: { id: put.id } }] } })),
  ]
}
