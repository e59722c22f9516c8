// Limits reads and writes of each partition key value, which the embedded database does not do.
// Above a limit, requests fail as with an on-demand table, and entries of a batch stay unprocessed.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/throttling-key-range-limit-exceeded-mitigation.html
import type { AccountQuotas } from '../quotas.ts'
import { RateLimit } from '../rate-limit.ts'
import { ApiError } from '../signed-api.ts'
import { type Batch, type Input, listPartitionKeys, listRequiredPermissions } from './permissions.ts'

/** The members of a reply that are needed to count throughput. */
export interface Reply {
  ConsumedCapacity?: ConsumedUnits | readonly ConsumedUnits[]
  UnprocessedItems?: Input['RequestItems']
  UnprocessedKeys?: Input['RequestItems']
}
interface ConsumedUnits {
  readonly CapacityUnits: number
  readonly Table?: { readonly CapacityUnits?: number }
}

const operations: Readonly<Record<string, 'Read' | 'Write'>> = {
  GetItem: 'Read',
  BatchGetItem: 'Read',
  Query: 'Read',
  TransactGetItems: 'Read',
  PutItem: 'Write',
  UpdateItem: 'Write',
  DeleteItem: 'Write',
  BatchWriteItem: 'Write',
  TransactWriteItems: 'Write',
}

const hotKeyHint =
  'DynamoDB is automatically scaling your table or index so please try again shortly. If exceptions persist, check if you have a hot key: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html'

/** An error whose body has more than a code and a message. */
export class ThrottledError extends ApiError {
  readonly members: object

  constructor(code: string, message: string, members: object) {
    super(code, message)
    this.members = members
  }
}

export class PartitionThroughput {
  readonly #limits: { readonly Read: RateLimit; readonly Write: RateLimit }
  readonly #region: string

  constructor(quotas: AccountQuotas, region: string, now?: () => number) {
    this.#region = region
    const { partitionReadUnits = Infinity, partitionWriteUnits = Infinity } = quotas
    this.#limits = {
      Read: new RateLimit(partitionReadUnits, now),
      Write: new RateLimit(partitionWriteUnits, now),
    }
  }

  /** Whether an operation consumes the throughput of partitions. */
  counts(operation: string): boolean {
    return Object.hasOwn(operations, operation)
  }

  /**
   * Returns the part of a request that may be processed now; a batch may lack entries.
   * @throws ThrottledError if nothing may be processed
   */
  admit(operation: string, input: Input): Input {
    const kind = operations[operation]
    if (!kind) return input
    const limit = this.#limits[kind]
    const throttled = listPartitions(operation, input).map((partition) => !limit.hasTokens(partition))
    if (!throttled.includes(true)) return input
    if (operation.startsWith('Transact')) throw createCancellation(throttled)
    const admitted = input.RequestItems && selectEntries(input.RequestItems, (at) => !throttled[at])
    if (!admitted || Object.keys(admitted).length === 0)
      throw createThrottlingException(kind, input, this.#region)
    return { ...input, RequestItems: admitted }
  }

  /**
   * Counts what an admitted request consumed; the consumption of a batch or transaction is divided equally among its
   * entries.
   */
  count(operation: string, input: Input, { ConsumedCapacity = [] }: Reply): void {
    const kind = operations[operation]
    if (!kind) return
    const units = [ConsumedCapacity]
      .flat()
      .reduce((sum, { CapacityUnits, Table }) => sum + (Table?.CapacityUnits ?? CapacityUnits), 0)
    const partitions = listPartitions(operation, input)
    for (const partition of partitions) this.#limits[kind].take(partition, units / partitions.length)
  }
}

/** Returns the member of a batch reply that lists unprocessed entries, together with those that were not admitted. */
export function addUnprocessed(operation: string, reply: Reply, input: Input, admitted: Input): Reply {
  const admittedEntries = new Set(Object.values(admitted.RequestItems ?? {}).flatMap(getEntries))
  const requestItems = input.RequestItems ?? {}
  const allEntries = Object.values(requestItems).flatMap(getEntries)
  const name = operation === 'BatchGetItem' ? 'UnprocessedKeys' : 'UnprocessedItems'
  const tables = Object.entries(selectEntries(requestItems, (at) => !admittedEntries.has(allEntries[at])))
  const mergedTables = tables.map(([table, batch]) => [table, joinBatches(reply[name]?.[table], batch)])
  return { [name]: { ...reply[name], ...Object.fromEntries(mergedTables) } }
}

function joinBatches(a: Batch | undefined, other: Batch): Batch {
  if (a === undefined) return other
  if ('Keys' in a) return 'Keys' in other ? { ...a, Keys: [...a.Keys, ...other.Keys] } : a
  return 'Keys' in other ? a : [...a, ...other]
}

const getEntries = (batch: Batch): readonly unknown[] => ('Keys' in batch ? batch.Keys : batch)

/** Selects the entries of a batch by their index among all entries; tables without selected entries are omitted. */
function selectEntries(items: NonNullable<Input['RequestItems']>, isWanted: (at: number) => boolean) {
  let at = 0
  const tables = Object.entries(items).map(([table, batch]): [string, Batch] => {
    if (!('Keys' in batch)) return [table, batch.filter(() => isWanted(at++))]
    return [table, { ...batch, Keys: batch.Keys.filter(() => isWanted(at++)) }]
  })
  return Object.fromEntries(tables.filter(([, batch]) => getEntries(batch).length > 0))
}

/** Returns the ARN of a table or of one of its indexes. */
export function createResourceArn(region: string, table: string, index?: string): string {
  const tableArn = `arn:aws:dynamodb:${region}:000000000000:table/${table}`
  return index === undefined ? tableArn : `${tableArn}/index/${index}`
}

/** Returns the partition of each entry of a request; empty for a call without a partition key. */
function listPartitions(operation: string, input: Input): string[] {
  if (input.RequestItems)
    return Object.entries(input.RequestItems).flatMap(([table, batch]) =>
      splitIntoSingleEntries(batch).map((entry) => getPartitionName(table, listPartitionKeys(entry)[0])),
    )
  return listRequiredPermissions(operation, input).flatMap(({ table, index, leadingKeys = [] }) =>
    leadingKeys.map((key) => getPartitionName(table, key, index)),
  )
}

const getPartitionName = (table: string, key = '', index = '') => `${table}/${index} ${key}`

const splitIntoSingleEntries = (batch: Batch): Batch[] =>
  'Keys' in batch ? batch.Keys.map((key) => ({ Keys: [key] })) : batch.map((entry) => [entry])

function createThrottlingException(kind: 'Read' | 'Write', input: Input, region: string) {
  const { RequestItems = {}, IndexName } = input
  const { TableName = Object.keys(RequestItems)[0] ?? '' } = input
  const reason = `${IndexName === undefined ? 'Table' : 'Index'}${kind}KeyRangeThroughputExceeded`
  const resource = createResourceArn(region, TableName, IndexName)
  return new ThrottledError(
    'ThrottlingException',
    `Throughput exceeds the current throughput limit for your table or index. ${hotKeyHint}`,
    { ThrottlingReasons: [{ reason, resource }] },
  )
}

function createCancellation(throttled: readonly boolean[]) {
  const Message = `Throughput exceeds the current capacity of your table or index. ${hotKeyHint}`
  const reasons = throttled.map((isThrottled) =>
    isThrottled ? { Code: 'ThrottlingError', Message } : { Code: 'None' },
  )
  const codes = reasons.map(({ Code }) => Code).join(', ')
  return new ThrottledError(
    'TransactionCanceledException',
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    { CancellationReasons: reasons },
  )
}
