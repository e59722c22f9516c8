import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ChangeMessageVisibilityCommand, DeleteMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs'
import { getReceiptHandle, matchesError, startSqs } from './start-sqs.ts'

describe('SQS visibility timeouts', () => {
  test('a received SQS message is hidden until its visibility timeout ends, then received with a new handle', async (t) => {
    let now = Date.now()
    const { client, createQueue, receive, attributes } = await startSqs(t, { now: () => now })
    const url = await createQueue('visibility', { VisibilityTimeout: '30' })
    await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'again' }))
    const [firstMessage] = await receive(url)
    assert.deepEqual(await receive(url), [])
    assert.equal((await attributes(url)).ApproximateNumberOfMessagesNotVisible, '1')
    now += 29_999
    assert.deepEqual(await receive(url), [])
    now += 1
    const [secondMessage] = await receive(url)
    assert.equal(secondMessage?.MessageId, firstMessage?.MessageId)
    assert.notEqual(secondMessage?.ReceiptHandle, firstMessage?.ReceiptHandle)
    assert.equal(secondMessage?.Attributes?.ApproximateReceiveCount, '2')
    assert.equal(
      secondMessage?.Attributes?.ApproximateFirstReceiveTimestamp,
      firstMessage?.Attributes?.ApproximateFirstReceiveTimestamp,
    )
    await client.send(
      new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: getReceiptHandle(firstMessage) }),
    )
    assert.equal((await attributes(url)).ApproximateNumberOfMessagesNotVisible, '1', 'an old handle deletes')
    await client.send(
      new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: getReceiptHandle(secondMessage) }),
    )
    await client.send(
      new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: getReceiptHandle(secondMessage) }),
    )
    assert.equal((await attributes(url)).ApproximateNumberOfMessagesNotVisible, '0')
  })

  test('ChangeMessageVisibility extends the visibility timeout, ends it with 0, and refuses values out of range', async (t) => {
    let now = Date.now()
    const { client, createQueue, receive } = await startSqs(t, { now: () => now })
    const url = await createQueue('change')
    await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'x' }))
    const changeTimeout = (ReceiptHandle: string, VisibilityTimeout: number) =>
      client.send(new ChangeMessageVisibilityCommand({ QueueUrl: url, ReceiptHandle, VisibilityTimeout }))
    const firstHandle = getReceiptHandle((await receive(url, { VisibilityTimeout: 30 }))[0])
    await changeTimeout(firstHandle, 600)
    now += 599_999
    assert.deepEqual(await receive(url), [], 'the extension was ignored')
    await changeTimeout(firstHandle, 0)
    await assert.rejects(
      changeTimeout(firstHandle, 5),
      matchesError('AWS.SimpleQueueService.MessageNotInflight', 400),
    )
    const secondHandle = getReceiptHandle((await receive(url))[0])
    await assert.rejects(
      changeTimeout(secondHandle, 43_201),
      matchesError('InvalidParameterValue', 400, /43201/),
    )
    await assert.rejects(changeTimeout(secondHandle, -1), matchesError('InvalidParameterValue', 400))
    await assert.rejects(changeTimeout('nonsense', 5), matchesError('ReceiptHandleIsInvalid', 404))
    await client.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: secondHandle }))
    await assert.rejects(
      changeTimeout(secondHandle, 5),
      matchesError('InvalidParameterValue', 400, /does not exist/),
    )
  })

  test('ChangeMessageVisibility cannot hide a message for more than 12 hours after it was received', async (t) => {
    let now = Date.now()
    const { client, createQueue, receive } = await startSqs(t, { now: () => now })
    const url = await createQueue('twelve-hours')
    await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'x' }))
    const ReceiptHandle = getReceiptHandle((await receive(url, { VisibilityTimeout: 43_200 }))[0])
    now += 1000
    const changeTimeout = (VisibilityTimeout: number) =>
      client.send(new ChangeMessageVisibilityCommand({ QueueUrl: url, ReceiptHandle, VisibilityTimeout }))
    await assert.rejects(
      changeTimeout(43_200),
      matchesError('InvalidParameterValue', 400, /beyond the limit/),
    )
    await changeTimeout(43_199)
  })

  test('an SQS receipt handle is not valid for another queue', async (t) => {
    const { client, createQueue, receive } = await startSqs(t)
    const [one, otherUrl] = [await createQueue('one'), await createQueue('other')]
    await client.send(new SendMessageCommand({ QueueUrl: one, MessageBody: 'x' }))
    const ReceiptHandle = getReceiptHandle((await receive(one))[0])
    await assert.rejects(
      client.send(new DeleteMessageCommand({ QueueUrl: otherUrl, ReceiptHandle })),
      matchesError('ReceiptHandleIsInvalid', 404),
    )
  })

  test('a new SQS message is hidden for the delay of its queue, unless the message has its own delay', async (t) => {
    let now = Date.now()
    const { client, createQueue, receive, attributes } = await startSqs(t, { now: () => now })
    const url = await createQueue('delays', { DelaySeconds: '30' })
    await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'queue delay' }))
    await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'at once', DelaySeconds: 0 }))
    assert.equal((await attributes(url)).ApproximateNumberOfMessagesDelayed, '1')
    const firstMessages = await receive(url, { MaxNumberOfMessages: 10 })
    assert.deepEqual(
      firstMessages.map((message) => message.Body),
      ['at once'],
    )
    now += 30_000
    const [secondMessage] = await receive(url)
    assert.equal(secondMessage?.Body, 'queue delay')
  })

  test('SQS messages older than the retention period are deleted, even messages in flight', async (t) => {
    let now = Date.now()
    const { client, createQueue, receive, attributes } = await startSqs(t, { now: () => now })
    const url = await createQueue('retention', { MessageRetentionPeriod: '60' })
    for (const body of ['held', 'waiting'])
      await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: body }))
    await receive(url, { VisibilityTimeout: 600 })
    now += 59_999
    assert.equal((await attributes(url)).ApproximateNumberOfMessagesNotVisible, '1')
    now += 1
    assert.deepEqual(await receive(url), [])
    const { ApproximateNumberOfMessages, ApproximateNumberOfMessagesNotVisible } = await attributes(url)
    assert.deepEqual([ApproximateNumberOfMessages, ApproximateNumberOfMessagesNotVisible], ['0', '0'])
  })

  test('a ReceiveMessage with parameters out of range is refused, and the number of messages in flight is limited', async (t) => {
    const { client, createQueue, receive } = await startSqs(t, { inFlightLimit: 3 })
    const url = await createQueue('limits')
    for (let i = 0; i < 5; i++)
      await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: `${i}` }))
    const failsAsInvalid = matchesError('InvalidParameterValue', 400)
    await assert.rejects(receive(url, { MaxNumberOfMessages: 11 }), failsAsInvalid)
    await assert.rejects(receive(url, { MaxNumberOfMessages: 0 }), failsAsInvalid)
    await assert.rejects(receive(url, { WaitTimeSeconds: 21 }), failsAsInvalid)
    await assert.rejects(receive(url, { VisibilityTimeout: 43_201 }), failsAsInvalid)
    await assert.rejects(receive(url, { ReceiveRequestAttemptId: 'a' }), failsAsInvalid)
    const heldMessages = await receive(url, { MaxNumberOfMessages: 3 })
    assert.equal(heldMessages.length, 3)
    await assert.rejects(receive(url), matchesError('OverLimit', 403))
    await client.send(
      new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: getReceiptHandle(heldMessages[0]) }),
    )
    assert.equal((await receive(url)).length, 1)
  })
})
