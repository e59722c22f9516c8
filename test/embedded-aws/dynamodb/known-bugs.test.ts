import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { createExpressions } from '../../../lib/aws/table-expressions.ts'
import { Job } from '../../../lib/model/job.ts'
import { createDynamoDbClient, createTable, startDynamoDb } from './start-dynamodb.ts'

test('known bug of dynoxide: list indexes in update expressions give wrong results', async (t) => {
  const { client, documents } = await startDynamoDb(t)
  await createTable(client, 'table')
  const Key = { pk: 'a', sk: 1 }
  const applyUpdate = async (change: {
    UpdateExpression: string
    ExpressionAttributeValues?: Record<string, unknown>
  }) => {
    await documents.send(new PutCommand({ TableName: 'table', Item: { ...Key, numbers: [0, 1, 2, 3] } }))
    await documents.send(new UpdateCommand({ TableName: 'table', Key, ...change }))
    const { Item } = await documents.send(new GetCommand({ TableName: 'table', Key }))
    return Item?.['numbers']
  }
  // At AWS, indexes refer to the original list, and an index beyond its end appends.
  assert.notDeepEqual(await applyUpdate({ UpdateExpression: 'REMOVE numbers[0], numbers[2]' }), [1, 3])
  const set = { UpdateExpression: 'SET numbers[30] = :x', ExpressionAttributeValues: { ':x': 9 } }
  assert.notDeepEqual(await applyUpdate(set), [0, 1, 2, 3, 9])
})

test('known bug of dynoxide: removing from a missing map succeeds, so job records must contain all maps', async (t) => {
  const { client, documents } = await startDynamoDb(t)
  await createTable(client, 'table')
  const Key = { pk: 'a', sk: 1 }
  await documents.send(new PutCommand({ TableName: 'table', Item: Key }))
  // AWS: "The document path provided in the update expression is invalid for update".
  for (const UpdateExpression of ['REMOVE running.x', 'DELETE running.x :set']) {
    const ExpressionAttributeValues = UpdateExpression.includes(':set') ? { ':set': new Set([1]) } : undefined
    await documents.send(
      new UpdateCommand({ TableName: 'table', Key, UpdateExpression, ExpressionAttributeValues }),
    )
  }
  for (const map of ['running', 'log', 'numbers'] as const)
    assert.equal(Job.shape[map].safeParse(undefined).success, false, map)
})

test('known bug of dynoxide: a non-ASCII expression closes the connection, so our expressions are ASCII', async (t) => {
  const { url, client, documents } = await startDynamoDb(t)
  await createTable(client, 'table')
  const Key = { pk: 'a', sk: 1 }
  const attributes = { ExpressionAttributeNames: { '#ö': 'ö' }, ExpressionAttributeValues: { ':x': 1 } }
  const clientWithoutRetries = createDynamoDbClient(url, 1)
  t.after(() => clientWithoutRetries.destroy())
  await assert.rejects(
    DynamoDBDocumentClient.from(clientWithoutRetries).send(
      new UpdateCommand({ TableName: 'table', Key, UpdateExpression: 'SET #ö = :x', ...attributes }),
    ),
    { code: 'ECONNRESET' },
  )
  const nonAsciiChange = { set: { ö: 1, ä: 2, 'a-b': 3, a_b: 4 } }
  await documents.send(new UpdateCommand({ TableName: 'table', Key, ...createExpressions(nonAsciiChange) }))
  const { Item } = await documents.send(new GetCommand({ TableName: 'table', Key }))
  assert.deepEqual(Item, { ...Key, ...nonAsciiChange.set })
})

test('an update of a single list element is refused before it is sent to DynamoDB', () => {
  assert.throws(
    () => createExpressions({ remove: ['list[0]', 'list[2]'] }),
    /lists have to be written as a whole/,
  )
  assert.throws(() => createExpressions({ set: { 'list[30]': 9 } }), /lists have to be written as a whole/)
})

test('no module of lib or functions writes a DynamoDB update expression as a string literal', () => {
  const root = join(import.meta.dirname, '../../..')
  const sources = ['lib', 'functions'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(root, folder, name)),
  )
  const filesWithExpressions = sources.filter((path) =>
    /UpdateExpression:\s*['"`]/.test(readFileSync(path, 'utf8')),
  )
  assert.deepEqual(filesWithExpressions, [])
})
