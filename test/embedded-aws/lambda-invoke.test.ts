// Lambda's Invoke, called as the AWS SDK does.
import assert from 'node:assert/strict'
import { openSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  type LambdaAndSocketsApi,
  openLambdaAndSocketsApi,
} from '../../lib/local/runtime/lambda-and-sockets-api.ts'
import { OnDemandWorker } from '../../lib/local/runtime/on-demand-worker.ts'
import { after, before } from '../hooks.ts'
import { waitUntil } from '../support/wait-until.ts'
import { callSigned, credentials, log, makeFunction, makeLambda, region } from './lambda-runtime.ts'

let release: () => void = () => {}
const acceptedInvocations: [name: string, payload: string][] = []
let api: LambdaAndSocketsApi

const worker = new OnDemandWorker({
  queue: 'image',
  environment: { PATH: process.env['PATH'] ?? '' },
  logFd: openSync('/dev/null', 'a'),
  log,
  idleMs: 60_000,
  maxMemoryBytes: 1024 ** 3,
  file: fileURLToPath(new URL('../local/misbehaving-worker.ts', import.meta.url)),
})

const lambda = makeLambda([
  makeFunction('echo', async (event) => event),
  makeFunction('context', async (_event, { getRemainingTimeInMillis, ...context }) => ({
    ...context,
    leftMs: getRemainingTimeInMillis(),
  })),
  makeFunction('fails', () => {
    throw new TypeError('expected failure')
  }),
  makeFunction('throws-text', () => Promise.reject('text')),
  makeFunction('nothing', async () => undefined),
  makeFunction('circle', async () => {
    const circularObject: Record<string, unknown> = {}
    circularObject['self'] = circularObject
    return circularObject
  }),
  makeFunction('large', async () => 'x'.repeat(6_291_556)),
  makeFunction('slow', () => new Promise((resolve) => setTimeout(resolve, 60_000).unref()), {
    timeoutMs: 50,
  }),
  makeFunction('single', () => new Promise<void>((resolve) => (release = resolve)), {
    maximumConcurrency: 1,
  }),
  makeFunction('worker', (event, context) => worker.invoke(event, context), { timeoutMs: 4000 }),
])

before(async () => {
  const accept = async (name: string, payload: string) => {
    acceptedInvocations.push([name, payload])
  }
  api = await openLambdaAndSocketsApi(
    { lambda, asyncInvocations: { accept } },
    { credentials: [credentials], log },
  )
})
after(async () => {
  release()
  await Promise.all([api.close(), worker.close()])
})

const invoke = (name: string, body: string | Buffer = '', headers: Record<string, string> = {}) =>
  callSigned(`${api.url}/2015-03-31/functions/${encodeURIComponent(name)}/invocations`, {
    service: 'lambda',
    headers,
    body,
  })

const arn = `arn:aws:lambda:${region}:000000000000:function:echo`
for (const name of ['echo', 'echo:$LATEST', arn, `${arn}:$LATEST`, '000000000000:function:echo']) {
  test(`Invoke accepts the function name ${name}`, async () => {
    const response = await invoke(name, '{"a":"é"}')
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('x-amz-executed-version'), '$LATEST')
    assert.equal(response.headers.get('x-amz-function-error'), null)
    assert.match(response.headers.get('x-amzn-requestid') ?? '', /^[\da-f-]{36}$/)
    assert.deepEqual(await response.json(), { a: 'é' })
  })
}

test('Invoke passes an empty payload as an empty object, and returns an undefined result as null', async () => {
  assert.deepEqual(await (await invoke('echo')).json(), {})
  assert.equal(await (await invoke('nothing')).text(), 'null')
})

test("the Lambda context contains the function's name and remaining time", async () => {
  const response = await invoke('context')
  const { leftMs, ...context } = (await response.json()) as Record<string, unknown>
  assert.deepEqual(context, {
    callbackWaitsForEmptyEventLoop: true,
    functionName: 'context',
    functionVersion: '$LATEST',
    invokedFunctionArn: arn.replace('echo', 'context'),
    memoryLimitInMB: '512',
    awsRequestId: response.headers.get('x-amzn-requestid'),
    logGroupName: '/aws/lambda/context',
    logStreamName: 'local',
  })
  assert.ok(Number(leftMs) > 4000 && Number(leftMs) <= 5000)
})

const failures: [name: string, errorType: string, errorMessage: RegExp][] = [
  ['fails', 'TypeError', /^expected failure$/],
  ['throws-text', 'string', /^text$/],
  ['circle', 'Runtime.MarshalError', /circular/],
  ['large', 'Function.ResponseSizeTooLarge', /6291556 bytes/],
  ['slow', 'Sandbox.Timedout', /^RequestId: [\da-f-]{36} Error: Task timed out after 0.05 seconds$/],
]
for (const [name, errorType, errorMessage] of failures) {
  test(`Invoke of the function ${name} returns X-Amz-Function-Error and ${errorType}`, async () => {
    const response = await invoke(name)
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('x-amz-function-error'), 'Unhandled')
    const failure = (await response.json()) as { errorType: string; errorMessage: string; trace?: string[] }
    assert.equal(failure.errorType, errorType)
    assert.match(failure.errorMessage, errorMessage)
    if (name === 'fails') assert.match(failure.trace?.[0] ?? '', /^TypeError: expected failure$/)
  })
}

