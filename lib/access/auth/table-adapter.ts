import type { CleanedWhere, CustomAdapter } from 'better-auth/adapters'
import { createAdapterFactory } from 'better-auth/adapters'
import type { Item, Key } from '../../aws/table.ts'
import type { Services } from '../../services/services.ts'
import { chooseLookup, matchesWhere, sortRecords } from './query-filter.ts'
import {
  type AuthRecord,
  createPointerWrites,
  fromItem,
  getListPartition,
  getMarkerKey,
  getModel,
  getModelListKey,
  getRecordKey,
  type RecordContext,
  toItem,
} from './records.ts'

interface AdapterDeps extends RecordContext, Pick<Services, 'table'> {}

/** Maximum number of attempts to change a record that other requests change at the same time. */
const maxAttempts = 12

/** Creates the better-auth adapter for the service's own table. */
export const createTableAdapter = (deps: AdapterDeps) =>
  createAdapterFactory({
    config: {
      adapterId: 'table',
      adapterName: 'Table',
      supportsJSON: true,
      supportsArrays: true,
      supportsDates: false,
      supportsNumericIds: false,
      transaction: false,
    },
    adapter: ({ getFieldName }) => new TableAdapter(deps, (model, field) => getFieldName({ model, field })),
  })

/** Replacement fields of a record; undefined leaves the record unchanged, null deletes it. */
type Replacement = Item | null | undefined

class TableAdapter implements CustomAdapter {
  readonly #deps: AdapterDeps
  readonly #getStoredName: (model: string, field: string) => string

  constructor(deps: AdapterDeps, getStoredName: (model: string, field: string) => string) {
    this.#deps = deps
    this.#getStoredName = getStoredName
    // Binds the methods, because better-auth's adapter factory copies them without their object.
    for (const name of ['create', 'findOne', 'findMany', 'count', 'update', 'updateMany'] as const)
      Object.assign(this, { [name]: this[name].bind(this) })
    for (const name of ['delete', 'deleteMany', 'consumeOne', 'incrementOne'] as const)
      Object.assign(this, { [name]: this[name].bind(this) })
  }

  async create<T extends Record<string, unknown>>({ model, data }: { model: string; data: T }): Promise<T> {
    const record = { ...data, id: String(data['id']), version: 1 }
    const isCreated = await this.#deps.table.transact([
      { put: toItem(model, record, this.#deps), if: { exists: false } },
      ...createPointerWrites(model, undefined, record, this.#deps),
    ])
    if (!isCreated) throw new Error(`A ${model} with this id or unique value already exists.`)
    return data
  }

  async findOne<T>({ model, where }: { model: string; where: CleanedWhere[] }): Promise<T | null> {
    const [foundRecord] = await this.#find(model, where)
    return (foundRecord as T | undefined) ?? null // the factory knows the model's type
  }

  async findMany<T>({
    model,
    where = [],
    limit,
    offset = 0,
    sortBy,
    select,
  }: Parameters<CustomAdapter['findMany']>[0]): Promise<T[]> {
    const foundRecords = await this.#find(model, where)
    const sortedRecords = sortBy ? sortRecords(foundRecords, sortBy) : foundRecords
    const page = sortedRecords.slice(offset, limit === undefined ? undefined : offset + limit)
    const storedNames = select?.map((field) => this.#getStoredName(model, field))
    const wantedNames = storedNames
      ? page.map((record) => Object.fromEntries(storedNames.map((name) => [name, record[name]])))
      : page
    return wantedNames as T[] // the factory knows the model's type
  }

  async count({ model, where = [] }: { model: string; where?: CleanedWhere[] | undefined }): Promise<number> {
    return (await this.#find(model, where)).length
  }

  async update<T>({
    model,
    where,
    update,
  }: {
    model: string
    where: CleanedWhere[]
    update: T
  }): Promise<T | null> {
    return this.#changeOne<T>(model, where, () => update as Item) // fields of the model
  }

  async updateMany({ model, where, update }: Parameters<CustomAdapter['updateMany']>[0]): Promise<number> {
    return this.#changeAll(model, where, () => update)
  }

  async delete({ model, where }: { model: string; where: CleanedWhere[] }): Promise<void> {
    await this.#changeOne(model, where, () => null)
  }

  async deleteMany({ model, where }: { model: string; where: CleanedWhere[] }): Promise<number> {
    return this.#changeAll(model, where, () => null)
  }

  /** Deletes and returns a record. If there are several concurrent calls, only one of them returns it. */
  async consumeOne<T>({ model, where }: { model: string; where: CleanedWhere[] }): Promise<T | null> {
    return this.#changeOne<T>(model, where, () => null)
  }

  async incrementOne<T>({
    model,
    where,
    increment,
    set = {},
  }: Parameters<NonNullable<CustomAdapter['incrementOne']>>[0]): Promise<T | null> {
    return this.#changeOne<T>(model, where, (record) => ({
      ...set,
      ...Object.fromEntries(
        Object.entries(increment).map(([name, by]) => [name, Number(record[name] ?? 0) + by]),
      ),
    }))
  }

