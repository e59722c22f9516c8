// Starts the embedded DynamoDB in a temporary folder, with clients and helpers.
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { CreateTableCommand, DynamoDBClient, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import pino from 'pino'
import { type DynamoDbOptions, openDynamoDb } from '../../../lib/embedded-aws/dynamodb/server.ts'
import { listDescendants } from '../../support/processes.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' }
export const silentLog = pino({ level: 'silent' })

export const makeFolder = () => scratchFolder('mutabor-dynamodb')

export async function startDynamoDb(t: TestContext, options: Partial<DynamoDbOptions> = {}) {
  const file = options.file ?? join(makeFolder(), 'dynamodb.sqlite')
  const dynamoDb = await openDynamoDb({ port: 0, log: silentLog, ...options, file })
  const client = createDynamoDbClient(dynamoDb.url)
  const documents = DynamoDBDocumentClient.from(client)
  const stop = async () => {
    client.destroy()
    await dynamoDb.close()
  }
  t.after(stop)
  return { url: dynamoDb.url, file, client, documents, pid: () => readPid(file), stop }
}

/** Creates a client that by default retries often enough to survive a restart of the server. */
export const createDynamoDbClient = (endpoint: string, maxAttempts = 12) =>
  new DynamoDBClient({ endpoint, region: 'eu-central-1', credentials, maxAttempts })

/** Returns the id of the process that has the file open; undefined if there is none. */
const readPid = (file: string) =>
  listDescendants(process.pid).find(({ command }) => command.includes('dynoxide') && command.includes(file))
    ?.pid

export async function createTable(
  client: DynamoDBClient,
  TableName: string,
  ttl?: string,
  sortKeyType: 'N' | 'S' = 'N',
): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: sortKeyType },
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
    }),
  )
  if (ttl === undefined) return
  const TimeToLiveSpecification = { AttributeName: ttl, Enabled: true }
  await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }))
}
