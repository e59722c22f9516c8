import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { describe, test } from 'node:test'
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs'
import { createSqsClient, matchesError, startSqs, type TestServer } from './start-sqs.ts'

const longPoll = { WaitTimeSeconds: 20 }

/** Starts a receive and resolves once it is waiting in the server. */
async function startLongPoll({ http, receive, attributes }: TestServer, url: string) {
  const arrivedRequest = once(http, 'request')
  const waitingReceive = receive(url, longPoll)
  await arrivedRequest
  // The receive queries the queue in a commit that ends before this one.
  await attributes(url)
  return { waiting: waitingReceive }
}

async function measureMs(action: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await action()
  return performance.now() - start
}

describe('SQS long polling', () => {
  test('a new SQS message reaches a waiting receiver within a second', async (t) => {
    const server = await startSqs(t)
    const { client, createQueue } = server
    const url = await createQueue('wakes')
    const { waiting } = await startLongPoll(server, url)
    const ms = await measureMs(async () => {
      await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'now' }))
      assert.equal((await waiting)[0]?.Body, 'now')
    })
    assert.ok(ms < 1000, `It took ${ms} ms.`)
  })

  test('an SQS long poll waits as long as the request or the queue specifies', async (t) => {
    const { createQueue, receive } = await startSqs(t)
    const url = await createQueue('empty', { ReceiveMessageWaitTimeSeconds: '1' })
    const queueMs = await measureMs(() => receive(url))
    assert.ok(queueMs >= 999 && queueMs < 3000, `The queue's time took ${queueMs} ms.`)
    const ownMs = await measureMs(() => receive(url, { WaitTimeSeconds: 0 }))
    assert.ok(ownMs < 900, `Not waiting took ${ownMs} ms.`)
  })

  test('waiting SQS receivers get new messages in the order of their requests, one message each', async (t) => {
    const server = await startSqs(t)
    const { client, createQueue } = server
    const url = await createQueue('in-order')
    const receivers = []
    for (let i = 0; i < 3; i++) receivers.push((await startLongPoll(server, url)).waiting)
    for (const body of ['first', 'second', 'third'])
      await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: body }))
    const receivedMessages = await Promise.all(receivers)
    assert.deepEqual(
      receivedMessages.map((messages) => messages.map((message) => message.Body)),
      [['first'], ['second'], ['third']],
    )
  })

  test('a waiting SQS receiver gets a message that is returned to the queue or whose delay ends', async (t) => {
    const server = await startSqs(t)
    const { client, createQueue, receive } = server
    const url = await createQueue('released')
    await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'x' }))
    const [heldMessage] = await receive(url)
    const firstWaiter = await startLongPoll(server, url)
    await client.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: url,
        ReceiptHandle: heldMessage?.ReceiptHandle,
        VisibilityTimeout: 0,
      }),
    )
    assert.equal((await firstWaiter.waiting)[0]?.Body, 'x')
    const secondWaiter = await startLongPoll(server, url)
    await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'delayed', DelaySeconds: 1 }))
    assert.equal((await secondWaiter.waiting)[0]?.Body, 'delayed')
  })

  test('a waiting SQS receiver gets a message whose visibility timeout ends', async (t) => {
    const server = await startSqs(t)
    const { client, createQueue, receive } = server
    const url = await createQueue('hidden')
    await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'x' }))
    assert.equal((await receive(url, { VisibilityTimeout: 1 })).length, 1)
    const { waiting } = await startLongPoll(server, url)
    assert.equal((await waiting)[0]?.Body, 'x')
  })

  test('a waiting SQS receiver gets the next message of a FIFO group when the message in flight is deleted', async (t) => {
    const server = await startSqs(t)
    const { client, createQueue, receive } = server
    const url = await createQueue('group.fifo', { FifoQueue: 'true', ContentBasedDeduplication: 'true' })
    for (const MessageBody of ['1', '2'])
      await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody, MessageGroupId: 'g' }))
    const [heldMessage] = await receive(url)
    const { waiting } = await startLongPoll(server, url)
    await client.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: heldMessage?.ReceiptHandle }))
    assert.equal((await waiting)[0]?.Body, '2')
  })

  test('a disconnected SQS receiver is not given a message', async (t) => {
    const server = await startSqs(t)
    const { http, client, createQueue, receive, endpoint } = server
    const url = await createQueue('hang-up', { VisibilityTimeout: '600' })
    for (let round = 0; round < 20; round++) {
      const abortingClient = createSqsClient(endpoint)
      const abort = new AbortController()
      const arrivedRequest = once(http, 'request') as Promise<[IncomingMessage]>
      const abandonedReceive = abortingClient.send(
        new ReceiveMessageCommand({ QueueUrl: url, ...longPoll }),
        {
          abortSignal: abort.signal,
        },
      )
      const [request] = await arrivedRequest
      const closedSocket = once(request.socket, 'close')
      abort.abort()
      await assert.rejects(abandonedReceive, { name: 'AbortError' })
      // In half of the rounds the message arrives before the server notices the disconnect.
      if (round % 2 === 0) await closedSocket
      await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: `${round}` }))
      const [message] = await receive(url, { WaitTimeSeconds: 5 })
      assert.equal(message?.Body, `${round}`)
      assert.equal(message?.Attributes?.ApproximateReceiveCount, '1')
      abortingClient.destroy()
    }
  })

  test('an SQS receiver that disconnects right after its request is not given a message', async (t) => {
    const { http, client, createQueue, receive, endpoint } = await startSqs(t)
    const url = await createQueue('impatient', { VisibilityTimeout: '600' })
    await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'x' }))
    for (let round = 0; round < 10; round++) {
      const abortingClient = createSqsClient(endpoint)
      const abort = new AbortController()
      const arrivedRequest = once(http, 'request') as Promise<[IncomingMessage]>
      const abandonedReceive = abortingClient.send(new ReceiveMessageCommand({ QueueUrl: url }), {
        abortSignal: abort.signal,
      })
      const abortedReceive = assert.rejects(abandonedReceive, { name: 'AbortError' })
      const [request] = await arrivedRequest
      const closedSocket = once(request.socket, 'close')
      // The request has arrived, but its commit has not happened yet.
      request.socket.destroy()
      abort.abort()
      await Promise.all([abortedReceive, closedSocket])
      abortingClient.destroy()
    }
    const [message] = await receive(url, { WaitTimeSeconds: 5 })
    assert.equal(message?.Attributes?.ApproximateReceiveCount, '1')
  })

  test('deleting an SQS queue fails its waiting receiver with NonExistentQueue', async (t) => {
    const server = await startSqs(t)
    const url = await server.createQueue('deleted')
    const { waiting } = await startLongPoll(server, url)
    const rejectedWait = assert.rejects(waiting, matchesError('AWS.SimpleQueueService.NonExistentQueue', 400))
    await server.client.send(new DeleteQueueCommand({ QueueUrl: url }))
    await rejectedWait
  })

  test('closing the SQS server ends a waiting receive without messages', async (t) => {
    const server = await startSqs(t)
    const url = await server.createQueue('closing')
    const { waiting } = await startLongPoll(server, url)
    await server.sqs.close()
    assert.deepEqual(await waiting, [])
  })
})
