// Invocations of type Event: accepted immediately, run at least once, retried after errors, finally dead-lettered.
import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { AsyncInvocations } from '../../lib/embedded-aws/lambda/async-invocations.ts'
import { Lambda, type LocalFunction } from '../../lib/embedded-aws/lambda/runtime.ts'
import { waitUntil } from '../support/wait-until.ts'
import { log, makeFunction } from './lambda-runtime.ts'
import { credentials, region, startSqs, type TestServer } from './sqs/start-sqs.ts'

process.env['AWS_ACCESS_KEY_ID'] = credentials.accessKeyId
process.env['AWS_SECRET_ACCESS_KEY'] = credentials.secretAccessKey

async function start(
  t: TestContext,
  functions: (deadLetterUrl: string) => readonly LocalFunction[],
  concurrentExecutions?: number,
) {
  const sqs = await startSqs(t)
  process.env['AWS_ENDPOINT_URL_SQS'] = sqs.endpoint
  const url = await sqs.createQueue('invocations')
  const deadLetterQueue = await sqs.createQueue('dead')
  const lambda = new Lambda({ functions: functions(deadLetterQueue), region, log, concurrentExecutions })
  const asyncInvocations = new AsyncInvocations({
    lambda,
    queue: { url, arn: '' },
    retryDelaysS: [1, 1],
    log,
  })
  t.after(() => asyncInvocations.close())
  return { sqs, url, deadLetterUrl: deadLetterQueue, asynchronous: asyncInvocations }
}

const isEmpty = (sqs: TestServer, url: string) => async () => {
  const attributes = await sqs.attributes(url)
  const names = ['', 'NotVisible', 'Delayed'].map((kind) => `ApproximateNumberOfMessages${kind}`)
  return names.every((name) => attributes[name] === '0')
}

test('an accepted asynchronous invocation runs its function once, with its payload unchanged', async (t) => {
  const invocations: [event: unknown, requestId: string][] = []
  const take = makeFunction('take', async (event, { awsRequestId }) =>
    invocations.push([event, awsRequestId]),
  )
  const { sqs, url, asynchronous: asyncInvocations } = await start(t, () => [take])
  const event = { text: 'é \uffff \u0000 "', list: [1, null] }
  // The JSON contains two characters that a queue does not accept.
  await asyncInvocations.accept('take', JSON.stringify(event), 'request-1')
  await waitUntil(isEmpty(sqs, url), 'the queue is empty')
  assert.deepEqual(invocations, [[event, 'request-1']])
})

test('an asynchronous invocation accepts a payload of 1 MB', async (t) => {
  let length = 0
  const take = makeFunction('take', async (event) => {
    length = String(event).length
  })
  const { asynchronous: asyncInvocations } = await start(t, () => [take])
  await asyncInvocations.accept('take', JSON.stringify('x'.repeat(999_998)))
  await waitUntil(() => length === 999_998, 'the function is called')
})

test('a failing asynchronous invocation is retried twice with the same request id and then sent to the dead-letter queue', async (t) => {
  const attempts: [at: number, requestId: string][] = []
  const fails = (deadLetterUrl: string) =>
    makeFunction(
      'fails',
      async (_event, { awsRequestId }) => {
        attempts.push([Date.now(), awsRequestId])
        throw new Error('expected failure')
      },
      { deadLetterUrl },
    )
  const {
    sqs,
    url,
    deadLetterUrl,
    asynchronous: asyncInvocations,
  } = await start(t, (deadLetterUrl) => [fails(deadLetterUrl)])
  await asyncInvocations.accept('fails', '{"a":1}', 'request-1')
  await waitUntil(isEmpty(sqs, url), 'the queue is empty')
  assert.deepEqual(
    attempts.map(([, requestId]) => requestId),
    ['request-1', 'request-1', 'request-1'],
  )
  const [firstAttempt = 0, secondAttempt = 0, thirdAttempt = 0] = attempts.map(([at]) => at)
  assert.ok(
    secondAttempt - firstAttempt > 900 && thirdAttempt - secondAttempt > 900,
    'each retry waits for its delay',
  )
  const [message] = await sqs.receive(deadLetterUrl)
  assert.equal(message?.Body, '{"a":1}')
  const attributes = Object.entries(message.MessageAttributes ?? {}).map(
    ([name, { DataType, StringValue }]) => [name, DataType, StringValue],
  )
  assert.deepEqual(attributes.sort(), [
    ['ErrorCode', 'Number', '200'],
    ['ErrorMessage', 'String', 'expected failure'],
    ['RequestID', 'String', 'request-1'],
  ])
})

