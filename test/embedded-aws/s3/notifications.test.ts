import assert from 'node:assert/strict'
import { EventEmitter, on } from 'node:events'
import { type TestContext, test } from 'node:test'
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketNotificationConfigurationCommand,
  type NotificationConfiguration,
  PutBucketNotificationConfigurationCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import type { NotifyTarget } from '../../../lib/embedded-aws/s3/event-messages.ts'
import { Bucket, getCallError, startS3, startWithBucket } from './start-s3.ts'

const QueueArn = 'arn:aws:sqs:us-east-1:000000000000:jobs'

interface Record {
  readonly eventName: string
  readonly s3: { readonly object: { readonly key: string; readonly size?: number; readonly eTag?: string } }
}

/** Collects delivered messages; `next` waits for one more. */
function createCollector() {
  const emitter = new EventEmitter()
  const messages = on(emitter, 'message')
  return {
    notify: async (target: NotifyTarget, event: unknown) => {
      emitter.emit('message', { target, event })
    },
    async next(): Promise<{ target: NotifyTarget; event: never }> {
      const { value = [] } = await messages.next()
      return value[0]
    },
  }
}

function configure(client: S3Client, NotificationConfiguration: NotificationConfiguration) {
  return client.send(new PutBucketNotificationConfigurationCommand({ Bucket, NotificationConfiguration }))
}

async function startWithQueue(
  t: TestContext,
  events: string[],
  rules: { Name: 'prefix' | 'suffix'; Value: string }[] = [],
) {
  const inbox = createCollector()
  const startedServer = await startWithBucket(t, { notify: inbox.notify })
  await configure(startedServer.client, {
    QueueConfigurations: [
      {
        Id: 'mine',
        QueueArn,
        Events: events as ['s3:ObjectCreated:*'],
        ...(rules.length > 0 && { Filter: { Key: { FilterRules: rules } } }),
      },
    ],
  })
  const testMessage = await inbox.next()
  assert.deepEqual(testMessage.target, { kind: 'sqs', arn: QueueArn })
  assert.equal((testMessage.event as { Event: string }).Event, 's3:TestEvent')
  const receiveRecord = async () => {
    const { event } = await inbox.next()
    const [firstRecord] = (event as { Records: Record[] }).Records
    return firstRecord
  }
  return { ...startedServer, record: receiveRecord }
}

test('an S3 bucket notifies a queue of the events that its notification rule selects', async (t) => {
  const { client, record } = await startWithQueue(t, [
    's3:ObjectCreated:*',
    's3:ObjectRemoved:*',
    's3:ObjectTagging:*',
  ])
  await client.send(new PutObjectCommand({ Bucket, Key: 'dir/a b+é.txt', Body: 'hello' }))
  const put = await record()
  assert.equal(put?.eventName, 'ObjectCreated:Put')
  assert.deepEqual([put?.s3.object.key, put?.s3.object.size], ['dir/a+b%2B%C3%A9.txt', 5])
  assert.equal(put?.s3.object.eTag, '5d41402abc4b2a76b9719d911017c592')
  await client.send(
    new CopyObjectCommand({ Bucket, Key: 'c', CopySource: encodeURIComponent('box/dir/a b+é.txt') }),
  )
  assert.equal((await record())?.eventName, 'ObjectCreated:Copy')
  await client.send(
    new PutObjectTaggingCommand({ Bucket, Key: 'c', Tagging: { TagSet: [{ Key: 'a', Value: 'b' }] } }),
  )
  assert.equal((await record())?.eventName, 'ObjectTagging:Put')
  await client.send(new DeleteObjectCommand({ Bucket, Key: 'missing' }))
  await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: 'c' }] } }))
  const removedRecord = await record()
  assert.deepEqual(
    [removedRecord?.eventName, removedRecord?.s3.object.key, removedRecord?.s3.object.size],
    ['ObjectRemoved:Delete', 'c', undefined],
  )
})

test('S3 notification rules filter keys by prefix and suffix', async (t) => {
  const { client, record } = await startWithQueue(
    t,
    ['s3:ObjectCreated:Put'],
    [
      { Name: 'prefix', Value: 'in/' },
      { Name: 'suffix', Value: '.pdf' },
    ],
  )
  for (const Key of ['in/a.txt', 'out/a.pdf', 'in/a.pdf'])
    await client.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }))
  await client.send(new CopyObjectCommand({ Bucket, Key: 'in/b.pdf', CopySource: 'box/in/a.pdf' }))
  await client.send(new PutObjectCommand({ Bucket, Key: 'in/last.pdf', Body: 'x' }))
  assert.equal((await record())?.s3.object.key, 'in/a.pdf')
  assert.equal((await record())?.s3.object.key, 'in/last.pdf')
})

