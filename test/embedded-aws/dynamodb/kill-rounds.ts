// Kills DynamoDB at random times while eight clients write, and keeps a ledger of the acknowledged writes.
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
import { createDynamoDbClient, createTable, startDynamoDb } from './start-dynamodb.ts'

const TableName = 'ledger'
const WRITERS = 8

interface Ledger {
  /** Keys of single items. */
  readonly puts: Set<string>
  /** Keys of pairs of items written in one transaction. */
  readonly pairs: Set<string>
  /** By writer: the acknowledged and the attempted increments of its counter. */
  readonly counts: Map<string, { acknowledged: number; attempted: number }>
  next: number
}

/** Kills the program repeatedly, then checks that everything acknowledged exists and nothing is incomplete. */
export async function runDynamoDbKillRounds(t: TestContext, rounds: number): Promise<string> {
  const server = await startDynamoDb(t)
  await createTable(server.client, TableName)
  const ledger: Ledger = { puts: new Set(), pairs: new Set(), counts: new Map(), next: 0 }
  for (let round = 0; round < rounds; round++) {
    const client = createDynamoDbClient(server.url, 1)
    await waitUntilReady(client)
    const pid = server.pid()
    assert.ok(pid, 'the program was restarted')
    const writers = Array.from({ length: WRITERS }, (_, at) =>
      write(DynamoDBDocumentClient.from(client), ledger, `w${at}`),
    )
    const updateCount = countUpdates(ledger)
    // The time of the kill has to be random.
    await wait(randomInt(10, 250))
    // On a slow machine, waits until one write of each kind was acknowledged, so that there is something to lose.
    const deadline = Date.now() + 20_000
    while (countUpdates(ledger) === updateCount && Date.now() < deadline) await wait(5)
    process.kill(pid, 'SIGKILL')
    await Promise.all(writers)
    client.destroy()
  }
  const client = createDynamoDbClient(server.url)
  await waitUntilReady(client)
  await check(DynamoDBDocumentClient.from(client), ledger)
  client.destroy()
  const updates = countUpdates(ledger)
  assert.ok(
    Math.min(ledger.puts.size, ledger.pairs.size, updates) >= rounds,
    'too few writes were acknowledged',
  )
  return `${rounds} kills: ${ledger.puts.size} puts, ${ledger.pairs.size} transactions and ${updates} updates acknowledged`
}

/** Returns the number of acknowledged updates. Each is the last of three writes of its writer. */
const countUpdates = ({ counts }: Ledger) =>
  [...counts.values()].reduce((sum, { acknowledged }) => sum + acknowledged, 0)

/** Waits until the program responds, because the SDK stops retrying after too many failed requests of a client. */
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

/** Writes until the program is killed. */
async function write(documents: DynamoDBDocumentClient, ledger: Ledger, writer: string): Promise<void> {
  const count = ledger.counts.get(writer) ?? { acknowledged: 0, attempted: 0 }
  ledger.counts.set(writer, count)
  try {
    for (;;) {
      const put = `put ${ledger.next++}`
      await documents.send(new PutCommand({ TableName, Item: { pk: put, sk: 0 } }))
      ledger.puts.add(put)
      const pair = `pair ${ledger.next++}`
      const createPairItem = (sk: number) => ({ Put: { TableName, Item: { pk: pair, sk } } })
      await documents.send(
        new TransactWriteCommand({ TransactItems: [createPairItem(1), createPairItem(2)] }),
      )
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
    // An error without a response means that the program was killed.
    if (error instanceof Error && '$response' in error && error.$response) throw error
  }
}

async function check(documents: DynamoDBDocumentClient, ledger: Ledger): Promise<void> {
  const rows = new Map<string, { sortKeys: number[]; count: number }>()
  for await (const { Items = [] } of paginateScan({ client: documents }, { TableName, ConsistentRead: true }))
    for (const { pk, sk, count } of Items) {
      const row = rows.get(String(pk)) ?? { sortKeys: [], count: Number(count) }
      row.sortKeys.push(Number(sk))
      rows.set(String(pk), row)
    }
  for (const key of ledger.puts) assert.ok(rows.has(key), `${key} is lost`)
  for (const key of ledger.pairs) assert.ok(rows.has(key), `${key} is lost`)
  for (const [key, { sortKeys }] of rows)
    if (key.startsWith('pair ')) assert.equal(sortKeys.length, 2, `${key} is incomplete`)
  for (const [key, { acknowledged, attempted }] of ledger.counts) {
    const count = rows.get(key)?.count ?? 0
    assert.ok(
      count >= acknowledged && count <= attempted,
      `${key} counts ${count}, not ${acknowledged}-${attempted}`,
    )
  }
}
