import assert from 'node:assert/strict'
import test from 'node:test'
import {
  type EventBridgeClient,
  PutEventsCommand,
  PutRuleCommand,
  PutTargetsCommand,
  type Target,
} from '@aws-sdk/client-eventbridge'
import { entry, q } from './requests.ts'
import { queueArn, startTestEvents } from './start-events.ts'

const deadLetterArn = queueArn('dead')
const createFailure = (name: string) => () => Object.assign(new Error(`${name} happened`), { name })

async function createRule(events: EventBridgeClient, ...targets: Omit<Target, 'Id'>[]): Promise<void> {
  await events.send(new PutRuleCommand({ Name: 'rule', EventPattern: '{"source":["my.app"]}' }))
  const Targets = targets.map((target, index) => ({ Id: `${index}`, ...target }))
  await events.send(new PutTargetsCommand({ Rule: 'rule', Targets }))
}

const put = (events: EventBridgeClient) => events.send(new PutEventsCommand({ Entries: [entry] }))

test('the median time from PutEvents to the delivery of an event is below 100 ms', async (t) => {
  const { events, inbox } = await startTestEvents(t)
  await createRule(events, { Arn: q })
  const times: number[] = []
  for (let round = 1; round <= 20; round++) {
    const startedAtMs = performance.now()
    await put(events)
    await inbox.messages(q, round)
    times.push(performance.now() - startedAtMs)
  }
  const medianMs = times.sort((a, b) => a - b)[10] ?? 0
  assert.ok(medianMs < 100, `the median is ${medianMs} ms`)
})

test('delivery of an event to a failing target is retried until the target accepts the event', async (t) => {
  const { events, inbox } = await startTestEvents(t)
  await createRule(events, { Arn: q })
  inbox.refuse.set(q, createFailure('ServiceUnavailable'))
  await put(events)
  await inbox.waitForAttempts(q, 2)
  inbox.refuse.clear()
  assert.equal((await inbox.messages(q)).length, 1)
})

test('a delivery retry that becomes due while the event outbox is checked is not missed', {
  timeout: 20_000,
}, async (t) => {
  const { events, inbox } = await startTestEvents(t, '2026-01-01T00:00:00Z', 40)
  await createRule(events, { Arn: q })
  for (let round = 1; round <= 10; round++) {
    inbox.refuse.set(q, createFailure('ServiceUnavailable'))
    await put(events)
    await inbox.waitForAttempts(q, 2 * round - 1)
    inbox.refuse.clear()
    await inbox.messages(q, round)
  }
})

test('an event whose delivery failed twice before a restart is delivered at the first attempt after the restart', async (t) => {
  const { events, inbox, moveTo, restart } = await startTestEvents(t, '2026-01-01T00:00:00Z')
  await createRule(events, { Arn: q })
  inbox.refuse.set(q, createFailure('ServiceUnavailable'))
  await put(events)
  await inbox.waitForAttempts(q, 1)
  moveTo('2026-01-01T00:00:01Z')
  await inbox.waitForAttempts(q, 2)
  inbox.refuse.clear()
  await restart('2026-01-01T00:00:10Z')
  await inbox.messages(q)
  assert.equal(inbox.attempts.length, 3)
})

test('an event that its target never accepts moves to the dead-letter queue with the reason', async (t) => {
  const { events, inbox } = await startTestEvents(t)
  await createRule(events, {
    Arn: q,
    Input: '"changed"',
    RetryPolicy: { MaximumRetryAttempts: 1 },
    DeadLetterConfig: { Arn: deadLetterArn },
  })
  inbox.refuse.set(q, createFailure('ThrottlingException'))
  await put(events)
  const [deadLetter] = await inbox.messages(deadLetterArn)
  assert.deepEqual(JSON.parse(deadLetter?.body ?? '').detail, { n: 1 })
  assert.deepEqual(deadLetter?.options.attributes, {
    ERROR_CODE: 'THROTTLING',
    ERROR_MESSAGE: 'ThrottlingException happened',
    EXHAUSTED_RETRY_CONDITION: 'MaximumRetryAttempts',
    RETRY_ATTEMPTS: '1',
    RULE_ARN: 'arn:aws:events:eu-central-1:000000000000:rule/rule',
    TARGET_ARN: q,
  })
})

test('an event older than its maximum age moves to the dead-letter queue', async (t) => {
  const { events, inbox, moveTo } = await startTestEvents(t, '2026-01-01T00:00:00Z')
  await createRule(events, {
    Arn: q,
    RetryPolicy: { MaximumEventAgeInSeconds: 60 },
    DeadLetterConfig: { Arn: deadLetterArn },
  })
  inbox.refuse.set(q, createFailure('ServiceUnavailable'))
  await put(events)
  await inbox.waitForAttempts(q, 1)
  moveTo('2026-01-01T00:01:00Z')
  const [deadLetter] = await inbox.messages(deadLetterArn)
  assert.equal(deadLetter?.options.attributes?.['EXHAUSTED_RETRY_CONDITION'], 'MaximumEventAgeInSeconds')
  assert.equal(deadLetter?.options.attributes?.['ERROR_CODE'], 'SDK_CLIENT_ERROR')
})

test('delivery of an event to a target that does not exist is not retried', async (t) => {
  const { events, inbox, logs } = await startTestEvents(t)
  await createRule(events, { Arn: q, DeadLetterConfig: { Arn: deadLetterArn } }, { Arn: queueArn('gone') })
  inbox.refuse.set(q, createFailure('QueueDoesNotExist'))
  inbox.refuse.set(queueArn('gone'), createFailure('QueueDoesNotExist'))
  await put(events)
  const [deadLetter] = await inbox.messages(deadLetterArn)
  assert.equal(deadLetter?.options.attributes?.['ERROR_CODE'], 'NO_RESOURCE')
  assert.equal(deadLetter?.options.attributes?.['RETRY_ATTEMPTS'], '0')
  assert.equal('EXHAUSTED_RETRY_CONDITION' in (deadLetter?.options.attributes ?? {}), false)
  assert.equal(inbox.attempts.filter((arn) => arn === q).length, 1)
  assert.deepEqual(
    logs.map(({ message }) => message),
    ['An event could not be delivered and is dropped.'],
  )
})

test('an unresponsive event target does not delay other targets', async (t) => {
  const { events, inbox } = await startTestEvents(t)
  await createRule(events, { Arn: queueArn('stuck') }, { Arn: q })
  const heldDelivery = Promise.withResolvers<void>()
  inbox.hold.set(queueArn('stuck'), heldDelivery.promise)
  for (let round = 0; round < 10; round++)
    await events.send(new PutEventsCommand({ Entries: Array.from({ length: 10 }, () => entry) }))
  await inbox.messages(q, 100)
  assert.equal(inbox.attempts.filter((arn) => arn === queueArn('stuck')).length, 16)
  heldDelivery.resolve()
})