test('S3 notifications are sent to EventBridge in the format of EventBridge events', async (t) => {
  const inbox = createCollector()
  const { client } = await startWithBucket(t, { notify: inbox.notify })
  await configure(client, { EventBridgeConfiguration: {} })
  await client.send(new PutObjectCommand({ Bucket, Key: 'a b', Body: 'hello' }))
  const { target, event } = await inbox.next()
  assert.deepEqual(target, { kind: 'eventbridge' })
  const notifiedEvent = event as {
    'detail-type': string
    source: string
    resources: string[]
    detail: { object: object; reason: string; bucket: object }
  }
  assert.deepEqual(
    [notifiedEvent['detail-type'], notifiedEvent.source, notifiedEvent.detail.reason],
    ['Object Created', 'aws.s3', 'PutObject'],
  )
  assert.deepEqual(notifiedEvent.resources, ['arn:aws:s3:::box'])
  assert.deepEqual(notifiedEvent.detail.bucket, { name: 'box' })
  assert.equal((notifiedEvent.detail.object as { key: string }).key, 'a b')
})

test('a rejected S3 notification is delivered again, also after a restart', async (t) => {
  const attempts = new EventEmitter()
  const refusedAttempts = on(attempts, 'refused')
  const { client, dir, stop } = await startWithBucket(t, {
    notify: async (_target, event) => {
      if (!(event as { Records?: object }).Records) return
      attempts.emit('refused')
      throw new Error('The queue is away')
    },
  })
  await configure(client, { QueueConfigurations: [{ QueueArn, Events: ['s3:ObjectCreated:*'] }] })
  await client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x' }))
  await refusedAttempts.next()
  await refusedAttempts.next()
  await stop()
  const inbox = createCollector()
  await startS3(t, { dir, notify: inbox.notify })
  const { event } = await inbox.next()
  assert.equal((event as { Records: Record[] }).Records[0]?.s3.object.key, 'k')
})

test('S3 returns notification configurations unchanged and rejects invalid ones', async (t) => {
  const { client } = await startWithBucket(t, {
    notify: async ({ arn }) => {
      if (arn?.endsWith(':missing')) throw new Error('No such queue')
    },
  })
  const QueueConfigurations = [
    {
      Id: 'a',
      QueueArn,
      Events: ['s3:ObjectCreated:*'],
      Filter: { Key: { FilterRules: [{ Name: 'prefix', Value: 'a/' }] } },
    },
    {
      Id: 'b',
      QueueArn,
      Events: ['s3:ObjectCreated:Put'],
      Filter: { Key: { FilterRules: [{ Name: 'prefix', Value: 'b/' }] } },
    },
  ] as NonNullable<NotificationConfiguration['QueueConfigurations']>
  await configure(client, { QueueConfigurations, EventBridgeConfiguration: {} })
  const configuration = await client.send(new GetBucketNotificationConfigurationCommand({ Bucket }))
  assert.deepEqual(configuration.QueueConfigurations, QueueConfigurations)
  assert.deepEqual(configuration.EventBridgeConfiguration, {})
  const configureInvalidQueue = (queue: object) =>
    getCallError(
      configure(client, { QueueConfigurations: [{ QueueArn, Events: ['s3:ObjectCreated:*'], ...queue }] }),
    )
  assert.equal(
    await configureInvalidQueue({ QueueArn: 'arn:aws:sqs:us-east-1:000000000000:missing' }),
    '400 InvalidArgument',
  )
  assert.equal(await configureInvalidQueue({ QueueArn: 'queue' }), '400 InvalidArgument')
  assert.equal(await configureInvalidQueue({ Events: ['s3:ObjectEaten:*'] }), '400 InvalidArgument')
  const overlappingConfigurations = [
    ...QueueConfigurations.slice(0, 1),
    { QueueArn, Events: ['s3:ObjectCreated:Copy' as const] },
  ]
  assert.equal(
    await getCallError(configure(client, { QueueConfigurations: overlappingConfigurations })),
    '400 InvalidArgument',
  )
  const topic = { TopicArn: 'arn:aws:sns:us-east-1:000000000000:t', Events: ['s3:ObjectCreated:*' as const] }
  assert.equal(await getCallError(configure(client, { TopicConfigurations: [topic] })), '501 NotImplemented')
  await configure(client, {})
  const emptyConfiguration = await client.send(new GetBucketNotificationConfigurationCommand({ Bucket }))
  assert.deepEqual(
    [emptyConfiguration.QueueConfigurations, emptyConfiguration.EventBridgeConfiguration],
    [undefined, undefined],
  )
})

test('S3 without SQS refuses notification configurations for queues', async (t) => {
  const { client } = await startWithBucket(t)
  const put = configure(client, { QueueConfigurations: [{ QueueArn, Events: ['s3:ObjectCreated:*'] }] })
  assert.equal(await getCallError(put), '501 NotImplemented')
})

test('S3 sends EventBridge only the events that the isWanted filter accepts', async (t) => {
  const inbox = createCollector()
  const getObjectKey = (event: unknown) =>
    (event as { detail: { object: { key: string } } }).detail.object.key
  const { client } = await startWithBucket(t, {
    notify: inbox.notify,
    isWanted: ({ kind }, event) => kind === 'eventbridge' && getObjectKey(event).startsWith('wanted/'),
  })
  await configure(client, { EventBridgeConfiguration: {} })
  for (const Key of ['other/1', 'wanted/1', 'other/2', 'wanted/2'])
    await client.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }))
  assert.deepEqual(
    [getObjectKey((await inbox.next()).event), getObjectKey((await inbox.next()).event)],
    ['wanted/1', 'wanted/2'],
  )
})
