import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb'
import {
  BatchGetCommand,
  BatchWriteCommand,
  type BatchWriteCommandInput,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import { forEachConcurrently } from '../async/for-each-concurrently.ts'
import type { Config } from '../config.ts'
import { defined } from '../validation/defined.ts'
import { createClientConfig } from './client-config.ts'
import { type Change, type Condition, createExpressions } from './table-expressions.ts'
import {
  backgroundTimeouts,
  isThrottled,
  limitCallTime,
  type StoreTimeouts,
  throttlingReason,
} from './timeouts.ts'

export type Item = Record<string, unknown>
export interface Key {
  readonly pk: string
  readonly sk: string
}

/** One write of a transaction: a whole item, a change of an item, or a deletion. */
export type Write =
  | { readonly put: Item & Key; readonly if?: Condition }
  | { readonly update: Key; readonly change: Change; readonly if?: Condition }
  | { readonly delete: Key; readonly if?: Condition }

/** Outcome of a conditional write; `item` is the current record, if it exists. */
export interface ConditionalWriteResult {
  readonly applied: boolean
  readonly item: Item | undefined
}

type WriteRequests = NonNullable<BatchWriteCommandInput['RequestItems']>[string]
type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number]
/** The part of the document client that sends commands. */
export type CommandSender = Pick<DynamoDBDocumentClient, 'send'>

/** Maximum entries per call (AWS's limits). */
const maxPerCall = { get: 100, write: 25 }
/** Number of attempts for a transaction that conflicts with others, and for the unprocessed entries of a batch. */
const maxAttempts = 8
const firstPauseMs = 25
/** No retry starts later than this, because a retry may last until its timeout and requests end after 29 s. */
const maxRetryMs = 10_000

type TableSettings = Pick<Config, 'AWS_REGION' | 'roleKey' | 'TABLE_NAME'>

/** The single table: records are changed in place with conditions, so that no read is needed before a write. */
export class Table {
  readonly #client: CommandSender
  readonly #name: string

  constructor(config: TableSettings, client: CommandSender = createDocumentClient(config)) {
    this.#client = client
    this.#name = config.TABLE_NAME
  }

