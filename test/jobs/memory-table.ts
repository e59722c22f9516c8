import { isDeepStrictEqual } from 'node:util'
import {
  type CommandSender,
  type ConditionalWriteResult,
  type Item,
  type Key,
  Table,
  type Write,
} from '../../lib/aws/table.ts'
import type { Change, Condition } from '../../lib/aws/table-expressions.ts'
import { readConfig } from '../../lib/config.ts'
import { applyChange } from './records.ts'

const config = readConfig({ LOG_LEVEL: 'silent' })
const unreachableTable: CommandSender = {
  send: () => Promise.reject(new Error('a table in memory sends no commands')),
}

/** The table in memory, for tests of record contents: evaluates changes and conditions without expressions. */
export class MemoryTable extends Table {
  readonly #items = new Map<string, Item>()
  /** Whether each write is repeated once, as the SDK does after a lost response. */
  isLosingResponses = false

  constructor() {
    super(config, unreachableTable)
  }

  /** All current records. */
  get items(): Item[] {
    return structuredClone([...this.#items.values()])
  }

  override async get(key: Key): Promise<Item | undefined> {
    return structuredClone(this.#items.get(getKeyName(key)))
  }

  override async getAll(keys: readonly Key[]): Promise<Item[]> {
    const foundItems = await Promise.all(keys.map((key) => this.get(key)))
    return foundItems.filter((item) => item !== undefined)
  }

  override async partition(pk: string, sortPrefix = ''): Promise<Item[]> {
    return this.items
      .filter((item) => item['pk'] === pk && String(item['sk']).startsWith(sortPrefix))
      .sort((a, b) => (String(a['sk']) < String(b['sk']) ? -1 : 1))
  }

  override async *iterate(pk: string, sortPrefix = ''): AsyncGenerator<Item> {
    yield* await this.partition(pk, sortPrefix)
  }

  override async update(
    key: Key,
    change: Change,
    { condition = { exists: true }, writeMarker }: { condition?: Condition; writeMarker?: Item } = {},
  ): Promise<ConditionalWriteResult> {
    const write = { update: key, change, if: condition }
    if (this.isLosingResponses) this.#conditional(write, writeMarker)
    return this.#conditional(write, writeMarker)
  }

  override async put(
    item: Item & Key,
    { condition = {}, writeMarker }: { condition?: Condition; writeMarker?: Item } = {},
  ): Promise<ConditionalWriteResult> {
    return this.#conditional({ put: item, if: condition }, writeMarker)
  }

  #conditional(write: Write, writeMarker: Item | undefined): ConditionalWriteResult {
    const itemBefore = this.#itemBefore(write)
    if (conditionHolds(itemBefore, write.if ?? {})) return { applied: true, item: this.#apply(write) }
    const isOwnWrite =
      writeMarker !== undefined &&
      itemBefore !== undefined &&
      Object.entries(writeMarker).every(([name, value]) => itemBefore[name] === value)
    return { applied: isOwnWrite, item: structuredClone(itemBefore) }
  }

  override async transact(writes: readonly Write[]): Promise<boolean> {
    const areConditionsMet = writes.every((write) =>
      conditionHolds(this.#itemBefore(write), write.if ?? ('update' in write ? { exists: true } : {})),
    )
    if (areConditionsMet) for (const write of writes) this.#apply(write)
    return areConditionsMet
  }

  override async writeAll(puts: readonly (Item & Key)[], deletes: readonly Key[] = []): Promise<void> {
    for (const put of puts) this.#apply({ put })
    for (const key of deletes) this.#apply({ delete: key })
  }

  override async delete(key: Key): Promise<void> {
    this.#apply({ delete: key })
  }

  #itemBefore(write: Write): Item | undefined {
    return this.#items.get(getKeyName(getWriteKey(write)))
  }

  #apply(write: Write): Item | undefined {
    const name = getKeyName(getWriteKey(write))
    if ('delete' in write) this.#items.delete(name)
    else
      this.#items.set(
        name,
        structuredClone(
          'put' in write
            ? write.put
            : applyChange({ ...write.update, ...this.#itemBefore(write) }, write.change),
        ),
      )
    return structuredClone(this.#items.get(name))
  }
}

const getKeyName = ({ pk, sk }: Key) => `${pk} ${sk}`
const getWriteKey = (write: Write): Key =>
  'put' in write ? write.put : 'update' in write ? write.update : write.delete

/** Reads an attribute. A dot in the path selects a key of a map. */
const readAt = (item: Item | undefined, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Item | undefined)?.[name], item)

function conditionHolds(item: Item | undefined, condition: Condition): boolean {
  const { exists, equal = {}, oneOf = {}, absent = [], present = [], below = {}, until = {} } = condition
  const { either = [], lacks, after } = condition
  if (lacks || after) throw new Error('job records use no such conditions')
  return (
    (exists === undefined || exists === (item !== undefined)) &&
    Object.entries(equal).every(([path, value]) => isDeepStrictEqual(readAt(item, path), value)) &&
    Object.entries(oneOf).every(([path, values]) => values.includes(readAt(item, path))) &&
    absent.every((path) => readAt(item, path) === undefined) &&
    present.every((path) => readAt(item, path) !== undefined) &&
    Object.entries(below).every(([path, maxValue]) => {
      const value = readAt(item, path) as number | undefined
      return value === undefined || value < maxValue
    }) &&
    Object.entries(until).every(([path, lastValue]) => {
      const value = readAt(item, path) as string | undefined
      return value !== undefined && value <= lastValue
    }) &&
    (either.length === 0 || either.some((one) => conditionHolds(item, one)))
  )
}
