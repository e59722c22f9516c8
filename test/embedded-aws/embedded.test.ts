import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { EventBridgeClient, PutRuleCommand, PutTargetsCommand } from '@aws-sdk/client-eventbridge'
import {
  CreateBucketCommand,
  PutBucketNotificationConfigurationCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import pino from 'pino'
import { type Embedded, openEmbedded } from '../../lib/embedded-aws/embedded.ts'
import { after, before } from '../hooks.ts'

let embedded: Embedded
let dir: string
let s3: S3Client
let sqs: SQSClient
let bus: EventBridgeClient
before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'mutabor-embedded-'))
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' }
  const region = 'eu-central-1'
  embedded = await openEmbedded({
    dir,
    region,
    credentials,
    invoke: async () => {},
    log: pino({ level: 'silent' }),
  })
  const client = { region, credentials }
  s3 = new S3Client({ ...client, endpoint: embedded.urls.S3, forcePathStyle: true })
  sqs = new SQSClient({ ...client, endpoint: embedded.urls.SQS })
  bus = new EventBridgeClient({ ...client, endpoint: embedded.urls.EVENTBRIDGE })
})
after(async () => {
  await embedded.close()
  await rm(dir, { recursive: true, force: true })
})

async function createQueue(name: string): Promise<{ url: string; arn: string }> {
  const { QueueUrl: url = '' } = await sqs.send(new CreateQueueCommand({ QueueName: name }))
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn'] }),
  )
  return { url, arn: Attributes?.['QueueArn'] ?? '' }
}

/** Receives the next message other than S3's test message. */
async function receiveMessage(url: string): Promise<Record<string, unknown>> {
  for (;;) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: url, WaitTimeSeconds: 10 }),
    )
    assert.ok(Messages.length > 0, 'a message arrives in time')
    const body = JSON.parse(Messages[0]?.Body ?? '{}') as Record<string, unknown>
    if (body['Event'] !== 's3:TestEvent') return body
  }
}

test('a new object notifies one SQS queue directly and another through an EventBridge rule', async () => {
  const notifiedQueue = await createQueue('direct')
  const queueOfRule = await createQueue('by-rule')
  await s3.send(new CreateBucketCommand({ Bucket: 'inbox' }))
  await s3.send(
    new PutBucketNotificationConfigurationCommand({
      Bucket: 'inbox',
      NotificationConfiguration: {
        QueueConfigurations: [{ QueueArn: notifiedQueue.arn, Events: ['s3:ObjectCreated:*'] }],
        EventBridgeConfiguration: {},
      },
    }),
  )
  await bus.send(
    new PutRuleCommand({ Name: 'new-objects', EventPattern: JSON.stringify({ source: ['aws.s3'] }) }),
  )
  await bus.send(new PutTargetsCommand({ Rule: 'new-objects', Targets: [{ Id: 'q', Arn: queueOfRule.arn }] }))
  await s3.send(new PutObjectCommand({ Bucket: 'inbox', Key: 'a b.txt', Body: 'words' }))
  const records = (await receiveMessage(notifiedQueue.url))['Records'] as {
    eventName: string
    s3: { object: { key: string; size: number } }
  }[]
  assert.equal(records[0]?.eventName, 'ObjectCreated:Put')
  assert.equal(records[0]?.s3.object.key, 'a+b.txt')
  const event = (await receiveMessage(queueOfRule.url)) as {
    'detail-type': string
    detail: { object: { key: string } }
  }
  assert.equal(event['detail-type'], 'Object Created')
  assert.equal(event.detail.object.key, 'a b.txt')
})
