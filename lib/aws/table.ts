import { DynamoDBClient, TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import {
  BatchGetCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb'
import type { Config } from '../config.ts'

export type Item = Record<string, unknown>
export interface Key {
  readonly pk: string
  readonly sk: string
}

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number]

/** One write of a transaction: the whole item, if what it replaces still has the version that was read. */
export interface VersionedPut {
  readonly item: Item & Key & { readonly version: number }
}

/** Raised when an item was changed by somebody else since it was read; read again and decide anew. */
export class VersionConflict extends Error {}

/** The SDK asks three times, so a table that hangs is an error within ten seconds, not a request that never ends. */
const answerWithinMs = 3000

/** The single table. Items are replaced whole under a version check, so no half of a decision is ever stored. */
export class Table {
  readonly #client: DynamoDBDocumentClient
  readonly #name: string

  constructor(config: Config) {
    const client = new DynamoDBClient({
      region: config.AWS_REGION,
      requestHandler: { requestTimeout: answerWithinMs, throwOnRequestTimeout: true },
    })
    this.#client = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } })
    this.#name = config.TABLE_NAME
  }

  async get(key: Key): Promise<Item | undefined> {
    const { Item } = await this.#client.send(
      new GetCommand({ TableName: this.#name, Key: key, ConsistentRead: true }),
    )
    return Item
  }

  /** At most 100 keys; items that do not exist are left out. */
  async getAll(keys: readonly Key[]): Promise<Item[]> {
    const { Responses, UnprocessedKeys } = await this.#client.send(
      new BatchGetCommand({ RequestItems: { [this.#name]: { Keys: [...keys], ConsistentRead: true } } }),
    )
    if (Object.keys(UnprocessedKeys ?? {}).length > 0)
      throw new Error('the table did not answer for every key')
    return Responses?.[this.#name] ?? []
  }

  /** Every item of a partition whose sort key begins so. */
  async partition(pk: string, sortPrefix: string): Promise<Item[]> {
    const items: Item[] = []
    let from: Item | undefined
    do {
      const page = await this.query({
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sk)',
        ExpressionAttributeValues: { ':pk': pk, ':sk': sortPrefix },
        ConsistentRead: true,
        ExclusiveStartKey: from,
      })
      items.push(...page.items)
      from = page.next
    } while (from)
    return items
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
   * Writes all or none; a version of 1 means that the item must be new. `deletes` go in the same transaction.
   * @throws VersionConflict
   */
  async write(puts: readonly VersionedPut[], deletes: readonly Key[] = []): Promise<void> {
    const condition = ({ item }: VersionedPut) =>
      item.version === 1
        ? { ConditionExpression: 'attribute_not_exists(pk)' }
        : {
            ConditionExpression: 'version = :before',
            ExpressionAttributeValues: { ':before': item.version - 1 },
          }
    try {
      const [only] = puts
      if (only && puts.length === 1 && deletes.length === 0) {
        await this.#client.send(
          new PutCommand({ TableName: this.#name, Item: only.item, ...condition(only) }),
        )
        return
      }
      const items: TransactItem[] = [
        ...puts.map((put) => ({ Put: { TableName: this.#name, Item: put.item, ...condition(put) } })),
        ...deletes.map((key) => ({ Delete: { TableName: this.#name, Key: key } })),
      ]
      await this.#client.send(new TransactWriteCommand({ TransactItems: items }))
    } catch (error) {
      if (isConflict(error)) throw new VersionConflict('changed meanwhile', { cause: error })
      throw error
    }
  }

  async delete(key: Key): Promise<void> {
    await this.#client.send(new DeleteCommand({ TableName: this.#name, Key: key }))
  }

  /** @throws when the table does not answer. */
  async check(): Promise<void> {
    await this.get({ pk: 'HEALTH', sk: 'HEALTH' })
  }
}

function isConflict(error: unknown): boolean {
  if (error instanceof TransactionCanceledException) {
    return (
      error.CancellationReasons?.some(
        ({ Code }) => Code === 'ConditionalCheckFailed' || Code === 'TransactionConflict',
      ) ?? false
    )
  }
  return error instanceof Error && error.name === 'ConditionalCheckFailedException'
}
