// Calls each embedded server once, with clients configured only by the environment. Prints the results.
import { CreateTableCommand, DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { CreateQueueCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'

const s3 = new S3Client()
await s3.send(new CreateBucketCommand({ Bucket: 'box' }))
await s3.send(new PutObjectCommand({ Bucket: 'box', Key: 'a', Body: 'object' }))
const object = await s3.send(new GetObjectCommand({ Bucket: 'box', Key: 'a' }))

const sqs = new SQSClient()
const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'line' }))
await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'message' }))
const receivedMessages = await sqs.send(new ReceiveMessageCommand({ QueueUrl }))

const dynamoDb = new DynamoDBClient()
await dynamoDb.send(
  new CreateTableCommand({
    TableName: 'table',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  }),
)
const { TableNames } = await dynamoDb.send(new ListTablesCommand())

const event = { Source: 'test', DetailType: 'x', Detail: '{}' }
const put = await new EventBridgeClient().send(new PutEventsCommand({ Entries: [event] }))

const resources = {
  S3: await object.Body?.transformToString(),
  SQS: receivedMessages.Messages?.[0]?.Body,
  DYNAMODB: TableNames,
  EVENTBRIDGE: put.FailedEntryCount,
}
process.stdout.write(JSON.stringify(resources))
