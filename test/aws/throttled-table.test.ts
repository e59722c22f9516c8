// The table while AWS throttles one of its partitions: writes and reads wait instead of failing.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { type CommandSender, Table } from '../../lib/aws/table.ts'
import { isUnavailable } from '../../lib/aws/timeouts.ts'
import { readConfig } from '../../lib/config.ts'
import { openAccessProxy } from '../../lib/embedded-aws/dynamodb/access-proxy.ts'
import {
  createDynamoDbClient,
  createTable,
  silentLog,
  startDynamoDb,
} from '../embedded-aws/dynamodb/start-dynamodb.ts'

/**
 * Opens a table with a client that does not retry. One partition of the table has no throughput left for half a second.
 */
async function openThrottledTable(t: TestContext) {
  const { url, client } = await startDynamoDb(t)
  await createTable(client, 'mutabor', undefined, 'S')
  const proxy = await openAccessProxy({
    url,
    region: 'eu-central-1',
    credentials: [{ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' }],
    authorize: () => true,
    quotas: { partitionWriteUnits: 10, partitionReadUnits: 3 },
    log: silentLog,
  })
  const limitedClient = createDynamoDbClient(proxy.url, 1)
  t.after(async () => {
    limitedClient.destroy()
    await proxy.close()
  })
  const table = new Table(readConfig({ TABLE_NAME: 'mutabor' }), DynamoDBDocumentClient.from(limitedClient))
  await table.put({ pk: 'a', sk: 'large', text: 'x'.repeat(14 * 1024) })
  return table
}

test('a throttled DynamoDB transaction is retried', async (t) => {
  const table = await openThrottledTable(t)
  assert.equal(await table.transact([{ put: { pk: 'b', sk: '1' } }, { put: { pk: 'a', sk: '1' } }]), true)
  assert.deepEqual(await table.get({ pk: 'b', sk: '1' }), { pk: 'b', sk: '1' })
})

test('retries of a DynamoDB transaction reuse its idempotency token, and different transactions have different tokens', async () => {
  const tokens: unknown[] = []
  const throttlingError = new TransactionCanceledException({
    message: 'Transaction cancelled',
    $metadata: { httpStatusCode: 400 },
    CancellationReasons: [{ Code: 'ThrottlingError' }],
  })
  const send = async ({ input }: { input: { ClientRequestToken?: string } }) => {
    tokens.push(input.ClientRequestToken)
    if (tokens.length % 2 === 1) throw throttlingError
    return {}
  }
  const table = new Table(readConfig({ TABLE_NAME: 'mutabor' }), { send } as unknown as CommandSender)
  for (const pk of ['a', 'b']) assert.equal(await table.transact([{ put: { pk, sk: '1' } }]), true)
  const [first, , second] = tokens
  assert.equal(typeof first, 'string')
  assert.notEqual(first, second)
  assert.deepEqual(tokens, [first, first, second, second])
})

test('a DynamoDB batch write that is throttled as a whole is retried', async (t) => {
  const table = await openThrottledTable(t)
  await table.writeAll(['1', '2', '3'].map((sk) => ({ pk: 'a', sk })))
  assert.deepEqual(
    (await table.partition('a')).map(({ sk }) => sk),
    ['1', '2', '3', 'large'],
  )
})

test('a DynamoDB batch read that is throttled as a whole is retried', async (t) => {
  const table = await openThrottledTable(t)
  await table.get({ pk: 'a', sk: 'large' })
  const items = await table.getAll(['large', '1'].map((sk) => ({ pk: 'a', sk })))
  assert.deepEqual(
    items.map(({ sk }) => sk),
    ['large'],
  )
})

test('retries of slow DynamoDB calls end before the request times out', async (t) => {
  t.mock.timers.enable({ apis: ['Date'] })
  let calls = 0
  const throttlingError = Object.assign(new Error('too many'), { name: 'ThrottlingException' })
  const conflict = Object.assign(new Error('busy'), { name: 'TransactionConflictException' })
  const openSlowTable = (error: Error) => {
    calls = 0
    const send = async () => {
      calls++
      t.mock.timers.setTime(Date.now() + 6000)
      throw error
    }
    return new Table(readConfig({ TABLE_NAME: 'mutabor' }), { send } as unknown as CommandSender)
  }
  const item = { pk: 'a', sk: '1' }
  await assert.rejects(openSlowTable(throttlingError).writeAll([item, { pk: 'a', sk: '2' }]), throttlingError)
  assert.equal(calls, 2)
  await assert.rejects(openSlowTable(conflict).transact([{ put: item }]), conflict)
  assert.equal(calls, 2)
})

test('a DynamoDB transaction that stays throttled is reported as temporarily unavailable', () => {
  const createCancellation = (Code: string) =>
    new TransactionCanceledException({
      message: 'Transaction cancelled',
      $metadata: { httpStatusCode: 400 },
      CancellationReasons: [{ Code: 'None' }, { Code }],
    })
  assert.equal(isUnavailable(createCancellation('ThrottlingError')), true)
  assert.equal(isUnavailable(createCancellation('ConditionalCheckFailed')), false)
})
