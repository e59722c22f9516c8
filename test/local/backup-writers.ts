// Eight writers to three embedded servers, and a record of what was acknowledged.
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3'
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { DynamoDBDocumentClient, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb'

const WRITERS = 8
const Bucket = 'box'
const TableName = 'table'

/** Acknowledged writes. For an object, the last acknowledged version; a later one may exist instead. */
export interface AcknowledgedWrites {
  readonly objects: ReadonlyMap<string, number>
  readonly messages: ReadonlySet<string>
  readonly items: ReadonlySet<string>
}

/** The variables that `npm run embedded -- --json` prints. */
export type Variables = Readonly<Record<string, string>>

function createClients(variables: Variables) {
  const createOptions = (service: string) => ({
    endpoint: variables[`AWS_ENDPOINT_URL_${service}`] ?? '',
    region: 'eu-central-1',
    credentials: {
      accessKeyId: variables['AWS_ACCESS_KEY_ID'] ?? '',
      secretAccessKey: variables['AWS_SECRET_ACCESS_KEY'] ?? '',
    },
  })
  return {
    s3: new S3Client({ ...createOptions('S3'), forcePathStyle: true }),
    sqs: new SQSClient(createOptions('SQS')),
    documents: DynamoDBDocumentClient.from(new DynamoDBClient(createOptions('DYNAMODB'))),
  }
}

/** Starts writers that write until they are stopped. */
export async function startWriters(variables: Variables) {
  const { s3, sqs, documents } = createClients(variables)
  await s3.send(new CreateBucketCommand({ Bucket }))
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'line' }))
  await documents.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    }),
  )
  const objects = new Map<string, number>()
  const messages = new Set<string>()
  const items = new Set<string>()
  let nextNumber = 0
  let isStopped = false
  async function write(writer: number): Promise<void> {
    while (!isStopped) {
      const version = nextNumber++
      // Few keys, so that files of objects are created and deleted all the time.
      const Key = `w${writer}/${randomInt(4)}`
      await s3.send(new PutObjectCommand({ Bucket, Key, Body: createBody(Key, version) }))
      objects.set(Key, version)
      const deletedKey = `w${writer}/gone`
      await s3.send(new PutObjectCommand({ Bucket, Key: deletedKey, Body: createBody(deletedKey, version) }))
      await s3.send(new DeleteObjectCommand({ Bucket, Key: deletedKey }))
      await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: `message ${version}` }))
      messages.add(`message ${version}`)
      await documents.send(new PutCommand({ TableName, Item: { pk: `item ${version}` } }))
      items.add(`item ${version}`)
    }
  }
  const allWrites = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)))
  return {
    acknowledged: (): AcknowledgedWrites => ({
      objects: new Map(objects),
      messages: new Set(messages),
      items: new Set(items),
    }),
    stop: async () => {
      isStopped = true
      await allWrites
      for (const client of [s3, sqs, documents]) client.destroy()
    },
  }
}

/** A body that identifies its version and shows whether it is complete. */
const createBody = (key: string, version: number) => `${key} ${version} ${'x'.repeat(20_000)} end`

export async function checkAcknowledged(
  variables: Variables,
  acknowledgedWrites: AcknowledgedWrites,
): Promise<void> {
  const { s3, sqs, documents } = createClients(variables)
  const versions = new Map<string, number>()
  for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket }))
    for (const { Key = '' } of Contents) {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }))
      const text = (await Body?.transformToString()) ?? ''
      const version = Number(text.split(' ')[1])
      assert.equal(text, createBody(Key, version), `${Key} is incomplete`)
      versions.set(Key, version)
    }
  for (const [key, version] of acknowledgedWrites.objects)
    assert.ok((versions.get(key) ?? -1) >= version, `${key} has version ${versions.get(key)}, not ${version}`)

  const items = new Set<string>()
  for await (const page of paginateScan({ client: documents }, { TableName }))
    for (const { pk } of page.Items ?? []) items.add(String(pk))
  for (const item of acknowledgedWrites.items) assert.ok(items.has(item), `${item} is lost`)

  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'line' }))
  const missingMessages = new Set(acknowledgedWrites.messages)
  for (;;) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 600 }),
    )
    if (Messages.length === 0) break
    for (const { Body = '', ReceiptHandle } of Messages) {
      missingMessages.delete(Body)
      await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))
    }
  }
  assert.deepEqual([...missingMessages], [], 'messages are lost')
  for (const client of [s3, sqs, documents]) client.destroy()
}
