import assert from 'node:assert/strict'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb'
import type { Item } from '../../../lib/aws/table.ts'
import type { AppReply } from '../embedded-app.ts'

export function form(fields: Readonly<Record<string, string>>, ...texts: readonly string[]): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.set(name, value)
  for (const text of texts) data.append('file', new Blob([text]), 'page.md')
  return data
}

export const isReplay = ({ headers }: AppReply) => headers['idempotent-replayed'] === 'true'

export function assertReplay(second: AppReply, first: AppReply): void {
  assert.equal(second.status, first.status, second.text)
  assert.equal(second.text, first.text)
  assert.ok(!isReplay(first))
  assert.ok(isReplay(second))
}

export function assertCode(answer: AppReply, status: number, code: string): void {
  assert.equal(answer.json.error?.code, code, answer.text)
  assert.equal(answer.status, status)
}

export async function scan(): Promise<Item[]> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ region: 'eu-central-1' }))
  const { Items = [] } = await client.send(new ScanCommand({ TableName: 'mutabor' }))
  client.destroy()
  return Items
}

export const reservations = async () => (await scan()).filter(({ pk }) => String(pk).startsWith('IDEM#'))
