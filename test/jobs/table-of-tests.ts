import { CreateTableCommand, type CreateTableCommandInput } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb'
import type { Item } from '../../lib/aws/table.ts'
import { openDynamoDb } from '../../lib/local/dynamodb/server.ts'
import { table as shape } from '../../lib/resources.ts'
import { after, before } from '../hooks.ts'
import { makeClient, makeFolder, silentLog } from '../local/dynamodb/start.ts'

/** The embedded table of a test file, with as many tables as its tests want. */
export interface Database {
  client(): DynamoDBDocumentClient
  makeTable(): Promise<string>
  scan(tableName: string): Promise<Item[]>
}

export function openDatabase(): Database {
  let documents: DynamoDBDocumentClient | undefined
  let close = async () => {}
  let tables = 0
  before(async () => {
    const server = await openDynamoDb({ port: 0, log: silentLog, file: `${makeFolder()}/dynamodb.sqlite` })
    const client = makeClient(server.url)
    documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } })
    close = async () => {
      client.destroy()
      await server.close()
    }
  })
  after(() => close())
  const client = () => {
    if (!documents) throw new Error('the embedded table is not there yet')
    return documents
  }
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
