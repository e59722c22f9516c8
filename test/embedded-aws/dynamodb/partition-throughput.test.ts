// The throughput of partition keys, with the errors by which AWS throttles a table in on-demand mode.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import {
  BatchGetCommand,
  BatchWriteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb'
import { openAccessProxy } from '../../../lib/embedded-aws/dynamodb/access-proxy.ts'
import type { AccountQuotas } from '../../../lib/embedded-aws/quotas.ts'
import { createDynamoDbClient, createTable, silentLog, startDynamoDb } from './start-dynamodb.ts'

const TableName = 'table'

async function start(t: TestContext, quotas: AccountQuotas, maxAttempts = 1) {
  const { url, client } = await startDynamoDb(t)
  await createTable(client, TableName)
  const proxy = await openAccessProxy({
    url,
    region: 'eu-central-1',
    credentials: [{ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' }],
    authorize: () => true,
    quotas,
    log: silentLog,
  })
  const limitedClient = createDynamoDbClient(proxy.url, maxAttempts)
  t.after(async () => {
    limitedClient.destroy()
    await proxy.close()
  })
  return DynamoDBDocumentClient.from(limitedClient)
}

const item = (pk: string, sk: number, kb = 0) => ({ pk, sk, text: 'x'.repeat(kb * 1024) })
const put = (Item: object) => new PutCommand({ TableName, Item })

test('DynamoDB throttles writes of a busy partition key, but not those of other keys', async (t) => {
  const table = await start(t, { partitionWriteUnits: 10 })
  assert.equal('ConsumedCapacity' in (await table.send(put(item('a', 1, 20)))), false)
  await assert.rejects(table.send(put(item('a', 2))), {
    name: 'ThrottlingException',
    message: /^Throughput exceeds the current throughput limit for your table or index\. /,
    ThrottlingReasons: [
      {
        reason: 'TableWriteKeyRangeThroughputExceeded',
        resource: `arn:aws:dynamodb:eu-central-1:000000000000:table/${TableName}`,
      },
    ],
  })
  await table.send(put(item('b', 1)))
  const { Item } = await table.send(new GetCommand({ TableName, Key: { pk: 'a', sk: 1 } }))
  assert.equal(Item?.['text'].length, 20 * 1024, 'reads have their own rate')
})

test('DynamoDB throttles reads of a partition key by the size of the returned items', async (t) => {
  const table = await start(t, { partitionReadUnits: 10 })
  await table.send(put(item('a', 1, 100)))
  const query = new QueryCommand({
    TableName,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': 'a' },
    ConsistentRead: true,
    ReturnConsumedCapacity: 'TOTAL',
  })
  const { ConsumedCapacity } = await table.send(query)
  assert.ok(Number(ConsumedCapacity?.CapacityUnits) >= 25, JSON.stringify(ConsumedCapacity))
  await assert.rejects(table.send(query), { name: 'ThrottlingException' })
})

test('the DynamoDB SDK retries a throttled request until it succeeds', async (t) => {
  const table = await start(t, { partitionWriteUnits: 10 }, 8)
  await table.send(put(item('a', 1, 20)))
  await table.send(put(item('a', 2)))
})

test('a DynamoDB transaction with a throttled entry is cancelled, and the error names the entry', async (t) => {
  const table = await start(t, { partitionWriteUnits: 10 })
  await table.send(put(item('a', 1, 20)))
  const TransactItems = ['b', 'a'].map((pk) => ({ Put: { TableName, Item: item(pk, 2) } }))
  const error = await table
    .send(new TransactWriteCommand({ TransactItems }))
    .catch((thrown: unknown) => thrown)
  assert.ok(error instanceof TransactionCanceledException, String(error))
  assert.deepEqual(
    error.CancellationReasons?.map(({ Code }) => Code),
    ['None', 'ThrottlingError'],
  )
})

test('throttled writes of a DynamoDB batch are returned as unprocessed, and a batch with only throttled writes fails', async (t) => {
  const table = await start(t, { partitionWriteUnits: 10 })
  await table.send(put(item('a', 1, 20)))
  const requests = ['b', 'a'].map((pk) => ({ PutRequest: { Item: item(pk, 2) } }))
  const { UnprocessedItems } = await table.send(
    new BatchWriteCommand({ RequestItems: { [TableName]: requests } }),
  )
  assert.deepEqual(
    UnprocessedItems?.[TableName]?.map(({ PutRequest }) => PutRequest?.Item?.['pk']),
    ['a'],
  )
  const onlyThrottled = new BatchWriteCommand({ RequestItems: { [TableName]: requests.slice(1) } })
  await assert.rejects(table.send(onlyThrottled), { name: 'ThrottlingException' })
})

test('throttled keys of a DynamoDB batch read are returned as unprocessed', async (t) => {
  const table = await start(t, { partitionReadUnits: 1 })
  await Promise.all([table.send(put(item('a', 1, 20))), table.send(put(item('b', 1)))])
  await table.send(new GetCommand({ TableName, Key: { pk: 'a', sk: 1 }, ConsistentRead: true }))
  const Keys = ['a', 'b'].map((pk) => ({ pk, sk: 1 }))
  const { Responses, UnprocessedKeys } = await table.send(
    new BatchGetCommand({ RequestItems: { [TableName]: { Keys, ConsistentRead: true } } }),
  )
  assert.deepEqual(Responses?.[TableName], [item('b', 1)])
  assert.deepEqual(UnprocessedKeys?.[TableName], { Keys: [{ pk: 'a', sk: 1 }], ConsistentRead: true })
})

test('DynamoDB refuses items over 400 KB and transactions over 4 MB', async (t) => {
  const table = await start(t, {})
  const refusal = { name: 'ValidationException', message: /size/ }
  await assert.rejects(table.send(put(item('a', 1, 401))), refusal)
  const TransactItems = Array.from({ length: 12 }, (_, sk) => ({
    Put: { TableName, Item: item('a', sk, 390) },
  }))
  await assert.rejects(table.send(new TransactWriteCommand({ TransactItems })), refusal)
})