  async get(key: Key): Promise<Item | undefined> {
    const { Item } = await this.#client.send(
      new GetCommand({ TableName: this.#name, Key: key, ConsistentRead: true }),
    )
    return Item
  }

  /** Returns items in no particular order; missing items are omitted. */
  async getAll(keys: readonly Key[]): Promise<Item[]> {
    const [onlyKey] = keys
    if (onlyKey && keys.length === 1) {
      const onlyItem = await this.get(onlyKey)
      return onlyItem ? [onlyItem] : []
    }
    const pages = await Promise.all(toBatches(keys, maxPerCall.get).map((page) => this.#getPage(page)))
    return pages.flat()
  }

  async #getPage(keys: readonly Key[]): Promise<Item[]> {
    const items: Item[] = []
    let remainingKeys: Item[] = keys.map((key) => ({ ...key }))
    await retryUntilDone('the table did not return every key', async () => {
      const { Responses, UnprocessedKeys } = await this.#client.send(
        new BatchGetCommand({
          RequestItems: { [this.#name]: { Keys: remainingKeys, ConsistentRead: true } },
        }),
      )
      items.push(...(Responses?.[this.#name] ?? []))
      remainingKeys = UnprocessedKeys?.[this.#name]?.Keys ?? []
      return remainingKeys.length === 0
    })
    return items
  }

  /** Returns all items of a partition whose sort key has the prefix. */
  async partition(pk: string, sortPrefix = ''): Promise<Item[]> {
    const items: Item[] = []
    for await (const item of this.iterate(pk, sortPrefix)) items.push(item)
    return items
  }

  /** Yields the records of a partition in the order of their sort keys; reads only as far as the caller iterates. */
  async *iterate(pk: string, sortPrefix = '', pageSize?: number): AsyncGenerator<Item> {
    let from: Item | undefined
    do {
      const { items, next } = await this.query({
        KeyConditionExpression: sortPrefix ? 'pk = :pk AND begins_with(sk, :sk)' : 'pk = :pk',
        ExpressionAttributeValues: { ':pk': pk, ...(sortPrefix && { ':sk': sortPrefix }) },
        ConsistentRead: true,
        ExclusiveStartKey: from,
        ...defined({ Limit: pageSize }),
      })
      yield* items
      from = next
    } while (from)
  }

  async query(
    input: Omit<QueryCommandInput, 'TableName'>,
  ): Promise<{ items: Item[]; next: Item | undefined }> {
    const { Items, LastEvaluatedKey } = await this.#client.send(
      new QueryCommand({ TableName: this.#name, ...input }),
    )
    return { items: Items ?? [], next: LastEvaluatedKey }
  }

  /**
   * Changes one record if the condition holds. If a response is lost, the SDK repeats the write, and the condition then
   * fails. `writeMarker` detects this: if the record has these attributes, the first write was ours and succeeded.
   */
  async update(
    key: Key,
    change: Change,
    { condition = { exists: true }, writeMarker }: { condition?: Condition; writeMarker?: Item } = {},
  ): Promise<ConditionalWriteResult> {
    return this.#writeConditionally(
      (returnOptions) =>
        new UpdateCommand({
          TableName: this.#name,
          Key: key,
          ...createExpressions(change, condition),
          ...returnOptions,
          ReturnValues: 'ALL_NEW',
        }),
      writeMarker,
    )
  }

  /** Stores a whole item if the condition holds; see `update`. */
  async put(
    item: Item & Key,
    { condition, writeMarker }: { condition?: Condition; writeMarker?: Item } = {},
  ): Promise<ConditionalWriteResult> {
    const result = await this.#writeConditionally(
      (returnOptions) =>
        new PutCommand({
          TableName: this.#name,
          Item: item,
          ...createExpressions({}, condition),
          ...returnOptions,
        }),
      writeMarker,
    )
    return result.applied ? { applied: true, item } : result
  }

  async #writeConditionally(
    command: (returnOptions: {
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD'
    }) => UpdateCommand | PutCommand,
    expectedMarker: Item | undefined,
  ): Promise<ConditionalWriteResult> {
    try {
      const input = command({ ReturnValuesOnConditionCheckFailure: 'ALL_OLD' })
      // Both commands return attributes, but `send` has no overload for a union of the two.
      const { Attributes } = await this.#retryConflicts(() => this.#client.send(input as UpdateCommand))
      return { applied: true, item: Attributes }
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error
      // The document client does not unmarshall items in errors.
      const existingItem = unmarshallItem(error)
      const isOwnWrite =
        expectedMarker !== undefined &&
        existingItem !== undefined &&
        Object.entries(expectedMarker).every(([name, value]) => existingItem[name] === value)
      return { applied: isOwnWrite, item: existingItem }
    }
  }

  /** Makes all writes (at most 100) or none; returns false if a condition failed. */
  async transact(writes: readonly Write[]): Promise<boolean> {
    const command = new TransactWriteCommand({
      // AWS recognizes a repeated write by this token; the SDK would create a new token for each call.
      ClientRequestToken: randomUUID(),
      TransactItems: writes.map((write) => this.#transactItem(write)),
    })
    try {
      await this.#retryConflicts(() => this.#client.send(command))
      return true
    } catch (error) {
      if (isCancelledBecause(error, 'ConditionalCheckFailed')) return false
      throw error
    }
  }

  #transactItem(write: Write): TransactItem {
    const TableName = this.#name
    if ('put' in write) return { Put: { TableName, Item: write.put, ...createExpressions({}, write.if) } }
    if ('delete' in write)
      return { Delete: { TableName, Key: write.delete, ...createExpressions({}, write.if) } }
    const { UpdateExpression = '', ...otherExpressions } = createExpressions(
      write.change,
      write.if ?? { exists: true },
    )
    return { Update: { TableName, Key: write.update, UpdateExpression, ...otherExpressions } }
  }

  /** Makes any number of unconditional puts and deletions, in no particular order. */
  async writeAll(puts: readonly (Item & Key)[], deletes: readonly Key[] = []): Promise<void> {
    const requests: WriteRequests = [
      ...puts.map((Item) => ({ PutRequest: { Item } })),
      ...deletes.map((Key) => ({ DeleteRequest: { Key: { ...Key } } })),
    ]
    await forEachConcurrently(toBatches(requests, maxPerCall.write), 4, async (page) => {
      let remainingWrites = page
      await retryUntilDone('the table did not process every write', async () => {
        const { UnprocessedItems } = await this.#client.send(
          new BatchWriteCommand({ RequestItems: { [this.#name]: remainingWrites } }),
        )
        remainingWrites = UnprocessedItems?.[this.#name] ?? []
        return remainingWrites.length === 0
      })
    })
  }

  async delete(key: Key): Promise<void> {
    await this.#client.send(new DeleteCommand({ TableName: this.#name, Key: key }))
  }

  /** Checks access to the table. @throws if it is not available. */
  async check(): Promise<void> {
    await this.get({ pk: 'HEALTH', sk: 'HEALTH' })
  }

  /**
   * Retries what the SDK does not retry: writes to a record that is part of a running transaction, and throttled
   * transactions.
   */
  async #retryConflicts<T>(write: () => Promise<T>): Promise<T> {
    const endsAt = Date.now() + maxRetryMs
    for (let attempt = 1; ; attempt++) {
      try {
        return await write()
      } catch (error) {
        const isBusy =
          isNamed(error, 'TransactionConflictException') ||
          isCancelledBecause(error, 'TransactionConflict') ||
          isCancelledBecause(error, throttlingReason)
        if (!isBusy || attempt >= maxAttempts || Date.now() >= endsAt) throw error
        await waitBeforeRetry(attempt)
      }
    }
  }
}

/** Creates a client whose calls fail after a timeout instead of hanging. */
export function createDocumentClient(
  config: Pick<TableSettings, 'AWS_REGION' | 'roleKey'>,
  timeouts: StoreTimeouts = backgroundTimeouts,
): CommandSender {
  const client = new DynamoDBClient({
    ...createClientConfig(config),
    requestHandler: { requestTimeout: timeouts.attemptMs, throwOnRequestTimeout: true },
  })
  limitCallTime(client, timeouts)
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } })
}

/** Exponential back-off with jitter, so that conflicting writers do not collide again. */
const waitBeforeRetry = (attempt: number) => sleep(firstPauseMs * 1.5 ** attempt * (0.5 + Math.random()))

/** Retries a batch. A batch that AWS throttles as a whole is retried like a batch with unprocessed entries. */
async function retryUntilDone(failureMessage: string, attemptOnce: () => Promise<boolean>): Promise<void> {
  let cause: unknown
  const endsAt = Date.now() + maxRetryMs
  for (let attempt = 1; attempt <= maxAttempts && Date.now() < endsAt; attempt++) {
    try {
      if (await attemptOnce()) return
    } catch (error) {
      if (!isThrottled(error)) throw error
      cause = error
    }
    await waitBeforeRetry(attempt)
  }
  throw cause ?? new Error(failureMessage)
}

const toBatches = <T>(values: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(values.length / size) }, (_, at) => values.slice(at * size, (at + 1) * size))

const isNamed = (error: unknown, name: string) => error instanceof Error && error.name === name

const isCancelledBecause = (error: unknown, code: string) =>
  error instanceof TransactionCanceledException &&
  (error.CancellationReasons?.some(({ Code }) => Code === code) ?? false)

function unmarshallItem(error: ConditionalCheckFailedException): Item | undefined {
  return error.Item && unmarshall(error.Item)
}

/**
 * A write to a record that does not belong to the job but must succeed together with it, such as claiming an upload.
 */
export interface TransactionWrite {
  readonly update: Key
  readonly change: { readonly set: Readonly<Item> }
  readonly if: Condition
}
