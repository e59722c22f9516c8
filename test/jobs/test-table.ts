import { CreateTableCommand, type CreateTableCommandInput } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb'
import type { Item } from '../../lib/aws/table.ts'
import { openDynamoDb } from '../../lib/local/dynamodb/server.ts'
import { table as shape } from '../../lib/resources/storage.ts'
import { after, before } from '../hooks.ts'
import { makeClient, makeFolder, silentLog } from '../local/dynamodb/start-dynamodb.ts'

/** The embedded table of a test file, with as many tables as its tests want. */
export interface Database {
  client(): DynamoDBDocumentClient
  makeTable(): Promise<string>
  scan(tableName: string): Promise<Item[]>
}

/** For the tests of a file. */
export function openDatabase(): Database {
  let opened: ServedDatabase | undefined
  before(async () => {
    opened = await serveDatabase(makeFolder())
  })
  after(() => opened?.close())
  return databaseOf(() => {
    if (!opened) throw new Error('the embedded table is not there yet')
    return opened.client()
  })
}

export interface ServedDatabase extends Database {
  close(): Promise<void>
}

export async function serveDatabase(folder: string): Promise<ServedDatabase> {
  const server = await openDynamoDb({ port: 0, log: silentLog, file: `${folder}/dynamodb.sqlite` })
  const client = makeClient(server.url)
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } })
  const close = async () => {
    client.destroy()
    await server.close()
  }
  return { ...databaseOf(() => documents), close }
}

function databaseOf(client: () => DynamoDBDocumentClient): Database {
  let tables = 0
  return {
    client,
    async makeTable() {
      tables += 1
      const TableName = `jobs-${tables}`
      const { TimeToLiveAttribute, ...schema } = shape
      // The declaration is deeply readonly, the SDK's type is not; it does not write to it.
      await client().send(
        new CreateTableCommand({ ...schema, TableName } as unknown as CreateTableCommandInput),
      )
      return TableName
    },
    async scan(TableName) {
      const items: Item[] = []
      let from: Item | undefined
      do {
        const page = await client().send(new ScanCommand({ TableName, ExclusiveStartKey: from }))
        items.push(...(page.Items ?? []))
        from = page.LastEvaluatedKey
      } while (from)
      return items
    },
  }
}
