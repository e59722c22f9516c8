import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs'
import { getReceiptHandle, matchesError, startSqs } from './start-sqs.ts'

describe('SQS messages', () => {
  test('an SQS message is received as sent, with its attributes and checksums', async (t) => {
    const { client, createQueue, receive } = await startSqs(t)
    const url = await createQueue('round-trip')
    const sentMessage = await client.send(
      new SendMessageCommand({
        QueueUrl: url,
        MessageBody: 'Grüße 🎉 <&>"\r\n\t{}',
        MessageAttributes: {
          text: { DataType: 'String', StringValue: 'ünï' },
          number: { DataType: 'Number.int', StringValue: '-12.5e3' },
          'bytes.x': { DataType: 'Binary', BinaryValue: Uint8Array.of(0, 255, 7) },
        },
        MessageSystemAttributes: {
          AWSTraceHeader: {
            DataType: 'String',
            StringValue: 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1',
          },
        },
      }),
    )
    // The value that AWS computed for this header, recorded by a test suite that ran there.
    assert.equal(sentMessage.MD5OfMessageSystemAttributes, '5ae4d5d7636402d80f4eb6d213245a88')
    const [message] = await receive(url)
    assert.equal(message?.MessageId, sentMessage.MessageId)
    assert.equal(message?.Body, 'Grüße 🎉 <&>"\r\n\t{}')
    assert.equal(message?.MD5OfBody, sentMessage.MD5OfMessageBody)
    assert.equal(message?.MD5OfMessageAttributes, sentMessage.MD5OfMessageAttributes)
    assert.deepEqual(message?.MessageAttributes, {
      text: { DataType: 'String', StringValue: 'ünï' },
      number: { DataType: 'Number.int', StringValue: '-12.5e3' },
      'bytes.x': { DataType: 'Binary', BinaryValue: Uint8Array.of(0, 255, 7) },
    })
    assert.equal(message?.Attributes?.ApproximateReceiveCount, '1')
    assert.equal(message?.Attributes?.SenderId, 'AKIDEXAMPLE')
    assert.match(message?.Attributes?.AWSTraceHeader ?? '', /^Root=1-5759e988/)
  })

  test('an SQS receive returns only the requested message attributes and their MD5', async (t) => {
    const { client, createQueue, receive } = await startSqs(t)
    const url = await createQueue('filters', { VisibilityTimeout: '0' })
    const createText = (StringValue: string) => ({ DataType: 'String', StringValue })
    await client.send(
      new SendMessageCommand({
        QueueUrl: url,
        MessageBody: 'msg',
        MessageAttributes: {
          'Help.Me': createText('Me'),
          Hello: createText('There'),
          General: createText('Kenobi'),
        },
      }),
    )
    // The checksums are AWS's own for these attributes.
    const cases: [string[], string[], string | undefined][] = [
      [['All'], ['General', 'Hello', 'Help.Me'], '4c360f3fdafd970e05fae2f149d997f5'],
      [['.*'], ['General', 'Hello', 'Help.Me'], '4c360f3fdafd970e05fae2f149d997f5'],
      [['Hello', 'General'], ['General', 'Hello'], 'fca026605781cb4126a1e9044df24232'],
      [['Foo', 'Hello'], ['Hello'], 'a311262e065454b75da111d535b8dacd'],
      [['Hel.*'], ['Hello', 'Help.Me'], '83fee93c1bcd8b9a5a923ffacdc636c7'],
      [['Foo'], [], undefined],
      [[], [], undefined],
    ]
    for (const [asked, names, md5] of cases) {
      const [message] = await receive(url, {
        MessageAttributeNames: asked,
        MessageSystemAttributeNames: ['SenderId'],
      })
      assert.deepEqual(Object.keys(message?.MessageAttributes ?? {}).sort(), names)
      assert.equal(message?.MD5OfMessageAttributes, md5)
      assert.deepEqual(Object.keys(message?.Attributes ?? {}), ['SenderId'])
    }
  })

  test('an SQS message of 1 MiB including attributes is accepted, and one with one more byte is refused', async (t) => {
    const { client, createQueue, receive } = await startSqs(t)
    const url = await createQueue('large')
    const attributes = { k: { DataType: 'String', StringValue: 'x' } }
    const maxBodyBytes = 1_048_576 - 'kStringx'.length
    const send = (bytes: number) =>
      client.send(
        new SendMessageCommand({
          QueueUrl: url,
          MessageBody: 'a'.repeat(bytes),
          MessageAttributes: attributes,
        }),
      )
    await send(maxBodyBytes)
    const [message] = await receive(url)
    assert.equal(message?.Body?.length, maxBodyBytes)
    await assert.rejects(
      send(maxBodyBytes + 1),
      matchesError('InvalidParameterValue', 400, /Message must be shorter than 1048576 bytes/),
    )
  })

  test('invalid SQS messages are refused with the error codes of AWS', async (t) => {
    const { client, createQueue } = await startSqs(t)
    const url = await createQueue('refusals', { MaximumMessageSize: '1024' })
    const send = (input: Partial<ConstructorParameters<typeof SendMessageCommand>[0]>) =>
      client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'x', ...input }))
    const attribute = (name: string, value: { DataType: string; StringValue?: string }) =>
      send({ MessageAttributes: { [name]: value } })
    const ok = { DataType: 'String', StringValue: 'x' }
    const invalidCode = 'InvalidParameterValue'
    await attribute('attr.1_-Z', ok)
    await assert.rejects(send({ MessageBody: '' }), matchesError('MissingParameter', 400, /MessageBody/))
    await assert.rejects(send({ MessageBody: 'a\u0001b' }), matchesError('InvalidMessageContents', 400))
    await assert.rejects(send({ MessageBody: 'a\uffffb' }), matchesError('InvalidMessageContents', 400))
    await assert.rejects(send({ MessageBody: '\ud800' }), matchesError('InvalidMessageContents', 400))
    await assert.rejects(send({ MessageBody: 'x'.repeat(1025) }), matchesError(invalidCode, 400, /1024/))
    await assert.rejects(send({ DelaySeconds: 901 }), matchesError(invalidCode, 400, /DelaySeconds/))
    await assert.rejects(send({ DelaySeconds: -1 }), matchesError(invalidCode, 400, /DelaySeconds/))
    await assert.rejects(send({ MessageDeduplicationId: 'd' }), matchesError(invalidCode, 400, /queue type/))
    await assert.rejects(
      send({ MessageGroupId: 'a b' }),
      matchesError(invalidCode, 400, /MessageGroupId can only/),
    )
    for (const name of ['AWS.x', 'amazon.x', '.x', 'x.', 'x..y', 'a b', 'a!', 'attr.ö', 'L'.repeat(257)])
      await assert.rejects(attribute(name, ok), matchesError(invalidCode, 400), name)
    await assert.rejects(
      attribute('a', { DataType: 'Text', StringValue: 'x' }),
      matchesError(invalidCode, 400),
    )
    await assert.rejects(
      attribute('a', { DataType: 'String', StringValue: '' }),
      matchesError(invalidCode, 400),
    )
    await assert.rejects(
      attribute('a', { DataType: 'Number', StringValue: '1x' }),
      matchesError(invalidCode, 400),
    )
    await assert.rejects(
      attribute('a', { DataType: 'String', StringValue: '\b' }),
      matchesError(invalidCode, 400),
    )
    const elevenAttributes = Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`a${i}`, ok]))
    await assert.rejects(
      send({ MessageAttributes: elevenAttributes }),
      matchesError(invalidCode, 400, /\[11\] exceeds the allowed maximum \[10\]/),
    )
  })

  test('an SQS batch request processes valid entries and reports invalid ones', async (t) => {
    const { client, createQueue, receive } = await startSqs(t)
    const url = await createQueue('batch')
    const { Successful, Failed } = await client.send(
      new SendMessageBatchCommand({
        QueueUrl: url,
        Entries: [
          { Id: 'good', MessageBody: 'good' },
          { Id: 'bad', MessageBody: '\u0001' },
          { Id: 'late', MessageBody: 'late', DelaySeconds: 901 },
        ],
      }),
    )
    assert.deepEqual(
      Successful?.map((entry) => entry.Id),
      ['good'],
    )
    assert.deepEqual(
      Failed?.map(({ Id, Code, SenderFault }) => [Id, Code, SenderFault]),
      [
        ['bad', 'InvalidMessageContents', true],
        ['late', 'InvalidParameterValue', true],
      ],
    )
    const messages = await receive(url, { MaxNumberOfMessages: 10 })
    assert.deepEqual(
      messages.map((message) => message.Body),
      ['good'],
    )
    const ReceiptHandle = getReceiptHandle(messages[0])
    const changedMessages = await client.send(
      new ChangeMessageVisibilityBatchCommand({
        QueueUrl: url,
        Entries: [
          { Id: 'a', ReceiptHandle, VisibilityTimeout: 60 },
          { Id: 'b', ReceiptHandle: 'no', VisibilityTimeout: 60 },
        ],
      }),
    )
    assert.equal(changedMessages.Successful?.length, 1)
    assert.equal(changedMessages.Failed?.[0]?.Code, 'ReceiptHandleIsInvalid')
    const deletedMessages = await client.send(
      new DeleteMessageBatchCommand({
        QueueUrl: url,
        Entries: [
          { Id: 'a', ReceiptHandle },
          { Id: 'b', ReceiptHandle: 'no' },
        ],
      }),
    )
    assert.equal(deletedMessages.Successful?.length, 1)
    assert.equal(deletedMessages.Failed?.[0]?.Code, 'ReceiptHandleIsInvalid')
  })

  test('an invalid SQS batch request is refused as a whole', async (t) => {
    const { client, createQueue, attributes } = await startSqs(t)
    const url = await createQueue('batch-rules')
    const send = (ids: string[], MessageBody = 'x') =>
      client.send(
        new SendMessageBatchCommand({ QueueUrl: url, Entries: ids.map((Id) => ({ Id, MessageBody })) }),
      )
    const matchCode = (name: string) => matchesError(`AWS.SimpleQueueService.${name}`, 400)
    await assert.rejects(send([]), matchCode('EmptyBatchRequest'))
    await assert.rejects(send(['a', 'b', 'a']), matchCode('BatchEntryIdsNotDistinct'))
    await assert.rejects(send(['a:b']), matchCode('InvalidBatchEntryId'))
    await assert.rejects(send(['x'.repeat(81)]), matchCode('InvalidBatchEntryId'))
    await assert.rejects(
      send(Array.from({ length: 11 }, (_, i) => `${i}`)),
      matchCode('TooManyEntriesInBatchRequest'),
    )
    await assert.rejects(send(['a', 'b'], 'x'.repeat(524_289)), matchCode('BatchRequestTooLong'))
    assert.equal((await attributes(url)).ApproximateNumberOfMessages, '0')
  })

  test('a message group with a long backlog in an SQS queue does not delay other groups', async (t) => {
    const { client, createQueue, receive } = await startSqs(t)
    const url = await createQueue('fair')
    const send = (MessageGroupId: string | undefined, MessageBody: string) =>
      client.send(new SendMessageCommand({ QueueUrl: url, MessageBody, MessageGroupId }))
    for (let i = 0; i < 20; i++) await send('noisy', `noisy ${i}`)
    await send('quiet', 'quiet')
    await send(undefined, 'alone')
    const firstMessages = await receive(url, { MaxNumberOfMessages: 4 })
    assert.deepEqual(
      firstMessages.map((message) => message.Body),
      ['noisy 0', 'quiet', 'alone', 'noisy 1'],
    )
    assert.equal(firstMessages[1]?.Attributes?.MessageGroupId, 'quiet')
    await send('quiet', 'quiet again')
    assert.equal((await receive(url))[0]?.Body, 'quiet again')
  })

  test('SQS message groups take turns when each message is deleted before the next is received', async (t) => {
    const { client, createQueue, receive } = await startSqs(t)
    const url = await createQueue('turns')
    for (const group of ['noisy', 'noisy', 'noisy', 'noisy', 'quiet', 'third', 'quiet'])
      await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: group, MessageGroupId: group }))
    const bodies: string[] = []
    for (let at = 0; at < 7; at++) {
      const [message] = await receive(url)
      bodies.push(message?.Body ?? '')
      await client.send(
        new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: message?.ReceiptHandle ?? '' }),
      )
    }
    assert.deepEqual(bodies, ['noisy', 'quiet', 'third', 'noisy', 'quiet', 'noisy', 'noisy'])
  })

  test('an SQS message group behind 500 messages of another group is served by the second receive', async (t) => {
    const { client, createQueue, receive } = await startSqs(t)
    const url = await createQueue('far-behind')
    for (let batch = 0; batch < 50; batch++)
      await client.send(
        new SendMessageBatchCommand({
          QueueUrl: url,
          Entries: Array.from({ length: 10 }, (_, at) => ({
            Id: String(at),
            MessageBody: `noisy ${batch * 10 + at}`,
            MessageGroupId: 'noisy',
          })),
        }),
      )
    await client.send(
      new SendMessageCommand({ QueueUrl: url, MessageBody: 'quiet', MessageGroupId: 'quiet' }),
    )
    const bodies = []
    for (let at = 0; at < 3; at++) bodies.push((await receive(url))[0]?.Body)
    assert.deepEqual(bodies, ['noisy 0', 'quiet', 'noisy 1'])
  })

  test('in-process senders can address an SQS queue by its name or its ARN', async (t) => {
    const { sqs, createQueue, receive } = await startSqs(t)
    const url = await createQueue('inside')
    await sqs.send('inside', 'by name')
    await sqs.send('arn:aws:sqs:us-east-1:000000000000:inside', 'by ARN', {
      MessageAttributes: { a: { DataType: 'String', StringValue: 'x' } },
    })
    const messages = await receive(url, { MaxNumberOfMessages: 10 })
    assert.deepEqual(
      messages.map((message) => message.Body),
      ['by name', 'by ARN'],
    )
    await assert.rejects(sqs.send('nowhere', 'x'), { name: 'QueueDoesNotExist' })
  })
})
