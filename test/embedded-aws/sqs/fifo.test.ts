import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  PurgeQueueCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SendMessageCommandInput,
  SetQueueAttributesCommand,
} from '@aws-sdk/client-sqs'
import type { SqsServerOptions } from '../../../lib/embedded-aws/sqs/server.ts'
import { matchesError, startSqs, type TestServer } from './start-sqs.ts'

const fifoAttributes = { FifoQueue: 'true', ContentBasedDeduplication: 'true' }

async function startFifo(
  t: Parameters<typeof startSqs>[0],
  attributes: Record<string, string> = {},
  options: Partial<SqsServerOptions> = {},
) {
  const runningServer = await startSqs(t, options)
  const url = await runningServer.createQueue('orders.fifo', { ...fifoAttributes, ...attributes })
  return { ...runningServer, url, ...createFifoShorthands(runningServer, url) }
}

function createFifoShorthands({ client, receive }: TestServer, url: string) {
  return {
    send: (body: string, group: string, extras: Partial<SendMessageCommandInput> = {}) =>
      client.send(
        new SendMessageCommand({ QueueUrl: url, MessageBody: body, MessageGroupId: group, ...extras }),
      ),
    bodies: async (options: Parameters<TestServer['receive']>[1] = { MaxNumberOfMessages: 10 }) =>
      (await receive(url, options)).map((message) => message.Body),
    take: async (max = 10) => await receive(url, { MaxNumberOfMessages: max }),
    remove: (ReceiptHandle: string | undefined) =>
      client.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle })),
    hide: (ReceiptHandle: string | undefined, VisibilityTimeout: number) =>
      client.send(new ChangeMessageVisibilityCommand({ QueueUrl: url, ReceiptHandle, VisibilityTimeout })),
  }
}

