// Recursive-loop detection of the embedded Lambda, with functions that send messages to their own queue.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { startChain } from '../../lib/aws/message-chain.ts'
import { Queues } from '../../lib/aws/queues.ts'
import { readConfig } from '../../lib/config.ts'
import { FunctionError } from '../../lib/embedded-aws/lambda/function-error.ts'
import { runInContext } from '../../lib/embedded-aws/lambda/invoke-context.ts'
import { continueLineage } from '../../lib/embedded-aws/lambda/lineage.ts'
import { QueueMapping } from '../../lib/embedded-aws/lambda/queue-mapping.ts'
import type { LocalFunction } from '../../lib/embedded-aws/lambda/runtime.ts'
import { waitUntil } from '../support/wait-until.ts'
import { log, makeFunction, makeLambda } from './lambda-runtime.ts'
import { credentials, region, startSqs } from './sqs/start-sqs.ts'

process.env['AWS_ACCESS_KEY_ID'] = credentials.accessKeyId
process.env['AWS_SECRET_ACCESS_KEY'] = credentials.secretAccessKey
// Set as in a worker, because otherwise the SDK sends no trace header.
process.env['AWS_LAMBDA_FUNCTION_NAME'] = 'loop'

type Send = (queueUrl: string, body: string) => Promise<unknown>

/**
 * Sends a number to a queue whose function sends the next number to the same queue, up to `last`. Waits until that
 * chain ends. Returns the last number that the function received, and the count of dead-lettered messages.
 */
async function runLoop(
  t: TestContext,
  { last, send, settings = {} }: { last: number; send?: Send; settings?: Partial<LocalFunction> },
) {
  const sqs = await startSqs(t)
  process.env['AWS_ENDPOINT_URL_SQS'] = sqs.endpoint
  const deadLetterQueue = await sqs.createQueue('dead')
  const deadLetterTargetArn = (await sqs.attributes(deadLetterQueue))['QueueArn']
  const queueUrl = await sqs.createQueue('loop-image', {
    VisibilityTimeout: '1',
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 2 }),
  })
  const sendBody: Send =
    send ?? ((QueueUrl, MessageBody) => sqs.client.send(new SendMessageCommand({ QueueUrl, MessageBody })))
  let reached = 0
  const handler: LocalFunction['handler'] = (event, _context, traceHeader) =>
    runInContext(traceHeader, async () => {
      const { Records } = event as { Records: { body: string }[] } // from the queue
      const number = Number(JSON.parse(Records[0]?.body ?? '0').task)
      reached = Math.max(reached, number)
      if (number < last) await sendBody(queueUrl, JSON.stringify({ jobId: 'job', task: number + 1 }))
    })
  const lambda = makeLambda([makeFunction('loop', handler, settings)])
  const mapping = new QueueMapping({
    queueUrl,
    queueArn: (await sqs.attributes(queueUrl))['QueueArn'] ?? '',
    region,
    log,
    concurrency: 1,
    settings: { batchSize: 1, functionResponseType: 'ReportBatchItemFailures' },
    retriesEarly: false,
    invoke: async (event, traceHeaders) => {
      const outcome = await lambda.invoke('loop', event, { traceHeaders })
      if (!outcome.ok) throw new FunctionError(outcome.failure)
      return outcome.value
    },
  })
  t.after(() => mapping.close())
  await sendBody(queueUrl, JSON.stringify({ jobId: 'job', task: 1 }))
  const dead = async () => Number((await sqs.attributes(deadLetterQueue))['ApproximateNumberOfMessages'])
  await waitUntil(async () => reached === last || (await dead()) > 0, 'the loop ends', 30)
  return { reached, dead: await dead() }
}

test('a function that keeps sending to its own queue is stopped after 16 invocations', async (t) => {
  assert.deepEqual(await runLoop(t, { last: 40 }), { reached: 16, dead: 1 })
})

test('a function that allows recursion is not stopped by loop detection', async (t) => {
  const settings = { recursiveLoop: 'Allow' } as const
  assert.deepEqual(await runLoop(t, { last: 40, settings }), { reached: 40, dead: 0 })
})

test('a message that starts a new chain of invocations does not count as recursion', async (t) => {
  const config = (queueUrl: string) => readConfig({ QUEUE_URL_PREFIX: queueUrl.slice(0, -'image'.length) })
  const send: Send = (queueUrl, body) =>
    startChain(() =>
      new Queues({ ...config(queueUrl), AWS_REGION: region }).send('image', [JSON.parse(body)]),
    )
  assert.deepEqual(await runLoop(t, { last: 40, send }), { reached: 40, dead: 0 })
})

test('recursion is counted for each function separately, and for a batch by the longest chain of its messages', () => {
  let { traceHeader } = continueLineage([], 'a')
  for (const name of ['b', 'a', 'b', 'b']) ({ traceHeader } = continueLineage([traceHeader], name))
  const otherLineage = continueLineage([continueLineage([], 'a').traceHeader, traceHeader], 'a')
  assert.equal(otherLineage.number, 3)
  assert.equal(continueLineage([otherLineage.traceHeader], 'b').number, 4)
  assert.equal(continueLineage([otherLineage.traceHeader], 'c').number, 1)
  assert.equal(continueLineage(['Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=1'], 'a').number, 1)
})
