import assert from 'node:assert/strict'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb'
import type { Item } from '../../../lib/aws/table.ts'
import type { AppReply } from '../embedded-app.ts'

export function createForm(fields: Readonly<Record<string, string>>, ...texts: readonly string[]): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.set(name, value)
  for (const text of texts) data.append('file', new Blob([text]), 'page.md')
  return data
}

export const isReplay = ({ headers }: AppReply) => headers['idempotent-replayed'] === 'true'

export function assertReplay(secondReply: AppReply, firstReply: AppReply): void {
  assert.equal(secondReply.status, firstReply.status, secondReply.text)
  assert.equal(secondReply.text, firstReply.text)
  assert.ok(!isReplay(firstReply))
  assert.ok(isReplay(secondReply))
}

export function assertCode(reply: AppReply, status: number, code: string): void {
  assert.equal(reply.json.error?.code, code, reply.text)
  assert.equal(reply.status, status)
}

export async function scanTable(): Promise<Item[]> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ region: 'eu-central-1' }))
  const { Items = [] } = await client.send(new ScanCommand({ TableName: 'mutabor' }))
  client.destroy()
  return Items
}

export const listReservations = async () =>
  (await scanTable()).filter(({ pk }) => String(pk).startsWith('IDEM#'))
