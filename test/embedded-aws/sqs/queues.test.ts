import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListQueuesCommand,
  type ListQueuesCommandInput,
  ListQueueTagsCommand,
  type QueueAttributeName,
  SendMessageCommand,
  SetQueueAttributesCommand,
  TagQueueCommand,
  UntagQueueCommand,
} from '@aws-sdk/client-sqs'
import { matchesError, startSqs } from './start-sqs.ts'

describe('SQS queues', () => {
  test('a new SQS queue has the default attributes of AWS', async (t) => {
    const { endpoint, createQueue, attributes } = await startSqs(t)
    const url = await createQueue('defaults')
    assert.equal(url, `${endpoint}/000000000000/defaults`)
    const { CreatedTimestamp, LastModifiedTimestamp, ...rest } = await attributes(url)
    assert.match(`${CreatedTimestamp} ${LastModifiedTimestamp}`, /^\d{10} \d{10}$/)
    assert.deepEqual(rest, {
      QueueArn: 'arn:aws:sqs:us-east-1:000000000000:defaults',
      ApproximateNumberOfMessages: '0',
      ApproximateNumberOfMessagesDelayed: '0',
      ApproximateNumberOfMessagesNotVisible: '0',
      DelaySeconds: '0',
      MaximumMessageSize: '1048576',
      MessageRetentionPeriod: '345600',
      ReceiveMessageWaitTimeSeconds: '0',
      SqsManagedSseEnabled: 'true',
      VisibilityTimeout: '30',
    })
    const fifo = await attributes(await createQueue('defaults.fifo', { FifoQueue: 'True' }))
    assert.deepEqual(
      [fifo.FifoQueue, fifo.ContentBasedDeduplication, fifo.DeduplicationScope, fifo.FifoThroughputLimit],
      ['true', 'false', 'queue', 'perQueue'],
    )
  })

  test('creating an existing SQS queue returns its URL, unless an attribute differs', async (t) => {
    const { createQueue } = await startSqs(t)
    const url = await createQueue('twice', { DelaySeconds: '1', VisibilityTimeout: '7' })
    assert.equal(await createQueue('twice'), url)
    assert.equal(await createQueue('twice', { DelaySeconds: '1' }), url)
    assert.equal(await createQueue('twice', { MaximumMessageSize: '1048576' }), url)
    await assert.rejects(
      createQueue('twice', { VisibilityTimeout: '7', DelaySeconds: '2' }),
      matchesError('QueueAlreadyExists', 400, /different value for attribute DelaySeconds$/),
    )
  })

  test('SQS queue names and attributes that are invalid on AWS are rejected', async (t) => {
    const { createQueue } = await startSqs(t)
    for (const name of ['', 'a b', 'ä', 'x'.repeat(81), 'a/b', 'plain.fifo'])
      await assert.rejects(createQueue(name), matchesError('InvalidParameterValue', 400), name)
    await assert.rejects(
      createQueue('no-suffix', { FifoQueue: 'true' }),
      matchesError('InvalidParameterValue', 400),
    )
    const name = matchesError('InvalidAttributeName', 400)
    await assert.rejects(createQueue('q', { Nonsense: '1' } as Record<string, string>), name)
    await assert.rejects(createQueue('q', { FifoQueue: 'false' }), name)
    await assert.rejects(createQueue('q', { ContentBasedDeduplication: 'true' }), name)
    await assert.rejects(createQueue('q', { DeduplicationScope: 'queue' }), name)
    const wrongAttributes: [QueueAttributeName, string][] = [
      ['DelaySeconds', '901'],
      ['MaximumMessageSize', '1023'],
      ['MaximumMessageSize', '1048577'],
      ['MessageRetentionPeriod', '59'],
      ['ReceiveMessageWaitTimeSeconds', '21'],
      ['VisibilityTimeout', '-1'],
      ['VisibilityTimeout', 'soon'],
      ['Policy', 'not JSON'],
      ['SqsManagedSseEnabled', 'yes'],
    ]
    for (const [key, value] of wrongAttributes)
      await assert.rejects(
        createQueue('q', { [key]: value }),
        matchesError('InvalidAttributeValue', 400),
        key,
      )
  })

  test('SQS queue attributes can be set, reset with an empty value, and requested by name', async (t) => {
    const { client, createQueue, attributes } = await startSqs(t)
    const url = await createQueue('settings')
    const set = (Attributes: Record<string, string>) =>
      client.send(new SetQueueAttributesCommand({ QueueUrl: url, Attributes }))
    const policy = JSON.stringify({ Version: '2012-10-17', Statement: [] })
    await set({ Policy: policy, VisibilityTimeout: '69' })
    const requestedAttributes = await client.send(
      new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['Policy', 'VisibilityTimeout'] }),
    )
    assert.deepEqual(requestedAttributes.Attributes, { Policy: policy, VisibilityTimeout: '69' })
    await set({ Policy: '' })
    assert.equal((await attributes(url)).Policy, undefined)
    const noAttributes = await client.send(new GetQueueAttributesCommand({ QueueUrl: url }))
    assert.equal(noAttributes.Attributes, undefined)
    await assert.rejects(
      client.send(new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['Foobar' as 'All'] })),
      matchesError('InvalidAttributeName', 400, /^Unknown Attribute Foobar\.$/),
    )
    await assert.rejects(set({ FifoQueue: 'true' }), matchesError('InvalidAttributeName', 400))
    const fifoUrl = await createQueue('settings.fifo', { FifoQueue: 'true' })
    const changeAttributes = (Attributes: Record<string, string>) =>
      client.send(new SetQueueAttributesCommand({ QueueUrl: fifoUrl, Attributes }))
    await changeAttributes({ FifoQueue: 'true' })
    await assert.rejects(changeAttributes({ FifoQueue: 'false' }), matchesError('InvalidAttributeValue', 400))
    await assert.rejects(
      changeAttributes({ FifoThroughputLimit: 'perMessageGroupId' }),
      matchesError('InvalidAttributeValue', 400),
    )
  })

  test('an SQS queue with an unknown KMS key can be created, but refuses messages with KMS.NotFoundException', async (t) => {
    const { client, createQueue, attributes } = await startSqs(t)
    const url = await createQueue('kms', { KmsMasterKeyId: 'my-key' })
    const shownAttributes = await attributes(url)
    assert.deepEqual(
      [
        shownAttributes.KmsMasterKeyId,
        shownAttributes.KmsDataKeyReusePeriodSeconds,
        shownAttributes.SqsManagedSseEnabled,
      ],
      ['my-key', '300', 'false'],
    )
    await assert.rejects(
      client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'x' })),
      matchesError('KMS.NotFoundException', 400),
    )
    await assert.rejects(
      createQueue('both', { KmsMasterKeyId: 'k', SqsManagedSseEnabled: 'true' }),
      matchesError('InvalidAttributeName', 400, /one type of server-side encryption/),
    )
  })

  test('SQS queues are listed by prefix and in pages', async (t) => {
    const { client, createQueue } = await startSqs(t)
    for (let i = 0; i < 5; i++) await createQueue(`a-${i}`)
    await createQueue('b-0')
    const list = async (input: ListQueuesCommandInput) => await client.send(new ListQueuesCommand(input))
    assert.equal((await list({})).QueueUrls?.length, 6)
    assert.equal((await list({ QueueNamePrefix: 'b-' })).QueueUrls?.length, 1)
    assert.equal((await list({ QueueNamePrefix: 'c-' })).QueueUrls, undefined)
    const firstPage = await list({ QueueNamePrefix: 'a-', MaxResults: 3 })
    assert.equal(firstPage.QueueUrls?.length, 3)
    const secondPage = await list({ QueueNamePrefix: 'a-', MaxResults: 3, NextToken: firstPage.NextToken })
    assert.deepEqual(
      secondPage.QueueUrls?.map((url) => url.split('/').at(-1)),
      ['a-3', 'a-4'],
    )
    assert.equal(secondPage.NextToken, undefined)
    await assert.rejects(list({ MaxResults: 1001 }), matchesError('InvalidParameterValue', 400))
    await assert.rejects(list({ MaxResults: 1, NextToken: '!' }), matchesError('InvalidParameterValue', 400))
  })

  test('a deleted SQS queue loses its messages, and its name is unavailable for a minute', async (t) => {
    let now = Date.now()
    const { client, createQueue, receive } = await startSqs(t, { now: () => now })
    const url = await createQueue('gone')
    await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'x' }))
    await client.send(new DeleteQueueCommand({ QueueUrl: url }))
    const failsAsMissing = matchesError('AWS.SimpleQueueService.NonExistentQueue', 400)
    await assert.rejects(client.send(new DeleteQueueCommand({ QueueUrl: url })), failsAsMissing)
    await assert.rejects(client.send(new GetQueueUrlCommand({ QueueName: 'gone' })), failsAsMissing)
    await assert.rejects(
      createQueue('gone'),
      matchesError('AWS.SimpleQueueService.QueueDeletedRecently', 400),
    )
    now += 60_000
    assert.equal(await createQueue('gone'), url)
    assert.deepEqual(await receive(url), [])
  })

  test('an SQS queue is found by its name, but not in another account', async (t) => {
    const { client, createQueue, receive } = await startSqs(t)
    const url = await createQueue('found')
    await client.send(new SendMessageCommand({ QueueUrl: 'found', MessageBody: 'by bare name' }))
    assert.equal((await receive(url))[0]?.Body, 'by bare name')
    const ownQueue = { QueueName: 'found', QueueOwnerAWSAccountId: '000000000000' }
    assert.equal((await client.send(new GetQueueUrlCommand(ownQueue))).QueueUrl, url)
    const failsAsMissing = matchesError('AWS.SimpleQueueService.NonExistentQueue', 400)
    const foreignQueue = { ...ownQueue, QueueOwnerAWSAccountId: '111111111111' }
    await assert.rejects(client.send(new GetQueueUrlCommand(foreignQueue)), failsAsMissing)
    await assert.rejects(
      client.send(new DeleteQueueCommand({ QueueUrl: url.replace('000000000000', '111111111111') })),
      failsAsMissing,
    )
    await assert.rejects(
      client.send(new DeleteQueueCommand({ QueueUrl: url.replace('000000000000', '..') })),
      matchesError('InvalidAddress', 404),
    )
  })

  test('SQS queue tags can be set at creation, added, overwritten and removed, and more than 50 are refused', async (t) => {
    const { client } = await startSqs(t)
    const { QueueUrl } = await client.send(
      new CreateQueueCommand({ QueueName: 'tags', tags: { a: '1', b: '' } }),
    )
    const list = async () => (await client.send(new ListQueueTagsCommand({ QueueUrl }))).Tags
    assert.deepEqual(await list(), { a: '1', b: '' })
    await client.send(new TagQueueCommand({ QueueUrl, Tags: { a: '2', A: '3' } }))
    await client.send(new UntagQueueCommand({ QueueUrl, TagKeys: ['b', 'unknown'] }))
    assert.deepEqual(await list(), { a: '2', A: '3' })
    await client.send(new UntagQueueCommand({ QueueUrl, TagKeys: ['a', 'A'] }))
    assert.equal(await list(), undefined)
    const manyTags = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, 'v']))
    await assert.rejects(
      client.send(new TagQueueCommand({ QueueUrl, Tags: manyTags })),
      matchesError('InvalidParameterValue', 400, /Too many tags/),
    )
    await assert.rejects(
      client.send(new TagQueueCommand({ QueueUrl, Tags: {} })),
      matchesError('MissingParameter', 400),
    )
    await assert.rejects(
      client.send(new TagQueueCommand({ QueueUrl, Tags: { ['k'.repeat(129)]: 'v' } })),
      matchesError('InvalidParameterValue', 400),
    )
  })
})
