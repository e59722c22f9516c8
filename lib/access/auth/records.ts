import { createHmac } from 'node:crypto'
import type { Item, Key, Write } from '../../aws/table.ts'
import type { Services } from '../../services.ts'
import { accountKey, emailKey } from '../accounts.ts'

/**
 * How the models of better-auth stand in the table. A record has one key, made of its id. What it is found by stands
 * in records of their own, written in the same transaction: a marker for what is unique, a place in a list for the rest.
 */

export interface Model {
  /** One record only has a value of it. */
  readonly unique?: readonly string[]
  /** Many may have the same. */
  readonly listed?: readonly string[]
  /** Sealed while it is stored; where it is looked for, only a hash of it stands in the key. */
  readonly secret?: readonly string[]
  /** Of `unique`: found in upper and lower case alike. */
  readonly caseInsensitive?: readonly string[]
  /** Every record can be found without knowing anything of it: administrators list accounts. */
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

/** Partition of the index that has every record of a model. */
export const modelListKey = (model: string) => `AUTH#${model}`

/** What stands for a value in a key. */
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

/** Seconds since the epoch from which the table may drop it; whoever reads it looks at the moment itself. */
const ttlOf = ({ expiresAt }: Item): { ttl?: number } =>
  typeof expiresAt === 'string' ? { ttl: Math.ceil(Date.parse(expiresAt) / 1000) } : {}

/** Pointers name it, so that a session and its account are read at once. */
const ownerOf = ({ userId }: Item) => (typeof userId === 'string' ? { userId } : {})

export function toItem(model: string, record: AuthRecord, context: RecordContext): Item & Key {
  const key = recordKey(model, record.id)
  const sealed = Object.fromEntries(
    Object.entries(record).map(([name, value]) => {
      const isSecret = modelOf(model, context).secret?.includes(name) && value !== undefined && value !== null
      return [name, isSecret ? context.vault.seal(value, `${key.pk} ${name}`) : value]
    }),
  )
  return {
    ...sealed,
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
    if (isSealedValue(value)) record[name] = context.vault.open(value, `${pk} ${name}`)
  }
  return record as AuthRecord // every record was stored with an id
}

const isSealedValue = (value: unknown): value is { sealed: string } =>
  typeof value === 'object' && value !== null && 'sealed' in value

/** The records by which this one is found. */
export function pointersOf(model: string, record: AuthRecord, context: RecordContext): (Item & Key)[] {
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

/** Writes that make the pointers of `before` those of `next`; a marker that somebody else has makes them fail. */
export function pointerWrites(
  model: string,
  before: AuthRecord | undefined,
  next: AuthRecord | undefined,
  context: RecordContext,
): Write[] {
  const old = before ? pointersOf(model, before, context) : []
  const now = next ? pointersOf(model, next, context) : []
  const isIn = (all: readonly Key[], { pk, sk }: Key) => all.some((one) => one.pk === pk && one.sk === sk)
  const isSame = before && next && ttlOf(before).ttl === ttlOf(next).ttl
  return [
    ...old
      .filter((pointer) => !isIn(now, pointer))
      .map(({ pk, sk }): Write => ({ delete: { pk, sk }, if: { equal: { id: before?.id } } })),
    ...now
      .filter((pointer) => !isSame || !isIn(old, pointer))
      .map((put): Write => ({ put, if: { either: [{ exists: false }, { equal: { id: put.id } }] } })),
  ]
}
