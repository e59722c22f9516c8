import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb'
import { processEnvironment, readConfig } from '../../lib/config.ts'
import { connectToRunningService } from '../../lib/local/commands/replay/replay-target.ts'
import type { TestService } from './service.ts'

/** What a running service has stored. */
export interface StoredData {
  /** Partition keys of the table. */
  readonly records: readonly string[]
  /** Keys in the bucket. */
  readonly objects: readonly string[]
  /** Multipart uploads that were neither completed nor aborted. */
  readonly openUploads: readonly string[]
  /** Number of files in which the objects and parts of the bucket are stored. */
  readonly blobs: number
  /** Entries of the work folder. */
  readonly work: readonly string[]
}

export async function readStoredData(service: Pick<TestService, 'dataDir'>): Promise<StoredData> {
  const { dataDir } = service
  const database = new DatabaseSync(join(dataDir, 's3', 'objects.sqlite'), { readOnly: true })
  const listKeys = (sql: string) =>
    database
      .prepare(sql)
      .all()
      .map(({ key }) => Buffer.from(key as Uint8Array).toString()) // a blob column
  try {
    const blobs = await readdir(join(dataDir, 's3', 'blobs'), { recursive: true, withFileTypes: true })
    return {
      records: await readPartitionKeys(dataDir),
      objects: listKeys('SELECT key FROM object'),
      openUploads: listKeys('SELECT key FROM upload WHERE completed IS NULL'),
      blobs: blobs.filter((entry) => entry.isFile()).length,
      work: await readdir(join(dataDir, 'work')),
    }
  } finally {
    database.close()
  }
}

async function readPartitionKeys(dataDir: string): Promise<string[]> {
  const environmentBefore = { ...processEnvironment }
  processEnvironment['DATA_DIR'] = dataDir
  try {
    await connectToRunningService()
    const { AWS_REGION: region, TABLE_NAME: TableName } = readConfig(processEnvironment)
    const client = DynamoDBDocumentClient.from(new DynamoDBClient({ region }))
    const keys: string[] = []
    for await (const { Items = [] } of paginateScan({ client }, { TableName, ProjectionExpression: 'pk' }))
      keys.push(...Items.map(({ pk }) => String(pk)))
    client.destroy()
    return keys
  } finally {
    // Otherwise another service started by the test would use the servers of this one.
    for (const name of Object.keys(processEnvironment))
      if (!(name in environmentBefore)) delete processEnvironment[name]
    Object.assign(processEnvironment, environmentBefore)
  }
}
