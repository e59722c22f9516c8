// Eight writers, a program that is killed at random moments, and a ledger of what it had acknowledged.
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { type DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import {
  DynamoDBDocumentClient,
  PutCommand,
  paginateScan,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import { createTable, makeClient, startDynamoDb } from './start-dynamodb.ts'

const TableName = 'ledger'
const WRITERS = 8

interface Ledger {
  /** Keys of single items. */
  readonly puts: Set<string>
  /** Keys of pairs that were written in one transaction. */
  readonly pairs: Set<string>
  /** By writer: how often its counter was acknowledged to have grown, and how often it was asked to. */
  readonly counts: Map<string, { acknowledged: number; attempted: number }>
  next: number
}

/** Kills the program so many times and then checks that what it acknowledged is there, and nothing is half. */
export async function runKillRounds(t: TestContext, rounds: number): Promise<string> {
  const server = await startDynamoDb(t)
  await createTable(server.client, TableName)
  const ledger: Ledger = { puts: new Set(), pairs: new Set(), counts: new Map(), next: 0 }
  for (let round = 0; round < rounds; round++) {
    const client = makeClient(server.url, 1)
    await waitUntilReady(client)
    const pid = server.pid()
    assert.ok(pid, 'it runs again')
    const writers = Array.from({ length: WRITERS }, (_, at) =>
      write(DynamoDBDocumentClient.from(client), ledger, `w${at}`),
    )
    // The moment is the point of the test: it has to be at random.
    await wait(randomInt(10, 250))
    process.kill(pid, 'SIGKILL')
    await Promise.all(writers)
    client.destroy()
  }
  const client = makeClient(server.url)
  await waitUntilReady(client)
  await check(DynamoDBDocumentClient.from(client), ledger)
  client.destroy()
  const updates = [...ledger.counts.values()].reduce((sum, { acknowledged }) => sum + acknowledged, 0)
  assert.ok(Math.min(ledger.puts.size, ledger.pairs.size, updates) >= rounds, 'The writers hardly wrote.')
  return `${rounds} kills: ${ledger.puts.size} puts, ${ledger.pairs.size} transactions and ${updates} updates acknowledged`
}

/** The SDK does not repeat any more when too many requests of a client failed. */
async function waitUntilReady(client: DynamoDBClient): Promise<void> {
  const deadline = Date.now() + 20_000
  for (;;) {
    try {
      await client.send(new ListTablesCommand({}))
      return
    } catch (error) {
      if (Date.now() > deadline) throw error
      await wait(5)
    }
  }
}

/** Goes on until the program is gone. */
async function write(documents: DynamoDBDocumentClient, ledger: Ledger, writer: string): Promise<void> {
  const count = ledger.counts.get(writer) ?? { acknowledged: 0, attempted: 0 }
  ledger.counts.set(writer, count)
  try {
    for (;;) {
      const put = `put ${ledger.next++}`
      await documents.send(new PutCommand({ TableName, Item: { pk: put, sk: 0 } }))
      ledger.puts.add(put)
      const pair = `pair ${ledger.next++}`
      const pairItem = (sk: number) => ({ Put: { TableName, Item: { pk: pair, sk } } })
      await documents.send(new TransactWriteCommand({ TransactItems: [pairItem(1), pairItem(2)] }))
      ledger.pairs.add(pair)
      count.attempted++
      await documents.send(
        new UpdateCommand({
          TableName,
          Key: { pk: writer, sk: 0 },
          UpdateExpression: 'ADD #count :one',
          ExpressionAttributeNames: { '#count': 'count' },
          ExpressionAttributeValues: { ':one': 1 },
        }),
      )
      count.acknowledged++
    }
  } catch (error) {
    // Not an answer, so it was killed.
    if (error instanceof Error && '$response' in error && error.$response) throw error
  }
}

async function check(documents: DynamoDBDocumentClient, ledger: Ledger): Promise<void> {
  const rows = new Map<string, { sks: number[]; count: number }>()
  for await (const { Items = [] } of paginateScan({ client: documents }, { TableName, ConsistentRead: true }))
    for (const { pk, sk, count } of Items) {
      const row = rows.get(String(pk)) ?? { sks: [], count: Number(count) }
      row.sks.push(Number(sk))
      rows.set(String(pk), row)
    }
  for (const key of ledger.puts) assert.ok(rows.has(key), `${key} is lost`)
  for (const key of ledger.pairs) assert.ok(rows.has(key), `${key} is lost`)
  for (const [key, { sks }] of rows)
    if (key.startsWith('pair ')) assert.equal(sks.length, 2, `${key} is half there`)
  for (const [key, { acknowledged, attempted }] of ledger.counts) {
    const count = rows.get(key)?.count ?? 0
    assert.ok(
      count >= acknowledged && count <= attempted,
      `${key} counts ${count}, not ${acknowledged}-${attempted}`,
    )
  }
}