test('a failing asynchronous function declared without retries runs only once', async (t) => {
  let attempts = 0
  const fails = makeFunction(
    'fails',
    async () => {
      attempts += 1
      throw new Error('expected failure')
    },
    { retryAttempts: 0 },
  )
  const { sqs, url, asynchronous: asyncInvocations } = await start(t, () => [fails])
  await asyncInvocations.accept('fails', '{}')
  await waitUntil(isEmpty(sqs, url), 'the queue is empty')
  assert.equal(attempts, 1)
})

test('an invocation by the event bus runs immediately, and its retries are delivered by the queue', async (t) => {
  const attempts: number[] = []
  const singleRunFunction = makeFunction('once', async () => {
    attempts.push(performance.now())
    if (attempts.length === 1) throw new Error('expected failure')
  })
  const slowFunction = makeFunction('slow', async () => attempts.push(0), { timeoutMs: 60_000 })
  const { sqs, url, asynchronous: asyncInvocations } = await start(t, () => [singleRunFunction, slowFunction])
  await asyncInvocations.runOrAccept('once', '{}')
  assert.equal(attempts.length, 1)
  await waitUntil(() => attempts.length === 2, 'the invocation is retried')
  await waitUntil(isEmpty(sqs, url), 'the queue is empty')
  const queuedInvocation = asyncInvocations.runOrAccept('slow', '{}')
  assert.equal(attempts.length, 2, 'a function that may take long is queued')
  await queuedInvocation
  await waitUntil(() => attempts.length === 3, 'the queued invocation runs')
})

test('an asynchronous function that runs longer than its lease runs only once', async (t) => {
  const sqs = await startSqs(t)
  process.env['AWS_ENDPOINT_URL_SQS'] = sqs.endpoint
  const url = await sqs.createQueue('invocations')
  let attempts = 0
  const slowFunction = makeFunction('slow', async () => {
    attempts += 1
    await new Promise((resolve) => setTimeout(resolve, 2500))
  })
  const lambda = new Lambda({ functions: [slowFunction], region, log })
  const asyncInvocations = new AsyncInvocations({ lambda, queue: { url, arn: '' }, leaseS: 1, log })
  t.after(() => asyncInvocations.close())
  await asyncInvocations.accept('slow', '{}')
  await waitUntil(isEmpty(sqs, url), 'the queue is empty')
  assert.equal(attempts, 1)
})

const processFile = fileURLToPath(new URL('./async-invocations-process.ts', import.meta.url))

test('accepted and running asynchronous invocations are resumed after a SIGKILL', {
  timeout: 60_000,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'mutabor-lambda-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const output = join(folder, 'output')
  const startProcess = async (mode: string): Promise<ChildProcess> => {
    const child = fork(processFile, [join(folder, 'sqs.sqlite'), output, mode])
    t.after(() => child.kill('SIGKILL'))
    await waitForMessage(child, 'ready')
    return child
  }
  const firstProcess = await startProcess('hang')
  // A function may start before the sender gets its acknowledgement.
  const startedRuns = Promise.all([
    waitForMessage(firstProcess, 'running'),
    waitForMessage(firstProcess, 'accepted'),
  ])
  firstProcess.send('{"n":1}')
  await startedRuns
  const acceptedEvent = waitForMessage(firstProcess, 'accepted')
  firstProcess.send('{"n":2}')
  await acceptedEvent
  const exitEvent = once(firstProcess, 'exit')
  firstProcess.kill('SIGKILL')
  await exitEvent
  assert.ok(!existsSync(output))

  await startProcess('work')
  const readLines = () => (existsSync(output) ? readFileSync(output, 'utf8').trim().split('\n') : [])
  // The running invocation is repeated when its lease ends.
  await waitUntil(() => readLines().length >= 2, 'two lines are logged')
  assert.deepEqual([...new Set(readLines())].sort(), ['{"n":1}', '{"n":2}'])
})

