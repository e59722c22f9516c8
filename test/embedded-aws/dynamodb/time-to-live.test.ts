import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DescribeTableCommand, DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb'
import { type DynamoDBDocumentClient, PutCommand, ScanCommand as ScanItems } from '@aws-sdk/lib-dynamodb'
import { deleteExpiredItems, type SweepOptions } from '../../../lib/embedded-aws/dynamodb/time-to-live.ts'
import { createTable, startDynamoDb } from './start-dynamodb.ts'

const nowS = Math.floor(Date.now() / 1000)
const yearS = 365 * 86_400

async function put(documents: DynamoDBDocumentClient, TableName: string, pk: string, moreFields: object) {
  await documents.send(new PutCommand({ TableName, Item: { pk, sk: 1, ...moreFields } }))
}

async function listKeys(documents: DynamoDBDocumentClient, TableName: string): Promise<string[]> {
  const { Items = [] } = await documents.send(new ScanItems({ TableName }))
  return Items.map(({ pk }) => String(pk)).sort()
}

test('DynamoDB deletes only expired items, in all tables with a time to live', async (t) => {
  const { client, documents } = await startDynamoDb(t)
  await createTable(client, 'first', 'expires')
  await createTable(client, 'second', 'sk')
  await createTable(client, 'third')
  await put(documents, 'first', 'over', { expires: nowS - 1 })
  await put(documents, 'first', 'over since four years', { expires: nowS - 4 * yearS })
  await put(documents, 'first', 'not yet', { expires: nowS + 60 })
  await put(documents, 'first', 'more than five years ago', { expires: nowS - 6 * yearS })
  await put(documents, 'first', 'text', { expires: String(nowS - 1) })
  await put(documents, 'first', 'no time', {})
  await put(documents, 'second', 'over by its key', { sk: nowS - 1 })
  await put(documents, 'third', 'no setting', { expires: nowS - 1 })
  assert.equal(await deleteExpiredItems({ client }), 3)
  assert.deepEqual(await listKeys(documents, 'first'), [
    'more than five years ago',
    'no time',
    'not yet',
    'text',
  ])
  assert.deepEqual(await listKeys(documents, 'second'), [])
  assert.deepEqual(await listKeys(documents, 'third'), ['no setting'])
})

test('DynamoDB keeps an item whose expiry is extended while expired items are being deleted', async (t) => {
  const { client, documents, url } = await startDynamoDb(t)
  await createTable(client, 'table', 'expires')
  await put(documents, 'table', 'renewed', { expires: nowS - 1 })
  await put(documents, 'table', 'over', { expires: nowS - 1 })
  const sweeperClient = new DynamoDBClient({
    endpoint: url,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'A', secretAccessKey: 'b' },
  })
  t.after(() => sweeperClient.destroy())
  sweeperClient.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next(args)
        if (commandName === ScanCommand.name) await put(documents, 'table', 'renewed', { expires: nowS + 60 })
        return result
      },
    { step: 'initialize' },
  )
  assert.equal(await deleteExpiredItems({ client: sweeperClient }), 1)
  assert.deepEqual(await listKeys(documents, 'table'), ['renewed'])
})

test('a scan for expired items stops early if it finds none, and the next scan continues where it stopped', async (t) => {
  const { client, documents } = await startDynamoDb(t)
  await createTable(client, 'table', 'expires')
  const names = Array.from({ length: 250 }, (_, at) => `item ${String(at).padStart(3, '0')}`)
  await Promise.all(names.map((name) => put(documents, 'table', name, { expires: nowS + 3600 })))
  await put(documents, 'table', 'over', { expires: nowS - 1 })
  const sentCommands: string[] = []
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      (args) => {
        sentCommands.push(commandName)
        return next(args)
      },
    { step: 'initialize' },
  )
  const countCommands = (name: string) => sentCommands.filter((sentCommand) => sentCommand === name).length
  const passes: SweepOptions['passes'] = new Map()
  const deletedCounts: number[] = []
  do {
    deletedCounts.push(await deleteExpiredItems({ client, passes, maxIdleScanMs: 0.001 }))
    assert.ok(
      countCommands(ScanCommand.name) <= deletedCounts.length + 1,
      'one page at a time, and one more after a page with expired items',
    )
  } while (passes.size > 0)
  assert.equal(
    deletedCounts.reduce((sum, count) => sum + count),
    1,
  )
  assert.ok(deletedCounts.length >= 2)
  assert.equal((await listKeys(documents, 'table')).length, names.length)
  assert.equal(countCommands(DescribeTableCommand.name), 1)
})

test('a running DynamoDB server deletes more than a hundred expired items and keeps an item that is not expired', async (t) => {
  const { client, documents } = await startDynamoDb(t, { ttlSweepEveryMs: 20 })
  await createTable(client, 'table', 'expires')
  const names = Array.from({ length: 120 }, (_, at) => `item ${at}`)
  await Promise.all(names.map((name) => put(documents, 'table', name, { expires: nowS - 1 })))
  await put(documents, 'table', 'kept', { expires: nowS + 3600 })
  const deadline = Date.now() + 20_000
  while ((await listKeys(documents, 'table')).length > 1)
    assert.ok(Date.now() < deadline, 'all expired items are deleted in time')
  assert.deepEqual(await listKeys(documents, 'table'), ['kept'])
})
