import { CreateTableCommand, type CreateTableCommandInput } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb'
import type { Item } from '../../lib/aws/table.ts'
import { openDynamoDb } from '../../lib/embedded-aws/dynamodb/server.ts'
import { table as shape } from '../../lib/resources/storage.ts'
import { createDynamoDbClient, makeFolder, silentLog } from '../embedded-aws/dynamodb/start-dynamodb.ts'
import { after, before } from '../hooks.ts'

/** The embedded database of a test file, which can create several tables. */
export interface TestDatabase {
  client(): DynamoDBDocumentClient
  makeTable(): Promise<string>
  scan(tableName: string): Promise<Item[]>
}

/** Opens a database for the tests of a file. */
export function openDatabase(): TestDatabase {
  let openedDatabase: ServedDatabase | undefined
  before(async () => {
    openedDatabase = await serveDatabase(makeFolder())
  })
  after(() => openedDatabase?.close())
  return createDatabase(() => {
    if (!openedDatabase) throw new Error('the embedded database is not open yet')
    return openedDatabase.client()
  })
}

export interface ServedDatabase extends TestDatabase {
  close(): Promise<void>
}

export async function serveDatabase(folder: string): Promise<ServedDatabase> {
  const server = await openDynamoDb({ port: 0, log: silentLog, file: `${folder}/dynamodb.sqlite` })
  const client = createDynamoDbClient(server.url)
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } })
  const close = async () => {
    client.destroy()
    await server.close()
  }
  return { ...createDatabase(() => documents), close }
}

function createDatabase(client: () => DynamoDBDocumentClient): TestDatabase {
  let tables = 0
  return {
    client,
    async makeTable() {
      tables += 1
      const TableName = `jobs-${tables}`
      const { TimeToLiveAttribute, ...schema } = shape
      // The cast is safe: the declaration is deeply readonly, and the SDK does not modify its input.
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
