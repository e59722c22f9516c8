// Runs the jobs of an owner one after another through the embedded queues and Lambda, which stops recursive loops.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SQSEvent } from 'aws-lambda'
import { continueChain, createChainAttributes, maxHops } from '../../lib/aws/message-chain.ts'
import { Queues } from '../../lib/aws/queues.ts'
import { readConfig } from '../../lib/config.ts'
import { FunctionError } from '../../lib/embedded-aws/lambda/function-error.ts'
import { runInContext } from '../../lib/embedded-aws/lambda/invoke-context.ts'
import { QueueMapping } from '../../lib/embedded-aws/lambda/queue-mapping.ts'
import { ConcurrencySlots } from '../../lib/jobs/run/concurrency-slots.ts'
import type { Job } from '../../lib/model/job.ts'
import { TaskMessage } from '../../lib/model/task-message.ts'
import { handleBatch } from '../../lib/services/message-batch.ts'
import type { Services } from '../../lib/services/services.ts'
import { log, makeFunction, makeLambda } from '../embedded-aws/lambda-runtime.ts'
import { credentials, region, startSqs } from '../embedded-aws/sqs/start-sqs.ts'
import { waitUntil } from '../support/wait-until.ts'
import { MemoryTable } from './memory-table.ts'

process.env['AWS_ACCESS_KEY_ID'] = credentials.accessKeyId
process.env['AWS_SECRET_ACCESS_KEY'] = credentials.secretAccessKey
// Set as in a worker, because otherwise the SDK sends no trace header.
process.env['AWS_LAMBDA_FUNCTION_NAME'] = 'convert-image'

test('200 queued jobs of one owner run without being stopped as a recursive loop of Lambda invocations', async (t) => {
  const jobCount = 200
  const owner = 'anon_1'
  const sqs = await startSqs(t)
  process.env['AWS_ENDPOINT_URL_SQS'] = sqs.endpoint
  const queueUrl = await sqs.createQueue('jobs-image')
  const config = readConfig({
    LOG_LEVEL: 'silent',
    AWS_REGION: region,
    QUEUE_URL_PREFIX: queueUrl.slice(0, -'image'.length),
  })
  const statuses = new Map<string, Job['status']>()
  const queues = new Queues(config)
  const services = {
    table: new MemoryTable(),
    config,
    queues,
    plans: { [config.ANONYMOUS_PLAN]: { concurrentJobs: 2 } },
    jobs: {
      store: { getJob: async (id: string) => ({ id, owner, status: statuses.get(id) }) },
      taskSender: { retryQueue: (queue: string) => queue },
    },
  } as unknown as Services // a stub with only the members that are used
  const slots = new ConcurrencySlots(services)
  const convert = async ({ jobId }: TaskMessage) => {
    const job = { id: jobId, owner } as Job // a stub with only the members that are used
    if (statuses.get(jobId) === 'completed') return
    if (!(await slots.acquire(job, { jobId, task: 1 }, 'image'))) return
    statuses.set(jobId, 'completed')
    await slots.release(job)
  }
  const lambda = makeLambda([
    makeFunction('convert-image', (event, _context, traceHeader) =>
      runInContext(traceHeader, () =>
        handleBatch(event as SQSEvent, log, async ({ body }) => {
          await convert(TaskMessage.parse(JSON.parse(body)))
          return true
        }),
      ),
    ),
  ])
  let stoppedCount = 0
  const mapping = new QueueMapping({
    queueUrl,
    queueArn: (await sqs.attributes(queueUrl))['QueueArn'] ?? '',
    region,
    log,
    concurrency: 4,
    settings: { batchSize: 1, functionResponseType: 'ReportBatchItemFailures' },
    invoke: async (event, traceHeaders) => {
      const outcome = await lambda.invoke('convert-image', event, { traceHeaders })
      if (outcome.ok) return outcome.value
      stoppedCount++
      throw new FunctionError(outcome.failure)
    },
  })
  t.after(() => mapping.close())
  // Both slots are occupied while all others start to wait, so each later job is resumed by the end of another.
  const ids = Array.from({ length: jobCount }, (_, at) => `job_${String(at).padStart(4, '0')}`)
  for (const id of ids) statuses.set(id, 'processing')
  const [first = '', second = '', ...waitingIds] = ids
  for (const jobId of [first, second])
    assert.equal(await slots.acquire({ id: jobId, owner } as Job, { jobId, task: 1 }, 'image'), true)
  const waits = waitingIds.map(async (jobId) =>
    assert.equal(await slots.acquire({ id: jobId, owner } as Job, { jobId, task: 1 }, 'image'), false),
  )
  await Promise.all(waits)
  await queues.send('image', [
    { jobId: first, task: 1 },
    { jobId: second, task: 1 },
  ])
  const countCompleted = () => [...statuses.values()].filter((status) => status === 'completed').length
  await waitUntil(() => stoppedCount > 0 || countCompleted() === jobCount, 'all jobs run', 60)
  assert.deepEqual({ stoppedCount, completed: countCompleted() }, { stoppedCount: 0, completed: jobCount })
})

const createRecord = (hops: number | undefined) => ({
  messageId: 'a',
  body: '{}',
  ...(hops !== undefined && { messageAttributes: { Hops: { stringValue: String(hops) } } }),
})

/** Returns whether a message was handled, and the attributes of a message that its handler sends. */
async function handleMessage(hops: number | undefined) {
  let sentAttributes: object | undefined
  const errors: object[] = []
  const { batchItemFailures } = await handleBatch(
    { Records: [createRecord(hops)] } as unknown as SQSEvent, // a stub with only the members that are used
    { error: (error: object) => void errors.push(error) } as Services['log'],
    async () => {
      sentAttributes = createChainAttributes()
      return true
    },
  )
  return { sentAttributes, failed: batchItemFailures.length, errors: errors.length }
}

const hops = (count: number) => ({
  MessageAttributes: { Hops: { DataType: 'Number', StringValue: String(count) } },
})

test('a queue message counts the messages that led to it, and a chain of more than maxHops messages is stopped', async () => {
  assert.deepEqual(await handleMessage(undefined), { sentAttributes: hops(2), failed: 0, errors: 0 })
  assert.deepEqual(await handleMessage(2), { sentAttributes: hops(3), failed: 0, errors: 0 })
  assert.deepEqual(await handleMessage(maxHops), { sentAttributes: hops(maxHops + 1), failed: 0, errors: 0 })
  assert.deepEqual(await handleMessage(maxHops + 1), { sentAttributes: undefined, failed: 1, errors: 1 })
  assert.deepEqual(createChainAttributes(), {}, 'outside of a message')
  assert.deepEqual(continueChain(7, createChainAttributes), hops(8))
})
