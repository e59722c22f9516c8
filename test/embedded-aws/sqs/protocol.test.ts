import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ListQueuesCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { createSqsClient, credentials, matchesError, region, sendRaw, startSqs } from './start-sqs.ts'

const json = (action: string) => ({
  'x-amz-target': `AmazonSQS.${action}`,
  'content-type': 'application/x-amz-json-1.0',
})
const form = { 'content-type': 'application/x-www-form-urlencoded' }

describe('SQS wire protocols', () => {
  test('an error in the SQS JSON protocol contains its shape name and its Query protocol code', async (t) => {
    const { endpoint } = await startSqs(t)
    const response = await sendRaw(endpoint, {
      headers: json('SendMessage'),
      body: JSON.stringify({ QueueUrl: `${endpoint}/000000000000/none`, MessageBody: 'x' }),
    })
    assert.equal(response.status, 400)
    assert.equal(response.headers['content-type'], 'application/x-amz-json-1.0')
    assert.equal(response.headers['x-amzn-query-error'], 'AWS.SimpleQueueService.NonExistentQueue;Sender')
    assert.match(response.headers['x-amzn-requestid']?.toString() ?? '', /^[\da-f-]{36}$/)
    assert.deepEqual(JSON.parse(response.body), {
      __type: 'com.amazonaws.sqs#QueueDoesNotExist',
      message: 'The specified queue does not exist.',
    })
  })

  test('an SQS action without output returns an empty body, and null counts as a missing parameter', async (t) => {
    const { endpoint, createQueue } = await startSqs(t)
    const QueueUrl = await createQueue('void')
    const call = (action: string, input: object) =>
      sendRaw(endpoint, { headers: json(action), body: JSON.stringify(input) })
    const { status, body } = await call('SetQueueAttributes', { QueueUrl, Attributes: { DelaySeconds: '0' } })
    assert.deepEqual([status, body], [200, ''])
    const receivedReply = await call('ReceiveMessage', { QueueUrl, WaitTimeSeconds: null, Unknown: 1 })
    assert.deepEqual([receivedReply.status, receivedReply.body], [200, '{}'])
  })

  test('SQS refuses unknown operations, invalid JSON, and missing or invalid parameters', async (t) => {
    const { endpoint, createQueue } = await startSqs(t)
    const QueueUrl = await createQueue('fuzz')
    const cases: [Parameters<typeof sendRaw>[1], number, string][] = [
      [{ headers: json('Nonsense'), body: '{}' }, 404, 'UnknownOperationException'],
      [{ headers: json('toString'), body: '{}' }, 404, 'UnknownOperationException'],
      [{ headers: { 'x-amz-target': 'DynamoDB_20120810.GetItem' } }, 404, 'UnknownOperationException'],
      [{ headers: json('ListQueues'), body: '{' }, 400, 'SerializationException'],
      [{ headers: json('ListQueues'), body: '[]' }, 400, 'SerializationException'],
      [{ headers: json('ListQueues'), body: '{"MaxResults":"many"}' }, 400, 'SerializationException'],
      [{ headers: json('ListQueues'), body: '{"MaxResults":1.5}' }, 400, 'SerializationException'],
      [{ headers: json('SendMessage'), body: '{}' }, 400, 'MissingRequiredParameterException'],
      [
        {
          headers: json('SendMessageBatch'),
          body: JSON.stringify({ QueueUrl, Entries: [{ MessageBody: 'x' }] }),
        },
        400,
        'MissingRequiredParameterException',
      ],
    ]
    for (const [request, status, type] of cases) {
      const response = await sendRaw(endpoint, request)
      assert.equal(response.status, status, response.body)
      assert.match(response.body, new RegExp(`#${type}"`))
    }
  })

  test('an SQS request of 20 MB fails with 413', async (t) => {
    const { client, createQueue } = await startSqs(t)
    const QueueUrl = await createQueue('too-large')
    const send = (bytes: number) =>
      client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x'.repeat(bytes) }))
    await assert.rejects(send(8_000_000), matchesError('InvalidParameterValue', 400))
    await assert.rejects(send(20_000_000), matchesError('RequestEntityTooLarge', 413))
  })

  test('SQS refuses unsigned requests, unknown access keys, and signatures that are wrong, expired or for another region, with the errors of AWS', async (t) => {
    const { endpoint } = await startSqs(t)
    const list = (client: SQSClient) => client.send(new ListQueuesCommand({}))
    await assert.rejects(list(createSqsClient(endpoint, 'wrong')), matchesError('SignatureDoesNotMatch', 403))
    const client = (options: object) =>
      new SQSClient({ endpoint, region, credentials, maxAttempts: 1, ...options })
    const unknownKeyOptions = { credentials: { ...credentials, accessKeyId: 'AKIDNOBODY' } }
    await assert.rejects(list(client(unknownKeyOptions)), matchesError('InvalidClientTokenId', 403))
    const clientInOtherRegion = client({ region: 'eu-west-1' })
    await assert.rejects(
      list(clientInOtherRegion),
      matchesError('SignatureDoesNotMatch', 403, /valid region/),
    )
    const lateClient = client({ systemClockOffset: -16 * 60_000 })
    await assert.rejects(list(lateClient), matchesError('SignatureDoesNotMatch', 403))
    const anonymousReply = await sendRaw(endpoint, { headers: json('ListQueues'), body: '{}', sign: false })
    assert.equal(anonymousReply.status, 403)
    assert.equal(anonymousReply.headers['x-amzn-query-error'], 'MissingAuthenticationToken;Sender')
    const tamperingClient = client({})
    tamperingClient.middlewareStack.add(
      (next) => async (args) => {
        const request = args.request as { body: string }
        request.body = '[]'
        return await next(args)
      },
      { step: 'deserialize' },
    )
    await assert.rejects(list(tamperingClient), matchesError('SignatureDoesNotMatch', 403))
  })
})

