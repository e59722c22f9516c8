// Run by `npm run test:aws`.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { credentials, region, startSqs } from './start-sqs.ts'

/** Debian's package; another `aws` earlier on the PATH would speak the JSON protocol. */
const AWS = '/usr/bin/aws'

test('awscli creates, uses and deletes a queue', {
  skip: !existsSync(AWS) && `${AWS} is not there`,
}, async (t) => {
  const { endpoint } = await startSqs(t)
  const env = {
    PATH: process.env.PATH,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_DEFAULT_REGION: region,
    AWS_PAGER: '',
  }
  async function aws(...args: string[]) {
    const { stdout } = await promisify(execFile)(AWS, ['--endpoint-url', endpoint, 'sqs', ...args], { env })
    return stdout === '' ? {} : JSON.parse(stdout)
  }
  const { QueueUrl } = await aws(
    'create-queue',
    '--queue-name',
    'cli',
    '--attributes',
    'VisibilityTimeout=7',
    '--tags',
    'a=b',
  )
  const at = ['--queue-url', QueueUrl]
  assert.deepEqual(await aws('list-queues'), { QueueUrls: [QueueUrl] })
  assert.deepEqual(await aws('get-queue-url', '--queue-name', 'cli'), { QueueUrl })
  assert.deepEqual(await aws('list-queue-tags', ...at), { Tags: { a: 'b' } })
  const body = 'a<b>&"é🎉\r\nx'
  const attributes = {
    k: { DataType: 'String', StringValue: 'v' },
    b: { DataType: 'Binary', BinaryValue: 'AQID' },
  }
  const sentMessage = await aws(
    'send-message',
    ...at,
    '--message-body',
    body,
    '--message-attributes',
    JSON.stringify(attributes),
  )
  const receivedMessages = await aws(
    'receive-message',
    ...at,
    '--attribute-names',
    'All',
    '--message-attribute-names',
    'All',
  )
  const [message] = receivedMessages.Messages
  assert.equal(message.Body, body)
  assert.equal(message.MD5OfMessageAttributes, sentMessage.MD5OfMessageAttributes)
  assert.deepEqual(message.MessageAttributes, attributes)
  assert.equal(message.Attributes.ApproximateReceiveCount, '1')
  const handle = ['--receipt-handle', message.ReceiptHandle]
  await aws('change-message-visibility', ...at, ...handle, '--visibility-timeout', '60')
  await aws('delete-message', ...at, ...handle)
  const entries = [
    { Id: 'a', MessageBody: '1' },
    { Id: 'b', MessageBody: '2', DelaySeconds: 901 },
  ]
  const batch = await aws('send-message-batch', ...at, '--entries', JSON.stringify(entries))
  assert.equal(batch.Successful[0].Id, 'a')
  assert.equal(batch.Failed[0].Code, 'InvalidParameterValue')
  const counts = await aws('get-queue-attributes', ...at, '--attribute-names', 'All')
  assert.equal(counts.Attributes.ApproximateNumberOfMessages, '1')
  await aws('set-queue-attributes', ...at, '--attributes', 'DelaySeconds=3')
  await aws(
    'add-permission',
    ...at,
    '--label',
    'L',
    '--aws-account-ids',
    '123456789012',
    '--actions',
    'SendMessage',
  )
  await aws('purge-queue', ...at)
  await assert.rejects(aws('purge-queue', ...at), /AWS\.SimpleQueueService\.PurgeQueueInProgress/)
  await aws('delete-queue', ...at)
  await assert.rejects(aws('delete-queue', ...at), /AWS\.SimpleQueueService\.NonExistentQueue/)
  await assert.rejects(aws('list-queues', '--region', 'eu-west-1'), /SignatureDoesNotMatch/)
})
