// Feeding a function from a queue like Lambda's event source mapping, with the embedded SQS.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { SendMessageCommand } from '@aws-sdk/client-sqs'
import type { SQSEvent, SQSRecord } from 'aws-lambda'
import { ThrottledInvocation } from '../../lib/embedded-aws/lambda/function-error.ts'
import { QueueMapping, type QueueMappingOptions } from '../../lib/embedded-aws/lambda/queue-mapping.ts'
import { waitUntil } from '../support/wait-until.ts'
import { log } from './lambda-runtime.ts'
import { credentials, region, startSqs, type TestServer } from './sqs/start-sqs.ts'

process.env['AWS_ACCESS_KEY_ID'] = credentials.accessKeyId
process.env['AWS_SECRET_ACCESS_KEY'] = credentials.secretAccessKey

interface Setup {
  readonly sqs: TestServer
  readonly url: string
  readonly arn: string
  send(body: string, moreFields?: object): Promise<void>
  /** Delivers the messages of the queue to `invoke` until the test ends. */
  map(invoke: (event: SQSEvent) => unknown, options?: Partial<QueueMappingOptions>): QueueMapping
}

async function setUp(t: TestContext, name = 'q', attributes: Record<string, string> = {}): Promise<Setup> {
  const sqs = await startSqs(t)
  process.env['AWS_ENDPOINT_URL_SQS'] = sqs.endpoint
  const url = await sqs.createQueue(name, attributes)
  const arn = (await sqs.attributes(url))['QueueArn'] ?? ''
  const mappings: QueueMapping[] = []
  t.after(() => Promise.all(mappings.map((mapping) => mapping.close())))
  return {
    sqs,
    url,
    arn,
    async send(MessageBody, moreFields = {}) {
      await sqs.client.send(new SendMessageCommand({ QueueUrl: url, MessageBody, ...moreFields }))
    },
    map(invoke, options = {}) {
      const mapping = new QueueMapping({
        queueUrl: url,
        queueArn: arn,
        region,
        log,
        concurrency: 1,
        settings: { batchSize: 1, functionResponseType: 'ReportBatchItemFailures' },
        invoke: async (event) => invoke(event),
        ...options,
      })
      mappings.push(mapping)
      return mapping
    },
  }
}

/** Returns the number of visible messages and of messages in flight. */
async function countMessages({ sqs, url }: Setup): Promise<[visible: number, hidden: number]> {
  const attributes = await sqs.attributes(url)
  const readCount = (name: string) => Number(attributes[`ApproximateNumberOfMessages${name}`])
  return [readCount(''), readCount('NotVisible')]
}

const isEmpty = (setup: Setup) => async () => (await countMessages(setup)).join() === '0,0'

test('an SQS record contains the documented fields, and its message is deleted after the function ran', async (t) => {
  const setup = await setUp(t)
  await setup.send('wörter', {
    MessageAttributes: {
      Text: { DataType: 'String', StringValue: 'a' },
      Count: { DataType: 'Number.cents', StringValue: '5' },
      Bytes: { DataType: 'Binary', BinaryValue: Buffer.from([0, 255]) },
    },
  })
  const { promise, resolve } = Promise.withResolvers<SQSRecord | undefined>()
  setup.map(({ Records }) => resolve(Records[0]))
  const record = await promise
  assert.ok(record)
  assert.partialDeepStrictEqual(record, {
    body: 'wörter',
    eventSource: 'aws:sqs',
    eventSourceARN: setup.arn,
    awsRegion: region,
    attributes: { ApproximateReceiveCount: '1' },
  })
  assert.deepEqual(record.messageAttributes, {
    Text: { stringValue: 'a', stringListValues: [], binaryListValues: [], dataType: 'String' },
    Count: { stringValue: '5', stringListValues: [], binaryListValues: [], dataType: 'Number.cents' },
    Bytes: { binaryValue: 'AP8=', stringListValues: [], binaryListValues: [], dataType: 'Binary' },
  })
  for (const name of ['messageId', 'receiptHandle', 'md5OfBody'] as const) assert.ok(record[name], name)
  assert.ok(record.attributes.SentTimestamp && record.attributes.SenderId)
  await waitUntil(isEmpty(setup), 'the queue is empty')
})