  /** Changes or deletes the first matching record. Returns the record after the change, or the deleted record. */
  async #changeOne<T>(
    model: string,
    where: readonly CleanedWhere[],
    next: (record: AuthRecord) => Replacement,
  ): Promise<T | null> {
    if (where.length === 0) return null
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const [foundRecord] = await this.#find(model, where)
      if (!foundRecord) return null
      const changedRecord = await this.#write(model, foundRecord, next(foundRecord))
      if (changedRecord) return changedRecord as T // the factory knows the model's type
    }
    throw new Error(
      `A ${model} could not be changed in ${maxAttempts} attempts because of concurrent changes.`,
    )
  }

  async #changeAll(
    model: string,
    where: readonly CleanedWhere[],
    next: (record: AuthRecord) => Replacement,
  ): Promise<number> {
    const foundRecords = await this.#find(model, where)
    const changedRecords = await Promise.all(
      foundRecords.map(({ id }) => {
        const idCondition: CleanedWhere = {
          field: 'id',
          operator: 'eq',
          value: id,
          connector: 'AND',
          mode: 'sensitive',
        }
        return this.#changeOne(model, [...where, idCondition], next)
      }),
    )
    return changedRecords.filter((record) => record !== null).length
  }

  /** Returns undefined if the record has changed since it was read. */
  async #write(
    model: string,
    recordBefore: AuthRecord,
    change: Replacement,
  ): Promise<AuthRecord | undefined> {
    const { table } = this.#deps
    const unchangedCondition = { equal: { version: recordBefore['version'] } }
    const key = getRecordKey(model, recordBefore.id)
    if (change === undefined) return recordBefore
    if (change === null) {
      const pointers = createPointerWrites(model, recordBefore, undefined, this.#deps)
      return (await table.transact([{ delete: key, if: unchangedCondition }, ...pointers]))
        ? recordBefore
        : undefined
    }
    const recordAfter: AuthRecord = {
      ...recordBefore,
      ...change,
      id: recordBefore.id,
      version: Number(recordBefore['version']) + 1,
    }
    const pointers = createPointerWrites(model, recordBefore, recordAfter, this.#deps)
    const item = toItem(model, recordAfter, this.#deps)
    if (pointers.length === 0) {
      const { applied } = await table.put(item, { condition: unchangedCondition })
      return applied ? recordAfter : undefined
    }
    if (await table.transact([{ put: item, if: unchangedCondition }, ...pointers])) return recordAfter
    const now = await table.get(key)
    if (now?.['version'] === recordBefore['version'])
      throw new Error(`A ${model} with this unique value already exists.`)
    return undefined
  }

  async #find(model: string, where: readonly CleanedWhere[]): Promise<AuthRecord[]> {
    const ids = await this.#findCandidateIds(model, where)
    const items = await this.#deps.table.getAll([...new Set(ids)].map((id) => getRecordKey(model, id)))
    const recordsById = new Map(items.map((item) => [String(item['id']), fromItem(model, item, this.#deps)]))
    return [...new Set(ids)]
      .flatMap((id) => recordsById.get(id) ?? [])
      .filter((record) => matchesWhere(record, where))
  }

  async #findCandidateIds(model: string, where: readonly CleanedWhere[]): Promise<string[]> {
    const path = chooseLookup(getModel(model, this.#deps), where)
    const { table } = this.#deps
    switch (path.by) {
      case 'id':
        return [...path.ids]
      case 'marker': {
        const keys = path.values.map((value) => getMarkerKey(model, path.field, value, this.#deps))
        return getIds(await table.getAll(deduplicateKeys(keys)))
      }
      case 'list': {
        const partitions = path.values.map((value) => getListPartition(model, path.field, value, this.#deps))
        const lists = await Promise.all([...new Set(partitions)].map((pk) => table.partition(pk, 'PLACE#')))
        return getIds(lists.flat())
      }
      case 'all':
        return this.#listAllIds(model)
    }
  }

  async #listAllIds(model: string): Promise<string[]> {
    if (!getModel(model, this.#deps).isListable) throw new Error(`No index of ${model} matches this query.`)
    const foundItems: Item[] = []
    let from: Item | undefined
    do {
      const page = await this.#deps.table.query({
        IndexName: 'byList',
        KeyConditionExpression: 'listKey = :all',
        ExclusiveStartKey: from,
        ExpressionAttributeValues: { ':all': getModelListKey(model) },
      })
      foundItems.push(...page.items)
      from = page.next
    } while (from)
    return getIds(foundItems)
  }
}

const getIds = (items: readonly Item[]) => items.map(({ id }) => String(id))

const deduplicateKeys = (keys: readonly Key[]) => [
  ...new Map(keys.map((key) => [`${key.pk} ${key.sk}`, key])).values(),
]
