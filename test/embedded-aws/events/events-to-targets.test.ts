import assert from 'node:assert/strict'
import test from 'node:test'
import {
  CreateEventBusCommand,
  DisableRuleCommand,
  PutEventsCommand,
  PutRuleCommand,
  PutTargetsCommand,
  TestEventPatternCommand,
} from '@aws-sdk/client-eventbridge'
import { createExpectedError, createRuleWithTarget, entry, q } from './requests.ts'
import { busArn, functionArn, queueArn, region, startTestEvents, type TestEvents } from './start-events.ts'

async function deliverAndReadBody(embedded: TestEvents, target: object, detail: object): Promise<string> {
  await createRuleWithTarget(embedded.events, target)
  await embedded.events.send(
    new PutEventsCommand({ Entries: [{ ...entry, Detail: JSON.stringify(detail) }] }),
  )
  const [message] = await embedded.inbox.messages(q)
  assert.ok(message)
  return message.body
}

test('PutEvents reports the outcome of each entry, and an accepted entry reaches its target as an event', async (t) => {
  const { events, inbox } = await startTestEvents(t)
  await createRuleWithTarget(events, {})
  const response = await events.send(
    new PutEventsCommand({
      Entries: [
        { ...entry, Source: undefined },
        { ...entry, DetailType: undefined },
        { ...entry, Detail: undefined },
        { ...entry, Detail: '["a"]' },
        { ...entry, Detail: '{' },
        { ...entry, Source: 'aws.s3' },
        { ...entry, EventBusName: 'nope' },
        {
          ...entry,
          Detail: ' {"big":12345678901234567890,"n":1.0} ',
          Time: new Date('2026-01-02T03:04:05.678Z'),
          Resources: ['r'],
        },
      ],
    }),
  )
  assert.equal(response.FailedEntryCount, 6)
  assert.deepEqual(
    response.Entries?.map(({ ErrorCode }) => ErrorCode),
    [
      'InvalidArgument',
      'InvalidArgument',
      'InvalidArgument',
      'MalformedDetail',
      'MalformedDetail',
      'NotAuthorizedForSourceException',
      undefined,
      undefined,
    ],
  )
  assert.equal(
    response.Entries?.[0]?.ErrorMessage,
    'Parameter Source is not valid. Reason: Source is a required argument.',
  )
  const [message] = await inbox.messages(q)
  assert.equal(
    message?.body,
    `{"version":"0","id":"${response.Entries?.[7]?.EventId}","detail-type":"made","source":"my.app","account":"000000000000","time":"2026-01-02T03:04:05Z","region":"${region}","resources":["r"],"detail":{"big":12345678901234567890,"n":1.0}}`,
  )
})

test('PutEvents refuses entries of more than 1 MiB in total', async (t) => {
  const { events } = await startTestEvents(t)
  const half = { ...entry, Detail: JSON.stringify({ x: 'y'.repeat(524_300) }) }
  await assert.rejects(
    events.send(new PutEventsCommand({ Entries: [half, half] })),
    createExpectedError('ValidationException', 'Total size of the entries in the request is over the limit.'),
  )
  const reply = await events.send(new PutEventsCommand({ Entries: [half] }))
  assert.equal(reply.FailedEntryCount, 0)
})

test('an event is not delivered by disabled rules or by rules of other event buses', async (t) => {
  const { events, inbox } = await startTestEvents(t)
  await events.send(new CreateEventBusCommand({ Name: 'orders' }))
  await createRuleWithTarget(events, { Arn: queueArn('disabled') }, 'disabled')
  await events.send(new DisableRuleCommand({ Name: 'disabled' }))
  await createRuleWithTarget(events, { Arn: queueArn('other') }, 'other', 'orders')
  await createRuleWithTarget(events, {})
  await events.send(new PutEventsCommand({ Entries: [entry] }))
  await inbox.messages(q)
  assert.deepEqual(inbox.attempts, [q])
})

const inputs: Readonly<Record<string, readonly [target: object, expected: string]>> = {
  'a constant input': [{ Input: '{ "a": 1 }' }, '{ "a": 1 }'],
  'an object from the event': [{ InputPath: '$.detail.nested' }, '{"name":"x \\"y\\""}'],
  'a string from the event': [{ InputPath: '$.detail.nested.name' }, '"x \\"y\\""'],
  'one element of an array from the event': [{ InputPath: '$.detail.list[1].k' }, '2'],
  'a field of each element of an array from the event': [{ InputPath: '$.detail.list[*].k' }, '[1,2]'],
  'null for an input path that does not exist': [{ InputPath: '$.detail.nope' }, 'null'],
  'a text template with its variables filled in': [
    {
      InputTransformer: {
        InputPathsMap: { n: '$.detail.nested.name', x: '$.detail.nope' },
        InputTemplate: '"<n> and <x>."',
      },
    },
    '"x \\"y\\" and ."',
  ],
  'a JSON template with its variables filled in': [
    {
      InputTransformer: {
        InputPathsMap: {
          n: '$.detail.nested.name',
          d: '$.detail.nested',
          x: '$.detail.nope',
          c: '$.detail.count',
        },
        InputTemplate: '{"n": <n>, "said \\"": "<n>!", "d": <d>, "x": <x>, "c": <c>, "cs": "<c>"}',
      },
    },
    '{"n": "x \\"y\\"", "said \\"": "x \\"y\\"!", "d": {"name":"x \\"y\\""}, "x": "", "c": 7, "cs": "7"}',
  ],
  'the predefined variables for its name and ARN': [
    { InputTransformer: { InputTemplate: '"<aws.events.rule-name> <aws.events.rule-arn>"' } },
    `"rule arn:aws:events:${region}:000000000000:rule/rule"`,
  ],
}