describe('SQS FIFO queues', () => {
  test('a receive from a FIFO queue returns the messages of one group in order before messages of another group', async (t) => {
    const { send, bodies } = await startFifo(t)
    for (const [body, group] of [
      ['a1', 'a'],
      ['b1', 'b'],
      ['a2', 'a'],
      ['a3', 'a'],
      ['b2', 'b'],
    ] as const)
      await send(body, group)
    assert.deepEqual(await bodies(), ['a1', 'a2', 'a3', 'b1', 'b2'])
  })

  test('a FIFO message group is locked while one of its messages is in flight, but other groups are not', async (t) => {
    const { send, take, bodies, remove } = await startFifo(t)
    for (const body of ['a1', 'a2', 'a3']) await send(body, 'a')
    await send('b1', 'b')
    const heldMessages = await take(2)
    assert.deepEqual(
      heldMessages.map((message) => message.Body),
      ['a1', 'a2'],
    )
    assert.deepEqual(await bodies(), ['b1'])
    await remove(heldMessages[0]?.ReceiptHandle)
    assert.deepEqual(await bodies(), [], 'a2 is still in flight')
    await remove(heldMessages[1]?.ReceiptHandle)
    assert.deepEqual(await bodies(), ['a3'])
  })

  test('messages returned to a FIFO queue are received in order, but not while an earlier message is in flight', async (t) => {
    const { send, take, bodies, hide } = await startFifo(t)
    for (const body of ['a1', 'a2', 'a3']) await send(body, 'a')
    const heldMessages = await take(3)
    await hide(heldMessages[1]?.ReceiptHandle, 0)
    assert.deepEqual(await bodies(), [], 'a1 blocks a2')
    await hide(heldMessages[0]?.ReceiptHandle, 0)
    assert.deepEqual(await bodies(), ['a1', 'a2'])
  })

  test('FIFO message groups that were served recently are served last', async (t) => {
    const { send, bodies } = await startFifo(t)
    for (const [body, group] of [
      ['a1', 'a'],
      ['b1', 'b'],
      ['b2', 'b'],
      ['c1', 'c'],
      ['a2', 'a'],
    ] as const)
      await send(body, group)
    assert.deepEqual(await bodies({ MaxNumberOfMessages: 3, VisibilityTimeout: 0 }), ['a1', 'a2', 'b1'])
    assert.deepEqual(await bodies(), ['c1', 'a1', 'a2', 'b1', 'b2'])
  })

  test('a FIFO message whose deduplication ID was sent within five minutes is dropped, even after a restart', async (t) => {
    let now = Date.now()
    const firstServer = await startFifo(t, {}, { now: () => now })
    const sentMessage = await firstServer.send('one', 'a', { MessageDeduplicationId: 'id' })
    const [message] = await firstServer.take()
    await firstServer.remove(message?.ReceiptHandle)
    now += 299_000
    await firstServer.stop()
    const secondServer = await startSqs(t, { file: firstServer.file, now: () => now })
    const restartedQueue = createFifoShorthands(
      secondServer,
      firstServer.url.replace(firstServer.endpoint, secondServer.endpoint),
    )
    const duplicate = await restartedQueue.send('two', 'b', { MessageDeduplicationId: 'id' })
    assert.equal(duplicate.MessageId, sentMessage.MessageId)
    assert.equal(duplicate.SequenceNumber, sentMessage.SequenceNumber)
    assert.deepEqual(await restartedQueue.bodies(), [])
    now += 1000
    await restartedQueue.send('three', 'a', { MessageDeduplicationId: 'id' })
    assert.deepEqual(await restartedQueue.bodies(), ['three'])
  })

  test('content-based deduplication of FIFO messages ignores message attributes', async (t) => {
    const { send, bodies, createQueue, client } = await startFifo(t)
    await send('same', 'a')
    await send('same', 'b', { MessageAttributes: { k: { DataType: 'String', StringValue: 'v' } } })
    assert.deepEqual(await bodies(), ['same'])
    const url = await createQueue('explicit.fifo', { FifoQueue: 'true' })
    await assert.rejects(
      client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'x', MessageGroupId: 'g' })),
      matchesError('InvalidParameterValue', 400, /ContentBasedDeduplication/),
    )
  })

  test('FIFO deduplication can be limited to message groups, except for IDs that were sent before the change', async (t) => {
    const { client, url, send, take, bodies, remove } = await startFifo(t)
    const deduplication = { MessageDeduplicationId: 'id' }
    await send('queue scope', 'a', deduplication)
    await remove((await take())[0]?.ReceiptHandle)
    await client.send(
      new SetQueueAttributesCommand({
        QueueUrl: url,
        Attributes: { DeduplicationScope: 'messageGroup', FifoThroughputLimit: 'perMessageGroupId' },
      }),
    )
    await send('still a duplicate', 'b', deduplication)
    assert.deepEqual(await bodies(), [])
    await send('c', 'c', { MessageDeduplicationId: 'other' })
    await send('d', 'd', { MessageDeduplicationId: 'other' })
    await send('d again', 'd', { MessageDeduplicationId: 'other' })
    assert.deepEqual(await bodies(), ['c', 'd'])
  })

  test('a purge of a FIFO queue deletes messages and deduplication IDs, and another purge within a minute is refused', async (t) => {
    let now = Date.now()
    const { client, url, send, bodies } = await startFifo(t, {}, { now: () => now })
    const purge = () => client.send(new PurgeQueueCommand({ QueueUrl: url }))
    await send('one', 'a')
    await purge()
    assert.deepEqual(await bodies(), [])
    await send('one', 'a')
    assert.deepEqual(await bodies(), ['one'])
    await assert.rejects(purge(), matchesError('AWS.SimpleQueueService.PurgeQueueInProgress', 403))
    now += 60_000
    await purge()
  })

  test('sequence numbers of FIFO messages increase, and each is returned with its message', async (t) => {
    const { send, take } = await startFifo(t)
    const sentMessages = [await send('1', 'a'), await send('2', 'b'), await send('3', 'a')]
    const numbers = sentMessages.map((message) => BigInt(message.SequenceNumber ?? 0))
    assert.ok((numbers[0] ?? 0n) < (numbers[1] ?? 0n) && (numbers[1] ?? 0n) < (numbers[2] ?? 0n))
    const receivedMessages = await take()
    assert.deepEqual(
      receivedMessages.map((message) => [
        message.Body,
        message.Attributes?.SequenceNumber,
        message.Attributes?.MessageGroupId,
      ]),
      [
        ['1', sentMessages[0]?.SequenceNumber, 'a'],
        ['3', sentMessages[2]?.SequenceNumber, 'a'],
        ['2', sentMessages[1]?.SequenceNumber, 'b'],
      ],
    )
  })

  test('an expired receipt handle cannot delete a FIFO message', async (t) => {
    let now = Date.now()
    const { send, take, remove, hide, bodies } = await startFifo(t, {}, { now: () => now })
    await send('x', 'a')
    const [heldMessage] = await take()
    await hide(heldMessage?.ReceiptHandle, 60)
    now += 60_000
    await assert.rejects(
      remove(heldMessage?.ReceiptHandle),
      matchesError('InvalidParameterValue', 400, /The receipt handle has expired/),
    )
    assert.deepEqual(await bodies(), ['x'])
  })

  test('a FIFO queue can have a delay, but a single FIFO message cannot', async (t) => {
    let now = Date.now()
    const { send, bodies } = await startFifo(t, { DelaySeconds: '5' }, { now: () => now })
    await assert.rejects(send('x', 'a', { DelaySeconds: 2 }), matchesError('InvalidParameterValue', 400))
    await send('1', 'a', { DelaySeconds: 0 })
    await send('2', 'a')
    assert.deepEqual(await bodies(), [])
    now += 5000
    assert.deepEqual(await bodies(), ['1', '2'])
  })

  test('a FIFO message or batch without a group is refused', async (t) => {
    const { client, url, attributes } = await startFifo(t)
    await assert.rejects(
      client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'x' })),
      matchesError('MissingParameter', 400, /MessageGroupId/),
    )
    const Entries = [
      { Id: '1', MessageBody: 'x', MessageGroupId: 'g' },
      { Id: '2', MessageBody: 'y' },
    ]
    await assert.rejects(
      client.send(new SendMessageBatchCommand({ QueueUrl: url, Entries })),
      matchesError('InvalidParameterValue', 400, /MessageGroupId/),
    )
    assert.equal((await attributes(url)).ApproximateNumberOfMessages, '0')
  })

  test('a FIFO receive repeated with the same ReceiveRequestAttemptId returns the same messages until one is deleted', async (t) => {
    let now = Date.now()
    const { send, receive, url, remove, bodies } = await startFifo(t, {}, { now: () => now })
    for (const body of ['1', '2', '3']) await send(body, 'a')
    const attempt = { MaxNumberOfMessages: 2, VisibilityTimeout: 30, ReceiveRequestAttemptId: 'try' }
    const firstMessages = await receive(url, attempt)
    now += 20_000
    const secondMessages = await receive(url, attempt)
    assert.deepEqual(
      secondMessages.map((message) => [message.Body, message.ReceiptHandle]),
      firstMessages.map((message) => [message.Body, message.ReceiptHandle]),
    )
    assert.equal(secondMessages[0]?.Attributes?.ApproximateReceiveCount, '1')
    now += 20_000
    assert.deepEqual(await bodies(), [], 'the retry did not restart the timeout')
    await remove(secondMessages[0]?.ReceiptHandle)
    assert.deepEqual(await receive(url, attempt), [], 'the rest of the group is still locked')
    await assert.rejects(
      receive(url, { ReceiveRequestAttemptId: 'a b' }),
      matchesError('InvalidParameterValue', 400),
    )
  })

  test('a FIFO queue at its in-flight limit returns no messages and no error', async (t) => {
    const { send, take, bodies } = await startFifo(t, {}, { inFlightLimit: 1 })
    await send('1', 'a')
    await send('2', 'b')
    await take(1)
    assert.deepEqual(await bodies(), [])
  })
})
