import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import {
  CancelMessageMoveTaskCommand,
  DeleteQueueCommand,
  ListDeadLetterSourceQueuesCommand,
  ListMessageMoveTasksCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  StartMessageMoveTaskCommand,
  type StartMessageMoveTaskCommandInput,
} from '@aws-sdk/client-sqs'
import type { SqsServerOptions } from '../../../lib/embedded-aws/sqs/server.ts'
import { matchesError, startSqs, type TestServer } from './start-sqs.ts'

const getQueueArn = (name: string) => `arn:aws:sqs:us-east-1:000000000000:${name}`
const createRedrivePolicy = (name: string, maxReceiveCount: number | string = 1) =>
  JSON.stringify({ deadLetterTargetArn: getQueueArn(name), maxReceiveCount })

/** Creates the queue `work`, whose messages go to `dead` after one receive. */
async function startWithDeadLetterQueue(t: TestContext, options: Partial<SqsServerOptions> = {}) {
  const server = await startSqs(t, options)
  const deadLetterUrl = await server.createQueue('dead')
  const workUrl = await server.createQueue('work', {
    RedrivePolicy: createRedrivePolicy('dead'),
    VisibilityTimeout: '0',
  })
  return { ...server, dead: deadLetterUrl, work: workUrl }
}

async function failMessages({ client, receive }: TestServer, url: string, bodies: string[]) {
  for (const MessageBody of bodies) await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody }))
  for (const _ of bodies) await receive(url)
  assert.deepEqual(await receive(url, { MaxNumberOfMessages: 10 }), [])
}

const receiveBodies = async ({ receive }: TestServer, url: string) =>
  (await receive(url, { MaxNumberOfMessages: 10, VisibilityTimeout: 0 }))
    .map((message) => message.Body)
    .sort()