/** Resolves when the process sends the message; others may come before. */
function waitForMessage(child: ChildProcess, word: string): Promise<void> {
  return new Promise((resolve) => {
    const listen = (message: unknown) => {
      if (message !== word) return
      child.off('message', listen)
      resolve()
    }
    child.on('message', listen)
  })
}

test('an asynchronous invocation that is throttled for six hours goes to the dead-letter queue', async (t) => {
  const { promise, resolve: release } = Promise.withResolvers<void>()
  let hasStarted = false
  const slow = makeFunction('slow', async () => {
    hasStarted = true
    await promise
  })
  const createUncalledFunction = (deadLetterUrl: string) =>
    makeFunction('never', async () => assert.fail(), { deadLetterUrl })
  const setup = await start(t, (deadLetterUrl) => [slow, createUncalledFunction(deadLetterUrl)], 1)
  const { sqs, url, deadLetterUrl, asynchronous: asyncInvocations } = setup
  await asyncInvocations.accept('slow', '{}')
  await waitUntil(() => hasStarted, 'the only place is taken')
  // Pretends that the message was accepted almost six hours ago; the next attempt would be too late.
  const createAttribute = (StringValue: string) => ({ DataType: 'String', StringValue })
  await sqs.client.send(
    new SendMessageCommand({
      QueueUrl: url,
      MessageBody: '{}',
      MessageAttributes: {
        function: createAttribute('never'),
        requestId: createAttribute('request-1'),
        attempt: createAttribute('1'),
        throttledTimes: createAttribute('9'),
        acceptedAt: createAttribute(String(Date.now() - (6 * 3600 - 200) * 1000)),
      },
    }),
  )
  const isInDeadLetterQueue = async () =>
    (await sqs.attributes(deadLetterUrl))['ApproximateNumberOfMessages'] === '1'
  await waitUntil(isInDeadLetterQueue, 'it is given up')
  release()
  await waitUntil(isEmpty(sqs, url), 'the queue is empty')
})

test('a throttled asynchronous invocation waits without using up an attempt', async (t) => {
  const { promise, resolve: release } = Promise.withResolvers<void>()
  const runs: string[] = []
  const slow = makeFunction('slow', async () => {
    runs.push('slow')
    await promise
  })
  const once = makeFunction('once', async () => runs.push('once'), { retryAttempts: 0 })
  const { sqs, url, deadLetterUrl, asynchronous: asyncInvocations } = await start(t, () => [slow, once], 1)
  await asyncInvocations.accept('slow', '{}')
  await waitUntil(() => runs.length === 1, 'the only place is taken')
  // One invocation as from a queue, and one as from the bus.
  await asyncInvocations.accept('once', '{}')
  await asyncInvocations.runOrAccept('once', '{}')
  const isDelayed = async () => (await sqs.attributes(url))['ApproximateNumberOfMessagesDelayed'] === '2'
  await waitUntil(isDelayed, 'both wait')
  release()
  await waitUntil(isEmpty(sqs, url), 'the queue is empty', 60)
  assert.deepEqual(runs, ['slow', 'once', 'once'])
  assert.equal((await sqs.attributes(deadLetterUrl))['ApproximateNumberOfMessages'], '0')
})