describe('SQS Query protocol', () => {
  test('an SQS queue can be created, used and purged with the Query protocol', async (t) => {
    const { endpoint } = await startSqs(t)
    const call = async (fields: Record<string, string>, path = '/') => {
      const body = new URLSearchParams({ Version: '2012-11-05', ...fields }).toString()
      return await sendRaw(endpoint, { path, headers: form, body })
    }
    const createdReply = await call({
      Action: 'CreateQueue',
      QueueName: 'query',
      'Attribute.1.Name': 'VisibilityTimeout',
      'Attribute.1.Value': '7',
      'Tag.1.Key': 'k',
      'Tag.1.Value': 'v',
    })
    assert.match(
      createdReply.body,
      /^<\?xml version="1.0"\?><CreateQueueResponse xmlns="http:\/\/queue.amazonaws.com\/doc\/2012-11-05\/"><CreateQueueResult><QueueUrl>http:\/\/127.0.0.1:\d+\/000000000000\/query<\/QueueUrl><\/CreateQueueResult><ResponseMetadata><RequestId>[\da-f-]+<\/RequestId><\/ResponseMetadata><\/CreateQueueResponse>$/,
    )
    const path = '/000000000000/query'
    await call(
      { Action: 'SetQueueAttributes', 'Attribute.Name': 'DelaySeconds', 'Attribute.Value': '0' },
      path,
    )
    const sentReply = await call(
      {
        Action: 'SendMessage',
        MessageBody: '<a & "b">\r\n',
        'MessageAttribute.1.Name': 'n',
        'MessageAttribute.1.Value.DataType': 'Number',
        'MessageAttribute.1.Value.StringValue': '1',
      },
      path,
    )
    assert.match(sentReply.body, /<MD5OfMessageBody>[\da-f]{32}<\/MD5OfMessageBody><MD5OfMessageAttributes>/)
    const receivedReply = await call(
      { Action: 'ReceiveMessage', 'AttributeName.1': 'All', 'MessageAttributeName.1': 'All' },
      path,
    )
    assert.match(receivedReply.body, /<Body>&lt;a &amp; &quot;b&quot;&gt;&#xD;\n<\/Body>/)
    assert.match(
      receivedReply.body,
      /<Attribute><Name>ApproximateReceiveCount<\/Name><Value>1<\/Value><\/Attribute>/,
    )
    assert.match(
      receivedReply.body,
      /<MessageAttribute><Name>n<\/Name><Value><DataType>Number<\/DataType><StringValue>1<\/StringValue><\/Value><\/MessageAttribute>/,
    )
    const batch = await call(
      {
        Action: 'SendMessageBatch',
        'SendMessageBatchRequestEntry.1.Id': 'a',
        'SendMessageBatchRequestEntry.1.MessageBody': '1',
        'SendMessageBatchRequestEntry.2.Id': 'b',
        'SendMessageBatchRequestEntry.2.MessageBody': '2',
        'SendMessageBatchRequestEntry.2.DelaySeconds': '901',
      },
      path,
    )
    assert.match(batch.body, /<SendMessageBatchResultEntry><Id>a<\/Id><MessageId>/)
    assert.match(batch.body, /<BatchResultErrorEntry><Id>b<\/Id><SenderFault>true<\/SenderFault>/)
    const tags = await call({ Action: 'ListQueueTags' }, path)
    assert.match(tags.body, /<Tag><Key>k<\/Key><Value>v<\/Value><\/Tag>/)
    const purgeReply = await call({ Action: 'PurgeQueue' }, path)
    assert.match(purgeReply.body, /<PurgeQueueResponse xmlns="[^"]+"><ResponseMetadata>/)
    assert.match((await call({ Action: 'ReceiveMessage' }, path)).body, /<ReceiveMessageResult\/>/)
  })

  test('the SQS Query protocol accepts GET requests to queue URLs and returns errors as XML', async (t) => {
    const { endpoint, createQueue, client } = await startSqs(t)
    const url = await createQueue('get')
    const otherUrl = await createQueue('other')
    await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'hello' }))
    const get = (query: string, path = '/000000000000/get') =>
      sendRaw(endpoint, { method: 'GET', path: `${path}${query}` })
    assert.match((await get('?Action=ReceiveMessage')).body, /<Body>hello<\/Body>/)
    const unsignedReply = await get(
      `?Action=GetQueueAttributes&AttributeName.1=QueueArn&QueueUrl=${encodeURIComponent(otherUrl)}`,
    )
    assert.match(unsignedReply.body, /:other<\/Value>/)
    const cases: [string, string, number, RegExp][] = [
      [
        '?Action=FooBar',
        '/',
        400,
        /<Code>InvalidAction<\/Code><Message>The action FooBar is not valid for this endpoint\./,
      ],
      ['?Action=ListQueues', '/000000000000/get', 400, /<Code>InvalidAction<\/Code>/],
      [`?Action=ListQueues&${'TagKey.1.'.repeat(500)}=x`, '/', 400, /<Code>MalformedInput<\/Code>/],
      [
        '?Action=SendMessage',
        '/000000000000/get',
        400,
        /<Code>MissingParameter<\/Code><Message>[^<]*MessageBody\./,
      ],
      ['?Action=SendMessageBatch', '/000000000000/get', 400, /EmptyBatchRequest/],
      [
        '?Action=DeleteQueue',
        '/000000000000/none',
        400,
        /NonExistentQueue<\/Code><Message>[^<]*for this wsdl version\./,
      ],
      ['?Action=ListQueues&Attribute.1=x&Attribute.1.Name=y', '/', 400, /<Code>MalformedInput<\/Code>/],
      ['', '/000000000000/get', 404, /^<UnknownOperationException\/>$/],
    ]
    for (const [query, path, status, body] of cases) {
      const response = await get(query, path)
      assert.equal(response.status, status, response.body)
      assert.match(response.body, body)
    }
  })
})