for (const [name, [target, expectedInput]] of Object.entries(inputs))
  test(`an event rule delivers ${name} to its target`, async (t) => {
    const detail = { nested: { name: 'x "y"' }, list: [{ k: 1 }, { k: 2 }], count: 7 }
    assert.equal(await deliverAndReadBody(await startTestEvents(t), target, detail), expectedInput)
  })

test('an input template of an event target can contain the whole event', async (t) => {
  const template =
    '{"event": <aws.events.event>, "json": <aws.events.event.json>, "at": <aws.events.event.ingestion-time>}'
  const body = await deliverAndReadBody(
    await startTestEvents(t),
    { InputTransformer: { InputTemplate: template } },
    { n: 1 },
  )
  const { event, json, at } = JSON.parse(body)
  assert.deepEqual(json.detail, { n: 1 })
  assert.equal(event.detailType, 'made')
  assert.equal(event.id, json.id)
  assert.equal('detail' in event, false)
  assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
})

test('an event is sent to a Lambda target as a JSON object, and to a FIFO queue target with its message group ID', async (t) => {
  const { events, inbox } = await startTestEvents(t)
  await createRuleWithTarget(events, { Arn: functionArn('f') })
  const fifoArn = `${q}.fifo`
  await createRuleWithTarget(events, { Arn: fifoArn, SqsParameters: { MessageGroupId: 'g' } }, 'fifo')
  await events.send(new PutEventsCommand({ Entries: [entry] }))
  const [call] = await inbox.messages(functionArn('f'))
  assert.equal(JSON.parse(call?.body ?? '').detail.n, 1)
  const [message] = await inbox.messages(fifoArn)
  assert.deepEqual(message?.options, { messageGroupId: 'g' })
})

test('an event that loops between event buses is forwarded until it has passed 8 buses', async (t) => {
  const { events, inbox } = await startTestEvents(t)
  await events.send(new CreateEventBusCommand({ Name: 'next' }))
  await createRuleWithTarget(events, { Arn: busArn('next'), DeadLetterConfig: { Arn: queueArn('dead') } })
  await createRuleWithTarget(
    events,
    { Arn: busArn('default'), DeadLetterConfig: { Arn: queueArn('dead') } },
    'back',
    'next',
  )
  await createRuleWithTarget(events, {}, 'out', 'next')
  await events.send(new PutEventsCommand({ Entries: [entry] }))
  const [deadLetter] = await inbox.messages(queueArn('dead'))
  assert.equal(deadLetter?.options.attributes?.['ERROR_MESSAGE'], 'The event has passed 8 event buses.')
  assert.equal((await inbox.messages(q)).length, 4)
})

test('TestEventPattern reports whether an event matches the pattern, and refuses an invalid event', async (t) => {
  const { events } = await startTestEvents(t)
  const event = {
    id: '1',
    source: 'order',
    'detail-type': 'Test',
    account: '000000000000',
    region,
    time: '2022-07-13T13:48:01Z',
  }
  const testPattern = (pattern: object, givenEvent: unknown = event) =>
    events.send(
      new TestEventPatternCommand({
        EventPattern: JSON.stringify(pattern),
        Event: JSON.stringify(givenEvent),
      }),
    )
  assert.equal((await testPattern({ source: ['order'] })).Result, true)
  assert.equal((await testPattern({ source: ['shipment'] })).Result, false)
  await assert.rejects(
    testPattern({ a: [1] }, 'text'),
    createExpectedError('ValidationException', 'Parameter Event is not valid.'),
  )
  await assert.rejects(
    testPattern({ a: [1] }, { id: '1' }),
    createExpectedError('ValidationException', 'Parameter Event is not valid.'),
  )
})

test('a scheduled rule sends its target an event with the time of the run', async (t) => {
  const { events, inbox, moveTo } = await startTestEvents(t, '2026-01-01T00:00:30Z')
  await events.send(new PutRuleCommand({ Name: 'tick', ScheduleExpression: 'rate(1 minute)' }))
  await events.send(new PutTargetsCommand({ Rule: 'tick', Targets: [{ Id: 'one', Arn: q }] }))
  moveTo('2026-01-01T00:01:29Z')
  assert.equal(inbox.attempts.length, 0)
  moveTo('2026-01-01T00:01:30Z')
  const [message] = await inbox.messages(q)
  const { id: _, ...event } = JSON.parse(message?.body ?? '')
  assert.deepEqual(event, {
    version: '0',
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account: '000000000000',
    time: '2026-01-01T00:01:30Z',
    region,
    resources: [`arn:aws:events:${region}:000000000000:rule/tick`],
    detail: {},
  })
  moveTo('2026-01-01T00:02:30Z')
  assert.equal((await inbox.messages(q, 2)).length, 2)
})
