import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  CreateEventBusCommand,
  EventBridgeClient,
  PutRuleCommand,
  PutTargetsCommand,
} from '@aws-sdk/client-eventbridge'
import { CreateQueueCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { redriveMessages, republishEvents } from '../../lib/aws/dead-letters.ts'
import { processEnvironment } from '../../lib/config.ts'
import { openEmbedded } from '../../lib/embedded-aws/embedded.ts'
import { createLog } from '../../lib/log.ts'
import { scratchFolder } from '../support/scratch-folder.ts'

const region = 'eu-central-1'
const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' }

test('redriving dead-lettered messages returns them to their queue, and missed events are published again', async (t) => {
  const embedded = await openEmbedded({
    dir: scratchFolder('dead-letters'),
    region,
    credentials,
    invoke: () => Promise.resolve(),
    log: createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined }),
  })
  t.after(() => embedded.close())
  Object.assign(processEnvironment, {
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_ENDPOINT_URL_SQS: embedded.urls.SQS,
    AWS_ENDPOINT_URL_EVENTBRIDGE: embedded.urls.EVENTBRIDGE,
  })
  const sqs = new SQSClient({ region })
  const createQueue = async (QueueName: string, Attributes = {}) => {
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes }))
    return { QueueUrl, arn: `arn:aws:sqs:${region}:000000000000:${QueueName}` }
  }
  const receiveBodies = async (QueueUrl: string | undefined, WaitTimeSeconds = 0) => {
    const receive = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds })
    return ((await sqs.send(receive)).Messages ?? []).map(({ Body }) => Body)
  }
  const deadLetterQueue = await createQueue('mutabor-av-dead')
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: deadLetterQueue.arn, maxReceiveCount: 1 })
  const av = await createQueue('mutabor-av', { RedrivePolicy, VisibilityTimeout: '0' })
  for (const MessageBody of ['one', 'two'])
    await sqs.send(new SendMessageCommand({ QueueUrl: av.QueueUrl, MessageBody }))
  // The messages are not deleted, so the second receive moves them to the dead-letter queue.
  assert.equal((await receiveBodies(av.QueueUrl)).length, 2)
  assert.deepEqual(await receiveBodies(av.QueueUrl), [])
  assert.deepEqual(await redriveMessages('mutabor-av-dead', region), { movedCount: 2, isFinished: true })
  assert.deepEqual((await receiveBodies(av.QueueUrl)).sort(), ['one', 'two'])
  assert.deepEqual(await receiveBodies(deadLetterQueue.QueueUrl), [])

  const events = new EventBridgeClient({ region })
  await events.send(new CreateEventBusCommand({ Name: 'mutabor' }))
  const rule = { Name: 'receiver', EventBusName: 'mutabor' }
  await events.send(new PutRuleCommand({ ...rule, EventPattern: JSON.stringify({ source: ['mutabor'] }) }))
  const receiver = await createQueue('receiver')
  await events.send(
    new PutTargetsCommand({
      Rule: rule.Name,
      EventBusName: rule.EventBusName,
      Targets: [{ Id: 'receiver', Arn: receiver.arn }],
    }),
  )
  const missedEventQueue = await createQueue('mutabor-dispatch-dead')
  const event = { source: 'mutabor', 'detail-type': 'job.completed', detail: { id: 'evt_1' } }
  const MessageBody = JSON.stringify({ ...event, time: '2026-01-01T00:00:00Z', region })
  await sqs.send(new SendMessageCommand({ QueueUrl: missedEventQueue.QueueUrl, MessageBody }))
  assert.equal(await republishEvents('mutabor-dispatch-dead', 'mutabor', region), 1)
  const [republished = '{}'] = await receiveBodies(receiver.QueueUrl, 20)
  assert.partialDeepStrictEqual(JSON.parse(republished), event)
  assert.deepEqual(await receiveBodies(missedEventQueue.QueueUrl), [])
})
