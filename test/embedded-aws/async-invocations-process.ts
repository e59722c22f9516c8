// A Lambda runtime that tests can kill: its queue is a file, and its only function appends its event to a file.
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs'
import { AsyncInvocations } from '../../lib/embedded-aws/lambda/async-invocations.ts'
import { listen } from '../../lib/embedded-aws/listen.ts'
import { openSqs } from '../../lib/embedded-aws/sqs/server.ts'
import { credentials, log, makeFunction, makeLambda, region } from './lambda-runtime.ts'

const [file = '', output = '', mode = ''] = process.argv.slice(2)
const sqs = await openSqs({ file, credentials: [credentials], region })
const port = await listen(createServer(sqs.handle), 0)
Object.assign(process.env, {
  AWS_ENDPOINT_URL_SQS: `http://127.0.0.1:${port}`,
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
})
const client = new SQSClient({ region })
const { QueueUrl = '' } = await client.send(new CreateQueueCommand({ QueueName: 'invocations' }))
const { Attributes } = await client.send(
  new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }),
)
const write = makeFunction('write', async (event) => {
  if (mode === 'hang') {
    process.send?.('running')
    await new Promise(() => {})
  }
  appendFileSync(output, `${JSON.stringify(event)}\n`)
})
const asyncInvocations = new AsyncInvocations({
  lambda: makeLambda([write]),
  queue: { url: QueueUrl, arn: Attributes?.QueueArn ?? '' },
  leaseS: 1,
  log,
})
process.on('message', (payload) => {
  void asyncInvocations.accept('write', String(payload)).then(() => process.send?.('accepted'))
})
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
