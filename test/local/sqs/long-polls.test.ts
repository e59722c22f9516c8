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
import { failsWith, makeClient, startSqs, type TestServer } from './start-sqs.ts'

const WAIT = { WaitTimeSeconds: 20 }

/** Starts a receive and resolves when the server has it waiting. */
async function startWaiting({ http, receive, attributes }: TestServer, url: string) {
  const arrived = once(http, 'request')
  const waiting = receive(url, WAIT)
  await arrived
  // Its look at the queue is in a commit that ends before this one's.
  await attributes(url)
  return { waiting }
}

async function elapsedMs(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

describe('SQS long polling', () => {
  test('a message wakes the receiver that waits, at once', async (t) => {
    const running = await startSqs(t)
    const { client, createQueue } = running
    const url = await createQueue('wakes')
    const { waiting } = await startWaiting(running, url)
    const ms = await elapsedMs(async () => {
      await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'now' }))
      assert.equal((await waiting)[0]?.Body, 'now')
    })
    assert.ok(ms < 1000, `It took ${ms} ms.`)
  })

  test('without a message the receiver waits as long as it, or the queue, says', async (t) => {
    const { createQueue, receive } = await startSqs(t)
    const url = await createQueue('empty', { ReceiveMessageWaitTimeSeconds: '1' })
    const queueMs = await elapsedMs(() => receive(url))
    assert.ok(queueMs >= 999 && queueMs < 3000, `The queue's time took ${queueMs} ms.`)
    const ownMs = await elapsedMs(() => receive(url, { WaitTimeSeconds: 0 }))
    assert.ok(ownMs < 900, `Not waiting took ${ownMs} ms.`)
  })

  test('receivers are served in the order of asking, one message each', async (t) => {
    const running = await startSqs(t)
    const { client, createQueue } = running
    const url = await createQueue('in-order')
    const receivers = []
    for (let i = 0; i < 3; i++) receivers.push((await startWaiting(running, url)).waiting)
    for (const body of ['first', 'second', 'third'])
      await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: body }))
    const received = await Promise.all(receivers)
    assert.deepEqual(
      received.map((messages) => messages.map((one) => one.Body)),
      [['first'], ['second'], ['third']],
    )
  })

  test('a message that is given back, or whose delay ends, wakes the receiver', async (t) => {
    const running = await startSqs(t)
    const { client, createQueue, receive } = running
    const url = await createQueue('released')
    await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'x' }))
    const [held] = await receive(url)
    const first = await startWaiting(running, url)
    await client.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: url,
        ReceiptHandle: held?.ReceiptHandle,
        VisibilityTimeout: 0,
      }),
    )
    assert.equal((await first.waiting)[0]?.Body, 'x')
    const second = await startWaiting(running, url)
    await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'delayed', DelaySeconds: 1 }))
    assert.equal((await second.waiting)[0]?.Body, 'delayed')
  })

  test('a message whose time of being hidden ends wakes the receiver', async (t) => {
    const running = await startSqs(t)
    const { client, createQueue, receive } = running
    const url = await createQueue('hidden')
    await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'x' }))
    assert.equal((await receive(url, { VisibilityTimeout: 1 })).length, 1)
    const { waiting } = await startWaiting(running, url)
    assert.equal((await waiting)[0]?.Body, 'x')
  })

  test('deleting the message that locks a group wakes the receiver', async (t) => {
    const running = await startSqs(t)
    const { client, createQueue, receive } = running
    const url = await createQueue('group.fifo', { FifoQueue: 'true', ContentBasedDeduplication: 'true' })
    for (const MessageBody of ['1', '2'])
      await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody, MessageGroupId: 'g' }))
    const [held] = await receive(url)
    const { waiting } = await startWaiting(running, url)
    await client.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: held?.ReceiptHandle }))
    assert.equal((await waiting)[0]?.Body, '2')
  })

  test('a receiver that hung up does not swallow a message', async (t) => {
    const running = await startSqs(t)
    const { http, client, createQueue, receive, endpoint } = running
    const url = await createQueue('hang-up', { VisibilityTimeout: '600' })
    for (let round = 0; round < 20; round++) {
      const quitter = makeClient(endpoint)
      const abort = new AbortController()
      const arrived = once(http, 'request') as Promise<[IncomingMessage]>
      const given = quitter.send(new ReceiveMessageCommand({ QueueUrl: url, ...WAIT }), {
        abortSignal: abort.signal,
      })
      const [request] = await arrived
      const closed = once(request.socket, 'close')
      abort.abort()
      await assert.rejects(given, { name: 'AbortError' })
      // In half of the rounds the message comes while the server has not yet heard of it.
      if (round % 2 === 0) await closed
      await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: `${round}` }))
      const [message] = await receive(url, { WaitTimeSeconds: 5 })
      assert.equal(message?.Body, `${round}`)
      assert.equal(message?.Attributes?.ApproximateReceiveCount, '1')
      quitter.destroy()
    }
  })

  test('a receiver that hangs up right after asking takes nothing with it', async (t) => {
    const { http, client, createQueue, receive, endpoint } = await startSqs(t)
    const url = await createQueue('impatient', { VisibilityTimeout: '600' })
    await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'x' }))
    for (let round = 0; round < 10; round++) {
      const quitter = makeClient(endpoint)
      const abort = new AbortController()
      const arrived = once(http, 'request') as Promise<[IncomingMessage]>
      const given = quitter.send(new ReceiveMessageCommand({ QueueUrl: url }), { abortSignal: abort.signal })
      const quit = assert.rejects(given, { name: 'AbortError' })
      const [request] = await arrived
      const closed = once(request.socket, 'close')
      // The request is there, its commit is not.
      request.socket.destroy()
      abort.abort()
      await Promise.all([quit, closed])
      quitter.destroy()
    }
    const [message] = await receive(url, { WaitTimeSeconds: 5 })
    assert.equal(message?.Attributes?.ApproximateReceiveCount, '1')
  })

  test('who waits at a queue that is deleted hears that it does not exist', async (t) => {
    const running = await startSqs(t)
    const url = await running.createQueue('deleted')
    const { waiting } = await startWaiting(running, url)
    const refused = assert.rejects(waiting, failsWith('AWS.SimpleQueueService.NonExistentQueue', 400))
    await running.client.send(new DeleteQueueCommand({ QueueUrl: url }))
    await refused
  })

  test('closing the server ends the waiting with no messages', async (t) => {
    const running = await startSqs(t)
    const url = await running.createQueue('closing')
    const { waiting } = await startWaiting(running, url)
    await running.sqs.close()
    assert.deepEqual(await waiting, [])
  })
})
