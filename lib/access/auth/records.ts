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
  readonly anyCase?: readonly string[]
  /** Every record can be found without knowing anything of it: administrators list accounts. */
  readonly enumerated?: boolean
}

export type Models = Readonly<Record<string, Model | undefined>>

export const models: Models = {
  user: { unique: ['email'], anyCase: ['email'], enumerated: true },
  session: { unique: ['token'], listed: ['userId'], secret: ['token'] },
  account: {
    listed: ['userId', 'accountId'],
    secret: ['password', 'accessToken', 'refreshToken', 'idToken'],
  },
  verification: { listed: ['identifier'], secret: ['identifier', 'value'] },
  twoFactor: { listed: ['userId'], secret: ['secret', 'backupCodes'] },
}

export type Record_ = Item & { readonly id: string }

export interface Keeper extends Pick<Services, 'vault' | 'keys'> {
  readonly models: Models
}

export const modelOf = (model: string, { models }: Pick<Keeper, 'models'>): Model => models[model] ?? {}

export const recordKey = (model: string, id: string): Key =>
  model === 'user' ? accountKey(id) : { pk: `AUTH#${model}#${id}`, sk: 'RECORD' }

/** Partition of the index that has every record of a model. */
export const allOf = (model: string) => `AUTH#${model}`

/** What stands for a value in a key. */
function shownAs(model: string, field: string, value: string, keeper: Keeper): string {
  if (!modelOf(model, keeper).secret?.includes(field)) return value
  return createHmac('sha256', keeper.keys.accounts).update(`${model}.${field}\n${value}`).digest('base64url')
}

export const markerKey = (model: string, field: string, value: string, keeper: Keeper): Key =>
  model === 'user' && field === 'email'
    ? emailKey(value)
    : { pk: `AUTH#${model}.${field}#${shownAs(model, field, value, keeper)}`, sk: 'MARKER' }

export const listPartition = (model: string, field: string, value: string, keeper: Keeper): string =>
  `AUTH#${model}.${field}#${shownAs(model, field, value, keeper)}`

const placeKey = (model: string, field: string, value: string, id: string, keeper: Keeper): Key => ({
  pk: listPartition(model, field, value, keeper),
  sk: `PLACE#${id}`,
})

/** Seconds since the epoch from which the table may drop it; whoever reads it looks at the moment itself. */
const ttlOf = ({ expiresAt }: Item): { ttl?: number } =>
  typeof expiresAt === 'string' ? { ttl: Math.ceil(Date.parse(expiresAt) / 1000) } : {}

/** Pointers name it, so that a session and its account are read at once. */
const ownerOf = ({ userId }: Item) => (typeof userId === 'string' ? { userId } : {})

export function stored(model: string, record: Record_, keeper: Keeper): Item & Key {
  const key = recordKey(model, record.id)
  const sealed = Object.fromEntries(
    Object.entries(record).map(([name, value]) => {
      const isSecret = modelOf(model, keeper).secret?.includes(name) && value !== undefined && value !== null
      return [name, isSecret ? keeper.vault.seal(value, `${key.pk} ${name}`) : value]
    }),
  )
  return {
    ...sealed,
    ...ttlOf(record),
    ...(modelOf(model, keeper).enumerated && { listKey: allOf(model) }),
    ...key,
  }
}

export function opened(model: string, item: Item, keeper: Keeper): Record_ {
  const { pk, sk: _sk, listKey: _listKey, ttl: _ttl, ...rest } = item
  const record = { ...rest }
  for (const name of modelOf(model, keeper).secret ?? []) {
    const value = record[name]
    if (isSealedValue(value)) record[name] = keeper.vault.open(value, `${pk} ${name}`)
  }
  return record as Record_ // every record was stored with an id
}

const isSealedValue = (value: unknown): value is { sealed: string } =>
  typeof value === 'object' && value !== null && 'sealed' in value

/** The records by which this one is found. */
export function pointersOf(model: string, record: Record_, keeper: Keeper): (Item & Key)[] {
  const { unique = [], listed = [] } = modelOf(model, keeper)
  const of = (fields: readonly string[], key: (field: string, value: string) => Key) =>
    fields.flatMap((field) => {
      const value = record[field]
      return value === undefined || value === null
        ? []
        : [{ ...key(field, String(value)), id: record.id, ...ownerOf(record), ...ttlOf(record) }]
    })
  return [
    ...of(unique, (field, value) => markerKey(model, field, value, keeper)),
    ...of(listed, (field, value) => placeKey(model, field, value, record.id, keeper)),
  ]
}

/** Writes that make the pointers of `before` those of `next`; a marker that somebody else has makes them fail. */
export function pointerWrites(
  model: string,
  before: Record_ | undefined,
  next: Record_ | undefined,
  keeper: Keeper,
): Write[] {
  const old = before ? pointersOf(model, before, keeper) : []
  const now = next ? pointersOf(model, next, keeper) : []
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
