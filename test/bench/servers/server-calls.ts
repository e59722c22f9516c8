import {
  CreateTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb'
import {
  EventBridgeClient,
  PutEventsCommand,
  PutRuleCommand,
  PutTargetsCommand,
} from '@aws-sdk/client-eventbridge'
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { credentials, region } from './server-process.ts'

/** A call that several clients repeat in parallel; `units` is the number of items per call. */
export interface BenchmarkCall {
  readonly name: string
  readonly runs: number
  readonly clients: number
  readonly units: number
  readonly call: () => Promise<unknown>
}

const createOptions = (endpoint: string) => ({ endpoint, region, credentials })

export async function createSqsCalls(endpoint: string): Promise<readonly BenchmarkCall[]> {
  const client = new SQSClient(createOptions(endpoint))
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: 'bench' }))
  const receiveAndDelete = async () => {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }),
    )
    if (Messages.length < 10) throw new Error(`Expected 10 messages, got ${Messages.length}.`)
    const Entries = Messages.map(({ ReceiptHandle }, at) => ({ Id: `${at}`, ReceiptHandle }))
    await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }))
  }
  const message = new SendMessageCommand({ QueueUrl, MessageBody: 'x'.repeat(500) })
  return [
    { name: 'send', runs: 5000, clients: 32, units: 1, call: () => client.send(message) },
    { name: 'receive + delete, by tens', runs: 450, clients: 8, units: 10, call: receiveAndDelete },
  ]
}

export async function createEventCalls(endpoint: string): Promise<readonly BenchmarkCall[]> {
  const client = new EventBridgeClient(createOptions(endpoint))
  await client.send(new PutRuleCommand({ Name: 'all', EventPattern: '{"source":["bench"]}' }))
  const Arn = `arn:aws:sqs:${region}:000000000000:bench`
  await client.send(new PutTargetsCommand({ Rule: 'all', Targets: [{ Id: '1', Arn }] }))
  const busEntry = { Source: 'bench', DetailType: 'x', Detail: JSON.stringify({ text: 'x'.repeat(200) }) }
  const put = new PutEventsCommand({ Entries: Array.from({ length: 10 }, () => busEntry) })
  return [
    { name: 'PutEvents by tens, accepted', runs: 300, clients: 8, units: 10, call: () => client.send(put) },
  ]
}

export async function createDynamoDbCalls(endpoint: string): Promise<readonly BenchmarkCall[]> {
  const client = new DynamoDBClient(createOptions(endpoint))
  const TableName = 'bench'
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    }),
  )
  let nextNumber = 0
  const Item = () => ({ pk: { S: `${nextNumber++}` }, text: { S: 'x'.repeat(500) } })
  const Key = { pk: { S: '0' } }
  const createThreePuts = () => [1, 2, 3].map(() => ({ Put: { TableName, Item: Item() } }))
  const put = () => client.send(new PutItemCommand({ TableName, Item: Item() }))
  const get = () => client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }))
  const transact = () => client.send(new TransactWriteItemsCommand({ TransactItems: createThreePuts() }))
  return [
    { name: 'put', runs: 2000, clients: 16, units: 1, call: put },
    { name: 'get', runs: 4000, clients: 16, units: 1, call: get },
    { name: 'transaction of 3 puts', runs: 1500, clients: 16, units: 1, call: transact },
  ]
}