test('an SQS event source runs no more invocations than its maximum concurrency', async (t) => {
  const setup = await setUp(t)
  for (let at = 0; at < 7; at++) await setup.send(`${at}`)
  const finishInvocations: (() => void)[] = []
  let maxRunning = 0
  let runningCount = 0
  const invoke = async () => {
    maxRunning = Math.max(maxRunning, ++runningCount)
    await new Promise<void>((resolve) => finishInvocations.push(resolve))
    runningCount -= 1
  }
  setup.map(invoke, { concurrency: 5, settings: { batchSize: 1, maximumConcurrency: 3 } })
  for (let doneCount = 0; doneCount < 7; doneCount++) {
    await waitUntil(() => finishInvocations.length > 0, 'a batch is processing')
    finishInvocations.shift()?.()
  }
  await waitUntil(isEmpty(setup), 'the queue is empty')
  assert.equal(maxRunning, 3)
})

test('an SQS batch waits for its batching window and starts early when it is full', async (t) => {
  const setup = await setUp(t)
  const sizes: number[] = []
  setup.map(({ Records }) => sizes.push(Records.length), {
    settings: { batchSize: 12, maximumBatchingWindow: 2 },
  })
  for (let at = 0; at < 14; at++) await setup.send(`${at}`)
  await waitUntil(isEmpty(setup), 'the queue is empty')
  assert.deepEqual(sizes, [12, 2])
})

test('an SQS batch contains only as many message bodies as fit into the payload of an invocation', async (t) => {
  const setup = await setUp(t)
  const body = 'x'.repeat(1_000_000)
  for (let at = 0; at < 7; at++) await setup.send(body)
  const sizes: number[] = []
  setup.map(({ Records }) => sizes.push(Records.length), { settings: { batchSize: 10 } })
  await waitUntil(isEmpty(setup), 'the queue is empty')
  assert.ok(
    sizes.every((size) => size <= 5),
    sizes.join(),
  )
})

test('messages of one FIFO message group are never processed concurrently', async (t) => {
  const setup = await setUp(t, 'q.fifo', { FifoQueue: 'true', ContentBasedDeduplication: 'true' })
  for (let at = 0; at < 6; at++) await setup.send(`${at}`, { MessageGroupId: 'g' })
  const order: string[] = []
  let runningCount = 0
  setup.map(
    async ({ Records }) => {
      assert.equal(++runningCount, 1)
      await new Promise((resolve) => setTimeout(resolve, 20))
      order.push(...Records.map(({ body }) => body))
      runningCount -= 1
    },
    { concurrency: 4, settings: { batchSize: 2 } },
  )
  await waitUntil(isEmpty(setup), 'the queue is empty')
  assert.deepEqual(order, ['0', '1', '2', '3', '4', '5'])
})

const batchReporting = { batchSize: 10, functionResponseType: 'ReportBatchItemFailures' } as const
const reportFailed = (id: string) => ({ batchItemFailures: [{ itemIdentifier: id }] })

test('only messages that the function reports as failed stay in the SQS queue', async (t) => {
  const setup = await setUp(t)
  for (const body of ['good', 'bad', 'fine']) await setup.send(body)
  setup.map(({ Records }) => reportFailed(Records.find(({ body }) => body === 'bad')?.messageId ?? ''), {
    settings: { ...batchReporting, maximumBatchingWindow: 1 },
  })
  await waitUntil(async () => (await countMessages(setup)).join() === '0,1', 'the message is hidden')
})

const responses: [caseName: string, result: unknown, remainingCount: number][] = [
  ['null', null, 0],
  ['an empty object', {}, 0],
  ['an empty list of batchItemFailures', { batchItemFailures: [] }, 0],
  ['null as batchItemFailures', { batchItemFailures: null }, 0],
  ['the ID of a message outside the batch', reportFailed('00000000-0000-0000-0000-000000000000'), 1],
  ['an empty itemIdentifier', reportFailed(''), 1],
  ['null as itemIdentifier', { batchItemFailures: [{ itemIdentifier: null }] }, 1],
  ['id instead of itemIdentifier', { batchItemFailures: [{ id: 'x' }] }, 1],
  ['a string', 'text', 1],
]
for (const [caseName, result, remainingCount] of responses) {
  test(`a function that returns ${caseName} for an SQS batch reports ${remainingCount === 0 ? 'success of all messages' : 'failure of the whole batch'}`, async (t) => {
    const setup = await setUp(t)
    await setup.send('body')
    let invocations = 0
    const mapping = setup.map(
      () => {
        invocations += 1
        return result
      },
      { settings: batchReporting },
    )
    await waitUntil(() => invocations === 1, 'the function is called')
    await mapping.close()
    assert.deepEqual(await countMessages(setup), [0, remainingCount])
  })
}

