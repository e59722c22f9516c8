// Quotas of an AWS account, which the embedded servers enforce on request, with AWS's errors.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { PutEventsCommand } from '@aws-sdk/client-eventbridge'
import { type InvocationOutcome, Lambda } from '../../lib/embedded-aws/lambda/runtime.ts'
import { accountQuotas, quotas } from '../../lib/embedded-aws/quotas.ts'
import { RateLimit } from '../../lib/embedded-aws/rate-limit.ts'
import { createHttpApi } from '../../lib/local/runtime/gateway/http-api.ts'
import { startTestEvents } from './events/start-events.ts'
import { closeServers, log, makeFunction, region, serve } from './lambda-runtime.ts'

/** Creates an account with this concurrency quota. Its functions run until `release` is called. */
function makeAccount(concurrentExecutions: number | undefined, reserved: Readonly<Record<string, number>>) {
  const { promise, resolve: release } = Promise.withResolvers<void>()
  const functions = ['a', 'b', 'own'].map((name) => {
    const reservedConcurrency = reserved[name]
    return makeFunction(name, () => promise, reservedConcurrency === undefined ? {} : { reservedConcurrency })
  })
  const lambda = new Lambda({ functions, region, log, concurrentExecutions })
  return { lambda, release }
}

const getReason = (outcome: InvocationOutcome) => (outcome.ok ? 'ran' : outcome.failure.reason)

test('Lambda functions share the concurrency of the account, except for reserved concurrency', async () => {
  const { lambda, release } = makeAccount(5, { own: 2 })
  const outcomes = Promise.all(
    ['a', 'b', 'a', 'b', 'own', 'own', 'own'].map(async (name) => getReason(await lambda.invoke(name, {}))),
  )
  release()
  assert.deepEqual(await outcomes, [
    ...['ran', 'ran', 'ran', 'ConcurrentInvocationLimitExceeded'],
    ...['ran', 'ran', 'ReservedFunctionConcurrentInvocationLimitExceeded'],
  ])
  assert.equal(getReason(await lambda.invoke('b', {})), 'ran', 'ended invocations leave their place')
})

test('Lambda runs 1500 invocations at once without a concurrency quota, and refuses reservations above a quota', async () => {
  const { lambda, release } = makeAccount(undefined, {})
  const outcomes = Promise.all(Array.from({ length: 1500 }, () => lambda.invoke('a', {})))
  release()
  assert.ok((await outcomes).every(({ ok }) => ok))
  assert.throws(() => makeAccount(5, { own: 6 }), /6 executions are reserved, but the account has 5/)
})

test('the HTTP API answers 503 with Retry-After for a throttled function', async (t) => {
  t.after(closeServers)
  const { lambda, release } = makeAccount(1, {})
  const url = await serve(
    createServer(
      createHttpApi({ lambda, routes: [{ key: '$default', functionName: 'a' }], streamedFunctions: [], log }),
    ),
  )
  const runningInvocation = lambda.invoke('b', {})
  const response = await fetch(url)
  assert.deepEqual([response.status, Number(response.headers.get('retry-after')) > 0], [503, true])
  release()
  assert.ok((await runningInvocation).ok)
})

test('PutEvents above its rate limit fails with ThrottlingException, and later requests succeed', async (t) => {
  const { events } = await startTestEvents(t, undefined, 0, { putEventsPerS: 0.5 })
  const put = () =>
    events
      .send(new PutEventsCommand({ Entries: [{ Source: 'test', DetailType: 'test', Detail: '{}' }] }))
      .then(() => 'accepted')
      .catch(({ name }: Error) => name)
  const outcomes = await Promise.all([put(), put(), put()])
  assert.deepEqual(outcomes.toSorted(), ['ThrottlingException', 'ThrottlingException', 'accepted'])
  await sleep(1500)
  assert.equal(await put(), 'accepted')
})

test("a rate limit allows a burst of one second's requests and refills evenly", () => {
  let nowMs = 0
  const rate = new RateLimit(1000, () => nowMs)
  rate.take('a', 1500)
  assert.deepEqual([rate.hasTokens('a'), rate.hasTokens('b')], [false, true])
  nowMs = 500
  assert.equal(rate.hasTokens('a'), false)
  nowMs = 501
  assert.equal(rate.hasTokens('a'), true)
  nowMs = 60_000
  rate.take('a', 1000)
  assert.equal(rate.hasTokens('a'), false, 'unused tokens of earlier seconds are lost')
})

test('each AWS quota names its service and has a positive value', () => {
  for (const [name, { value, source }] of Object.entries({ ...quotas, ...accountQuotas })) {
    assert.match(source, /^(Lambda|API Gateway, HTTP API|SQS|EventBridge|DynamoDB): \w/, name)
    assert.ok(value > 0, name)
  }
})