const crashes: [caseName: string, body: string, errorType: string][] = [
  ['throws', 'fail', 'Error'],
  ['dies', 'die', 'Runtime.ExitError'],
  ['takes too long', 'sleep', 'Sandbox.Timedout'],
]
for (const [caseName, body, errorType] of crashes) {
  test(`a function in a worker process that ${caseName} fails with ${errorType}, and the next invocation runs`, async () => {
    const response = await invoke('worker', JSON.stringify({ Records: [{ body }] }))
    assert.equal(response.headers.get('x-amz-function-error'), 'Unhandled')
    assert.equal(((await response.json()) as { errorType: string }).errorType, errorType)
    const nextResponse = await invoke('worker', '{"Records":[{"body":"respond"}]}')
    assert.equal(nextResponse.headers.get('x-amz-function-error'), null)
  })
}

test('Invoke with LogType Tail returns the lines that Lambda logs for an invocation', async () => {
  const response = await invoke('fails', '', { 'x-amz-log-type': 'Tail' })
  const id = response.headers.get('x-amzn-requestid')
  const lines = Buffer.from(response.headers.get('x-amz-log-result') ?? '', 'base64')
    .toString()
    .split('\n')
  assert.equal(lines[0], `START RequestId: ${id} Version: $LATEST`)
  assert.match(lines[1] ?? '', /Invoke Error.*expected failure/)
  assert.equal(lines[2], `END RequestId: ${id}`)
  assert.match(lines[3] ?? '', /Duration: [\d.]+ ms\tBilled Duration: \d+ ms\tMemory Size: 512 MB$/)
})

test('an asynchronous Invoke returns 202 with an empty body, and the invocation is accepted for later', async () => {
  const response = await invoke('echo', '{"a":1}', { 'x-amz-invocation-type': 'Event' })
  assert.deepEqual([response.status, await response.text()], [202, ''])
  assert.deepEqual(acceptedInvocations, [['echo', '{"a":1}']])
})

test('a DryRun of Invoke does not run the function', async () => {
  const response = await invoke('fails', '', { 'x-amz-invocation-type': 'DryRun' })
  assert.deepEqual([response.status, response.headers.get('x-amz-function-error')], [204, null])
})

const mb = 1024 * 1024
const event = { 'x-amz-invocation-type': 'Event' }
type RefusedCall = [
  caseName: string,
  call: () => Promise<Response>,
  status: number,
  code: string,
  message: RegExp,
]
const refusals: RefusedCall[] = [
  [
    'Invoke of an unknown function',
    () => invoke('none'),
    404,
    'ResourceNotFoundException',
    /Function not found: arn:aws:lambda:eu-central-1:000000000000:function:none/,
  ],
  [
    'Invoke of an unknown version',
    () => invoke('echo:7'),
    404,
    'ResourceNotFoundException',
    /function:echo:7/,
  ],
  ['Invoke with an invalid function name', () => invoke('a b'), 400, 'ValidationException', /functionName/],
  [
    'Invoke of a function of another region',
    () => invoke(arn.replace(region, 'us-east-1')),
    400,
    'ValidationException',
    /functionName/,
  ],
  [
    'Invoke with a payload that is not JSON',
    () => invoke('echo', '{'),
    400,
    'InvalidRequestContentException',
    /Could not parse request body/,
  ],
  [
    'Invoke with a payload that is not UTF-8',
    () => invoke('echo', Buffer.from([34, 255, 34])),
    400,
    'InvalidRequestContentException',
    /Could not parse request body/,
  ],
  [
    'Invoke with a payload of more than 6 MB',
    () => invoke('echo', Buffer.alloc(6 * mb + 1, 32)),
    413,
    'RequestTooLargeException',
    /6291456/,
  ],
  [
    'an asynchronous Invoke with a payload of more than 1 MB',
    () => invoke('echo', `"${'x'.repeat(mb)}"`, event),
    413,
    'RequestTooLargeException',
    /1000000/,
  ],
  [
    'Invoke with an unknown invocation type',
    () => invoke('echo', '', { 'x-amz-invocation-type': 'Later' }),
    400,
    'ValidationException',
    /invocationType/,
  ],
  [
    'a Lambda operation other than Invoke',
    () => callSigned(`${api.url}/2015-03-31/functions/echo`, { service: 'lambda', method: 'GET' }),
    404,
    'UnknownOperationException',
    /Invoke/,
  ],
  [
    'Invoke with a wrong secret key',
    () =>
      callSigned(`${api.url}/2015-03-31/functions/echo/invocations`, {
        service: 'lambda',
        secretAccessKey: 'wrong'.repeat(8),
      }),
    403,
    'InvalidSignatureException',
    /signature/,
  ],
  [
    'Invoke with a signature for another service',
    () => callSigned(`${api.url}/2015-03-31/functions/echo/invocations`, { service: 'sqs' }),
    403,
    'InvalidSignatureException',
    /service/,
  ],
  [
    'Invoke without a signature',
    () => fetch(`${api.url}/2015-03-31/functions/echo/invocations`, { method: 'POST' }),
    403,
    'MissingAuthenticationTokenException',
    /Missing/,
  ],
]
for (const [caseName, call, status, code, message] of refusals) {
  test(`${caseName} is refused with ${status} ${code}`, async () => {
    const response = await call()
    assert.deepEqual([response.status, response.headers.get('x-amzn-errortype')], [status, code])
    const body = (await response.json()) as { message?: string; Message?: string }
    assert.match(body.message ?? body.Message ?? '', message)
  })
}

test('Invoke of a function at its concurrency limit fails with 429 ConcurrentInvocationLimitExceeded', async () => {
  const firstResponse = invoke('single')
  const singleFunction = makeFunction('single', async () => {}, { maximumConcurrency: 1 })
  await waitUntil(() => lambda.isBusy(singleFunction), 'it runs')
  const secondResponse = await invoke('single')
  assert.equal(secondResponse.status, 429)
  assert.partialDeepStrictEqual(await secondResponse.json(), { Reason: 'ConcurrentInvocationLimitExceeded' })
  release()
  assert.equal((await firstResponse).status, 200)
})