test('without ReportBatchItemFailures, an SQS message that the function reports as failed is deleted', async (t) => {
  const setup = await setUp(t)
  await setup.send('body')
  setup.map(({ Records }) => reportFailed(Records[0]?.messageId ?? ''), { settings: { batchSize: 1 } })
  await waitUntil(isEmpty(setup), 'the queue is empty')
})

test('an SQS message whose function fails is delivered again until it moves to the dead-letter queue', async (t) => {
  let now = Date.now()
  const sqs = await startSqs(t, { now: () => now })
  process.env['AWS_ENDPOINT_URL_SQS'] = sqs.endpoint
  const deadLetterQueue = await sqs.createQueue('dead')
  const deadLetterTargetArn = (await sqs.attributes(deadLetterQueue))['QueueArn']
  const url = await sqs.createQueue('q', {
    VisibilityTimeout: '900',
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 2 }),
  })
  await sqs.client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'poison' }))
  const receivedBodies: string[] = []
  for (const count of ['1', '2']) {
    const closedEvent = Promise.withResolvers<void>()
    const mapping = new QueueMapping({
      queueUrl: url,
      queueArn: '',
      region,
      log,
      concurrency: 1,
      settings: batchReporting,
      invoke: async ({ Records }) => {
        receivedBodies.push(Records[0]?.attributes.ApproximateReceiveCount ?? '')
        // While the mapping is busy, it receives no further message, so closing it loses none.
        closedEvent.resolve(mapping.close())
        throw new Error('expected failure')
      },
    })
    t.after(() => mapping.close())
    await closedEvent.promise
    assert.equal(receivedBodies.at(-1), count)
    // The messages come back much earlier than after the queue's visibility timeout of 900 s.
    now += 17_000
  }
  assert.deepEqual(await sqs.receive(url), [])
  assert.deepEqual(
    (await sqs.receive(deadLetterQueue)).map(({ Body }) => Body),
    ['poison'],
  )
})

test('retries of a throttled function invocation stop when its SQS messages become visible again', async (t) => {
  const setup = await setUp(t)
  const tries: string[] = []
  // The messages are too large for one invocation, so the last ones wait until the first are done.
  for (const body of 'abcdefg') await setup.send(body.repeat(900_000))
  setup.map(
    async ({ Records }) => {
      const ids = Records.map(({ body, attributes }) => `${body[0]}${attributes.ApproximateReceiveCount}`)
      tries.push(ids.join(' '))
      if (tries.length === 1) await sleep(2100)
      throw new ThrottledInvocation({
        errorType: 'TooManyRequestsException',
        errorMessage: 'Rate Exceeded.',
      })
    },
    { visibilityS: 2, settings: { batchSize: 10 }, retriesEarly: false },
  )
  await waitUntil(() => tries.some((ids) => ids.includes('2')), 'messages are delivered again')
  const firstMessageTries = tries.filter((ids) => ids.includes('1'))
  assert.equal(firstMessageTries.length, 2, firstMessageTries.join())
})

test('a throttled function invocation is retried with the same SQS message while the message is hidden', async (t) => {
  const setup = await setUp(t)
  const counts: (string | undefined)[] = []
  await setup.send('a')
  setup.map(
    ({ Records }) => {
      counts.push(Records[0]?.attributes.ApproximateReceiveCount)
      if (counts.length === 3) return { batchItemFailures: [] }
      throw new ThrottledInvocation({
        errorType: 'TooManyRequestsException',
        errorMessage: 'Rate Exceeded.',
      })
    },
    { visibilityS: 30 },
  )
  await waitUntil(() => counts.length === 3, 'the function has run')
  await waitUntil(isEmpty(setup), 'the message is deleted')
  assert.deepEqual(counts, ['1', '1', '1'])
})
