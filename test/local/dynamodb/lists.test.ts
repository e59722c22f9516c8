import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { expressions } from '../../../lib/aws/table-expressions.ts'
import { createTable, startDynamoDb } from './start.ts'

test('the program still mistakes the indexes of lists, so nothing may use them', async (t) => {
  const { client, documents } = await startDynamoDb(t)
  await createTable(client, 'table')
  const Key = { pk: 'a', sk: 1 }
  const after = async (change: {
    UpdateExpression: string
    ExpressionAttributeValues?: Record<string, unknown>
  }) => {
    await documents.send(new PutCommand({ TableName: 'table', Item: { ...Key, numbers: [0, 1, 2, 3] } }))
    await documents.send(new UpdateCommand({ TableName: 'table', Key, ...change }))
    const { Item } = await documents.send(new GetCommand({ TableName: 'table', Key }))
    return Item?.['numbers']
  }
  // At AWS each index is that of the list as it was, and one beyond its end appends.
  assert.notDeepEqual(await after({ UpdateExpression: 'REMOVE numbers[0], numbers[2]' }), [1, 3])
  const set = { UpdateExpression: 'SET numbers[30] = :x', ExpressionAttributeValues: { ':x': 9 } }
  assert.notDeepEqual(await after(set), [0, 1, 2, 3, 9])
})

test('a change of one element of a list is refused before it is sent', () => {
  assert.throws(() => expressions({ remove: ['list[0]', 'list[2]'] }), /a list is written as a whole/)
  assert.throws(() => expressions({ set: { 'list[30]': 9 } }), /a list is written as a whole/)
})

test('expressions are made in one place, and written by hand nowhere', () => {
  const root = join(import.meta.dirname, '../../..')
  const sources = ['lib', 'functions'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(root, folder, name)),
  )
  const byHand = sources.filter((path) => /UpdateExpression:\s*['"`]/.test(readFileSync(path, 'utf8')))
  assert.deepEqual(byHand, [])
})