describe('SQS dead-letter queues', () => {
  test('an SQS message received more than maxReceiveCount times moves to the dead-letter queue with its MessageId', async (t) => {
    const server = await startWithDeadLetterQueue(t)
    const { client, receive, work, dead, createQueue } = server
    await client.send(
      new SetQueueAttributesCommand({
        QueueUrl: work,
        Attributes: { RedrivePolicy: createRedrivePolicy('dead', '2') },
      }),
    )
    const { MessageId } = await client.send(new SendMessageCommand({ QueueUrl: work, MessageBody: 'poison' }))
    assert.equal((await receive(work)).length, 1)
    assert.equal((await receive(work)).length, 1)
    assert.deepEqual(await receive(work), [])
    const [message] = await receive(dead)
    assert.equal(message?.MessageId, MessageId)
    assert.equal(message?.Body, 'poison')
    assert.equal(message?.Attributes?.ApproximateReceiveCount, '3')
    assert.equal(message?.Attributes?.DeadLetterQueueSourceArn, getQueueArn('work'))
    const otherUrl = await createQueue('other', { RedrivePolicy: createRedrivePolicy('dead') })
    const { queueUrls } = await client.send(new ListDeadLetterSourceQueuesCommand({ QueueUrl: dead }))
    assert.deepEqual(queueUrls, [otherUrl, work])
    const page = await client.send(new ListDeadLetterSourceQueuesCommand({ QueueUrl: dead, MaxResults: 1 }))
    const nextPage = await client.send(
      new ListDeadLetterSourceQueuesCommand({ QueueUrl: dead, MaxResults: 1, NextToken: page.NextToken }),
    )
    assert.deepEqual(
      [page.queueUrls, nextPage.queueUrls, nextPage.NextToken],
      [[otherUrl], [work], undefined],
    )
  })

  test('a long poll on the dead-letter queue gets a message that is moved there', async (t) => {
    const server = await startWithDeadLetterQueue(t)
    const waitingReceive = server.receive(server.dead, { WaitTimeSeconds: 20 })
    await failMessages(server, server.work, ['late'])
    assert.equal((await waitingReceive)[0]?.Body, 'late')
  })

  test('a dead-letter queue can have a dead-letter queue', async (t) => {
    const { client, createQueue, receive } = await startSqs(t)
    const urls = [
      await createQueue('third', { VisibilityTimeout: '0' }),
      await createQueue('second', { VisibilityTimeout: '0', RedrivePolicy: createRedrivePolicy('third') }),
      await createQueue('first', { VisibilityTimeout: '0', RedrivePolicy: createRedrivePolicy('second') }),
    ].reverse()
    await client.send(new SendMessageCommand({ QueueUrl: urls[0], MessageBody: 'x' }))
    for (const url of urls.slice(0, 2)) {
      assert.equal((await receive(url)).length, 1)
      assert.deepEqual(await receive(url), [])
    }
    assert.equal((await receive(urls[2] ?? '')).length, 1)
  })

  test('FIFO messages keep their order and group in the dead-letter queue and unlock the group in the source queue', async (t) => {
    const { client, createQueue, receive } = await startSqs(t)
    const fifo = { FifoQueue: 'true', ContentBasedDeduplication: 'true', VisibilityTimeout: '0' }
    const deadLetterUrl = await createQueue('dead.fifo', fifo)
    const workUrl = await createQueue('work.fifo', {
      ...fifo,
      RedrivePolicy: createRedrivePolicy('dead.fifo'),
    })
    for (const MessageBody of ['1', '2'])
      await client.send(new SendMessageCommand({ QueueUrl: workUrl, MessageBody, MessageGroupId: 'g' }))
    await receive(workUrl, { MaxNumberOfMessages: 2 })
    await client.send(new SendMessageCommand({ QueueUrl: workUrl, MessageBody: '3', MessageGroupId: 'g' }))
    const remainingMessages = await receive(workUrl, { MaxNumberOfMessages: 10 })
    const deadMessages = await receive(deadLetterUrl, { MaxNumberOfMessages: 10 })
    assert.deepEqual(
      [remainingMessages, deadMessages].map((messages) => messages.map((message) => message.Body)),
      [['3'], ['1', '2']],
    )
    assert.equal(deadMessages[0]?.Attributes?.MessageGroupId, 'g')
  })

  test('a message of a standard SQS queue keeps its age when it moves to the dead-letter queue', async (t) => {
    let now = Date.now()
    const server = await startWithDeadLetterQueue(t, { now: () => now })
    await failMessages(server, server.work, ['old'])
    now += 345_600_000
    assert.deepEqual(await server.receive(server.dead), [])
  })

  test('an SQS redrive policy must be complete and name an existing queue of the same type that accepts the source queue', async (t) => {
    const { client, createQueue } = await startSqs(t)
    const deadLetterUrl = await createQueue('dead')
    await createQueue('dead.fifo', { FifoQueue: 'true' })
    const policies: [string, RegExp][] = [
      ['nonsense', /not a valid JSON map/],
      [
        '{"deadLetterTargetArn":"dummy","maxReceiveCount":42}',
        /^Value \{"dead.*Invalid value for deadLetterTargetArn\.$/,
      ],
      [JSON.stringify({ deadLetterTargetArn: getQueueArn('dead') }), /mandatory attribute: maxReceiveCount/],
      ['{"maxReceiveCount":1}', /mandatory attribute: deadLetterTargetArn/],
      [createRedrivePolicy('dead', 0), /from 1 to 1000/],
      [createRedrivePolicy('dead', 'many'), /from 1 to 1000/],
      [createRedrivePolicy('nowhere'), /does not exist/],
      [createRedrivePolicy('dead.fifo'), /same type/],
    ]
    for (const [RedrivePolicy, message] of policies)
      await assert.rejects(
        createQueue('work', { RedrivePolicy }),
        matchesError('InvalidParameterValue', 400, message),
      )
    const allow = (policy: object) =>
      client.send(
        new SetQueueAttributesCommand({
          QueueUrl: deadLetterUrl,
          Attributes: { RedriveAllowPolicy: JSON.stringify(policy) },
        }),
      )
    const failsWithPolicy = matchesError('InvalidParameterValue', 400, /RedriveAllowPolicy/)
    await assert.rejects(allow({ redrivePermission: 'maybe' }), failsWithPolicy)
    await assert.rejects(allow({ redrivePermission: 'byQueue' }), failsWithPolicy)
    await allow({ redrivePermission: 'denyAll' })
    await assert.rejects(createQueue('work', { RedrivePolicy: createRedrivePolicy('dead') }), failsWithPolicy)
    await allow({ redrivePermission: 'byQueue', sourceQueueArns: [getQueueArn('work')] })
    await assert.rejects(
      createQueue('other', { RedrivePolicy: createRedrivePolicy('dead') }),
      failsWithPolicy,
    )
    await createQueue('work', { RedrivePolicy: createRedrivePolicy('dead') })
    await allow({ redrivePermission: 'allowAll' })
    await createQueue('other', { RedrivePolicy: createRedrivePolicy('dead') })
  })
})

describe('SQS message move tasks', () => {
  const start = ({ client }: TestServer, input: Partial<StartMessageMoveTaskCommandInput> = {}) =>
    client.send(new StartMessageMoveTaskCommand({ SourceArn: getQueueArn('dead'), ...input }))
  const list = async ({ client }: TestServer) =>
    (await client.send(new ListMessageMoveTasksCommand({ SourceArn: getQueueArn('dead'), MaxResults: 10 })))
      .Results ?? []
  /** Waits until the task has moved messages to a queue, then reads the task. */
  const readTaskAfterMove = async (server: TestServer, url: string) => {
    assert.equal((await server.receive(url, { WaitTimeSeconds: 20, VisibilityTimeout: 0 })).length, 1)
    return (await list(server))[0]
  }

  test('an SQS move task returns messages to their source queues as new messages', async (t) => {
    const server = await startWithDeadLetterQueue(t)
    const { createQueue, work, dead, receive } = server
    const otherUrl = await createQueue('other', {
      RedrivePolicy: createRedrivePolicy('dead'),
      VisibilityTimeout: '0',
    })
    await failMessages(server, work, ['w1'])
    await failMessages(server, otherUrl, ['o1'])
    const [messageBefore] = await receive(dead, { VisibilityTimeout: 0 })
    await start(server)
    const [back] = await receive(work, { WaitTimeSeconds: 20 })
    assert.equal(back?.Body, 'w1')
    assert.notEqual(back?.MessageId, messageBefore?.MessageId)
    assert.equal(back?.Attributes?.ApproximateReceiveCount, '1')
    assert.equal((await receive(otherUrl, { WaitTimeSeconds: 20 }))[0]?.Body, 'o1')
    const [task] = await list(server)
    assert.equal(task?.Status, 'COMPLETED')
    assert.deepEqual(
      [task?.ApproximateNumberOfMessagesMoved, task?.ApproximateNumberOfMessagesToMove],
      [2, 2],
    )
    assert.deepEqual([task?.TaskHandle, task?.DestinationArn], [undefined, undefined])
    assert.deepEqual(await receive(dead), [])
  })

  test('an SQS move task moves more than 1000 messages to the given destination', async (t) => {
    const server = await startWithDeadLetterQueue(t)
    const { sqs, createQueue, dead, attributes } = server
    const target = await createQueue('target')
    await Promise.all(Array.from({ length: 1100 }, (_, i) => sqs.send('dead', `m${i}`)))
    await start(server, { DestinationArn: getQueueArn('target') })
    while ((await list(server))[0]?.Status === 'RUNNING') await server.receive(dead, { WaitTimeSeconds: 0 })
    const [task] = await list(server)
    assert.equal(task?.DestinationArn, getQueueArn('target'))
    const movedCount = Number((await attributes(target)).ApproximateNumberOfMessages)
    const deadQueueAttributes = await attributes(dead)
    assert.equal(movedCount, task?.ApproximateNumberOfMessagesMoved)
    assert.equal(movedCount + Number(deadQueueAttributes.ApproximateNumberOfMessagesNotVisible), 1100)
    assert.ok(movedCount > 1000)
  })

  test('an SQS move task can be listed and cancelled, and a second task for the same queue is refused', async (t) => {
    const server = await startWithDeadLetterQueue(t)
    const { client, work } = server
    await failMessages(server, work, ['1', '2', '3'])
    const { TaskHandle } = await start(server, { MaxNumberOfMessagesPerSecond: 1 })
    const [task] = await list(server)
    assert.deepEqual(
      [task?.Status, task?.TaskHandle, task?.MaxNumberOfMessagesPerSecond],
      ['RUNNING', TaskHandle, 1],
    )
    await assert.rejects(start(server), matchesError('InvalidParameterValue', 400, /already a task running/))
    const cancel = (handle: string | undefined) =>
      client.send(new CancelMessageMoveTaskCommand({ TaskHandle: handle }))
    assert.equal((await cancel(TaskHandle)).ApproximateNumberOfMessagesMoved, 0)
    assert.equal((await list(server))[0]?.Status, 'CANCELLED')
    await assert.rejects(cancel(TaskHandle), matchesError('AWS.SimpleQueueService.UnsupportedOperation', 400))
    assert.deepEqual(await receiveBodies(server, server.dead), ['1', '2', '3'])
  })

  test('an SQS move task continues after a restart', async (t) => {
    const firstServer = await startWithDeadLetterQueue(t)
    await failMessages(firstServer, firstServer.work, ['1', '2'])
    await start(firstServer, { MaxNumberOfMessagesPerSecond: 2 })
    await firstServer.stop()
    const secondServer = await startSqs(t, { file: firstServer.file })
    const workUrl = firstServer.work.replace(firstServer.endpoint, secondServer.endpoint)
    assert.equal(
      (await secondServer.receive(workUrl, { WaitTimeSeconds: 20, VisibilityTimeout: 60 })).length,
      1,
    )
    assert.equal((await secondServer.receive(workUrl, { WaitTimeSeconds: 20 })).length, 1)
    assert.equal((await list(secondServer))[0]?.Status, 'COMPLETED')
  })

  test('an SQS move task fails with a reason when its destination is deleted', async (t) => {
    const server = await startWithDeadLetterQueue(t)
    const target = await server.createQueue('target')
    await failMessages(server, server.work, ['1', '2'])
    await start(server, { DestinationArn: getQueueArn('target'), MaxNumberOfMessagesPerSecond: 5 })
    assert.equal((await readTaskAfterMove(server, target))?.Status, 'RUNNING')
    await server.client.send(new DeleteQueueCommand({ QueueUrl: target }))
    let [task] = await list(server)
    while (task?.Status === 'RUNNING') {
      await server.receive(server.work, { WaitTimeSeconds: 1 })
      ;[task] = await list(server)
    }
    assert.equal(task?.Status, 'FAILED')
    assert.equal(task?.FailureReason, 'AWS.SimpleQueueService.NonExistentQueue')
  })

  test('an SQS move task without a destination fails for a message that has no source queue', async (t) => {
    const server = await startWithDeadLetterQueue(t)
    await server.sqs.send('dead', 'born here')
    await start(server)
    let [task] = await list(server)
    while (task?.Status === 'RUNNING') [task] = await list(server)
    assert.equal(task?.FailureReason, 'CouldNotDetermineMessageSource')
    assert.deepEqual(await receiveBodies(server, server.dead), ['born here'])
  })

  test('invalid requests to start, list or cancel an SQS move task are refused', async (t) => {
    const server = await startWithDeadLetterQueue(t)
    const { client } = server
    const failsAsMissing = matchesError('ResourceNotFoundException', 404)
    await assert.rejects(start(server, { SourceArn: getQueueArn('nowhere') }), failsAsMissing)
    await assert.rejects(start(server, { DestinationArn: getQueueArn('nowhere') }), failsAsMissing)
    await assert.rejects(
      client.send(new ListMessageMoveTasksCommand({ SourceArn: getQueueArn('nowhere') })),
      failsAsMissing,
    )
    const failsAsInvalid = matchesError('InvalidParameterValue', 400)
    await assert.rejects(start(server, { SourceArn: getQueueArn('work') }), failsAsInvalid)
    await assert.rejects(start(server, { MaxNumberOfMessagesPerSecond: 501 }), failsAsInvalid)
    const cancel = (TaskHandle: string) => client.send(new CancelMessageMoveTaskCommand({ TaskHandle }))
    await assert.rejects(cancel('nonsense'), failsAsInvalid)
    const handle = (sourceArn: string) =>
      Buffer.from(JSON.stringify({ taskId: 'x', sourceArn })).toString('base64')
    await assert.rejects(cancel(handle(getQueueArn('nowhere'))), failsAsMissing)
    await assert.rejects(cancel(handle(getQueueArn('dead'))), failsAsMissing)
  })
})
