import assert from 'node:assert/strict'
import test from 'node:test'
import {
  CreateEventBusCommand,
  DeleteEventBusCommand,
  DeleteRuleCommand,
  DescribeEventBusCommand,
  DescribeRuleCommand,
  DisableRuleCommand,
  EnableRuleCommand,
  EventBridgeClient,
  ListArchivesCommand,
  ListEventBusesCommand,
  ListRuleNamesByTargetCommand,
  ListRulesCommand,
  ListTagsForResourceCommand,
  ListTargetsByRuleCommand,
  PutEventsCommand,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
  TagResourceCommand,
  TestEventPatternCommand,
  UntagResourceCommand,
  UpdateEventBusCommand,
} from '@aws-sdk/client-eventbridge'
import {
  busArn,
  credentials,
  type Embedded,
  embed,
  functionArn,
  queueArn,
  region,
} from './embedded-events.ts'

const anySource = JSON.stringify({ source: [{ exists: true }] })
const entry = { Source: 'my.app', DetailType: 'made', Detail: '{"n":1}' }
const q = queueArn('q')

const refusal = (name: string, message: string | RegExp) => ({ name, message })

async function ruleTo(
  events: EventBridgeClient,
  target: object,
  rule = 'rule',
  bus = 'default',
): Promise<void> {
  await events.send(new PutRuleCommand({ Name: rule, EventBusName: bus, EventPattern: anySource }))
  const Targets = [{ Id: 'one', Arn: q, ...target }]
  await events.send(new PutTargetsCommand({ Rule: rule, EventBusName: bus, Targets }))
}

async function bodyFor(embedded: Embedded, target: object, detail: object): Promise<string> {
  await ruleTo(embedded.events, target)
  await embedded.events.send(
    new PutEventsCommand({ Entries: [{ ...entry, Detail: JSON.stringify(detail) }] }),
  )
  const [message] = await embedded.inbox.messages(q)
  assert.ok(message)
  return message.body
}

test('event buses are made, described, changed, listed in pages and deleted', async (t) => {
  const { events } = await embed(t)
  const made = await events.send(new CreateEventBusCommand({ Name: 'orders', Description: 'all of them' }))
  assert.equal(made.EventBusArn, busArn('orders'))
  await assert.rejects(
    events.send(new CreateEventBusCommand({ Name: 'orders' })),
    refusal('ResourceAlreadyExistsException', 'Event bus orders already exists.'),
  )
  const described = await events.send(new DescribeEventBusCommand({ Name: busArn('orders') }))
  assert.equal(described.Name, 'orders')
  assert.equal(described.Description, 'all of them')
  assert.ok(described.CreationTime instanceof Date)
  await events.send(new UpdateEventBusCommand({ Name: 'orders', Description: 'some' }))
  const first = await events.send(new ListEventBusesCommand({ Limit: 1 }))
  assert.deepEqual(
    first.EventBuses?.map((bus) => bus.Name),
    ['default'],
  )
  const second = await events.send(new ListEventBusesCommand({ Limit: 1, NextToken: first.NextToken }))
  assert.equal(second.EventBuses?.[0]?.Description, 'some')
  assert.equal(second.NextToken, undefined)
  await assert.rejects(
    events.send(new DeleteEventBusCommand({ Name: 'default' })),
    refusal('ValidationException', 'Cannot delete event bus default.'),
  )
  await events.send(new DeleteEventBusCommand({ Name: 'orders' }))
  await events.send(new DeleteEventBusCommand({ Name: 'orders' }))
  await assert.rejects(
    events.send(new DescribeEventBusCommand({ Name: 'orders' })),
    refusal('ResourceNotFoundException', 'Event bus orders does not exist.'),
  )
})

test('rules are put, described, switched, listed and deleted', async (t) => {
  const { events } = await embed(t)
  await events.send(new CreateEventBusCommand({ Name: 'orders' }))
  const onDefault = await events.send(new PutRuleCommand({ Name: 'a', EventPattern: anySource }))
  assert.equal(onDefault.RuleArn, `arn:aws:events:${region}:000000000000:rule/a`)
  const made = await events.send(
    new PutRuleCommand({ Name: 'b', EventBusName: 'orders', EventPattern: anySource, Description: 'd' }),
  )
  assert.equal(made.RuleArn, `arn:aws:events:${region}:000000000000:rule/orders/b`)
  await events.send(new DisableRuleCommand({ Name: 'b', EventBusName: busArn('orders') }))
  const { $metadata: _, ...rule } = await events.send(
    new DescribeRuleCommand({ Name: 'b', EventBusName: 'orders' }),
  )
  assert.deepEqual(rule, {
    Name: 'b',
    Arn: made.RuleArn,
    EventPattern: anySource,
    State: 'DISABLED',
    Description: 'd',
    EventBusName: 'orders',
    CreatedBy: '000000000000',
  })
  await events.send(new EnableRuleCommand({ Name: 'b', EventBusName: 'orders' }))
  await events.send(new PutRuleCommand({ Name: 'b', EventBusName: 'orders', EventPattern: anySource }))
  const listed = await events.send(new ListRulesCommand({ EventBusName: 'orders', NamePrefix: 'b' }))
  assert.equal(listed.Rules?.length, 1)
  assert.equal(listed.Rules?.[0]?.State, 'ENABLED')
  assert.equal(listed.Rules?.[0]?.Description, undefined, 'what a second PutRule leaves out is gone')
  await assert.rejects(
    events.send(new DeleteEventBusCommand({ Name: 'orders' })),
    refusal('ValidationException', 'Cannot delete event bus orders. It still has rules.'),
  )
  await events.send(new DeleteRuleCommand({ Name: 'b', EventBusName: 'orders' }))
  await assert.rejects(
    events.send(new DescribeRuleCommand({ Name: 'b' })),
    refusal('ResourceNotFoundException', 'Rule b does not exist on EventBus default.'),
  )
})

test('a rule needs a pattern or a schedule, and a schedule needs the default bus', async (t) => {
  const { events } = await embed(t)
  await events.send(new CreateEventBusCommand({ Name: 'orders' }))
  const put = (members: object) => events.send(new PutRuleCommand({ Name: 'r', ...members }))
  await assert.rejects(
    put({}),
    refusal('ValidationException', 'Parameter(s) EventPattern or ScheduleExpression must be specified.'),
  )
  await assert.rejects(
    put({ ScheduleExpression: 'rate(1 minute)', EventBusName: 'orders' }),
    refusal('ValidationException', 'ScheduleExpression is supported only on the default event bus.'),
  )
  for (const ScheduleExpression of ['rate(1 minutes)', 'at(2030-01-01T00:00:00)', 'cron(x)'])
    await assert.rejects(
      put({ ScheduleExpression }),
      refusal('ValidationException', 'Parameter ScheduleExpression is not valid.'),
    )
  await assert.rejects(
    put({ EventPattern: '{"a":[]}' }),
    refusal(
      'InvalidEventPatternException',
      'Event pattern is not valid. Reason: Empty arrays are not allowed',
    ),
  )
  await assert.rejects(
    put({ EventPattern: anySource, EventBusName: 'nope' }),
    refusal('ResourceNotFoundException', 'Event bus nope does not exist.'),
  )
})

test('violations of a shape are told together, in the words of AWS', async (t) => {
  const { events } = await embed(t)
  const long = `${'x'.repeat(64)}!`
  await assert.rejects(
    // What is not in the type is what a stranger's client may send.
    events.send(new PutRuleCommand({ Name: long, State: 'MAYBE' as 'ENABLED' })),
    refusal(
      'ValidationException',
      `3 validation errors detected: Value '${long}' at 'name' failed to satisfy constraint: Member must have length less than or equal to 64; Value '${long}' at 'name' failed to satisfy constraint: Member must satisfy regular expression pattern: [\\.\\-_A-Za-z0-9]+; Value 'MAYBE' at 'state' failed to satisfy constraint: Member must satisfy enum value set: [ENABLED, DISABLED, ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS]`,
    ),
  )
  await events.send(new PutRuleCommand({ Name: 'r', EventPattern: anySource }))
  await assert.rejects(
    events.send(new PutTargetsCommand({ Rule: 'r', Targets: [{ Id: '!@#', Arn: q }] })),
    refusal(
      'ValidationException',
      "1 validation error detected: Value '!@#' at 'targets.1.member.id' failed to satisfy constraint: Member must satisfy regular expression pattern: [\\.\\-_A-Za-z0-9]+",
    ),
  )
  await assert.rejects(
    events.send(new PutEventsCommand({ Entries: Array.from({ length: 11 }, () => entry) })),
    refusal(
      'ValidationException',
      /at 'entries' failed to satisfy constraint: Member must have length less than or equal to 10$/,
    ),
  )
})

test('targets are put, listed, found by their ARN and removed; five are the most', async (t) => {
  const { events } = await embed(t)
  await ruleTo(events, {})
  const more = ['two', 'three', 'four', 'five'].map((Id) => ({ Id, Arn: functionArn('f') }))
  const put = await events.send(new PutTargetsCommand({ Rule: 'rule', Targets: more }))
  assert.equal(put.FailedEntryCount, 0)
  await assert.rejects(
    events.send(new PutTargetsCommand({ Rule: 'rule', Targets: [{ Id: 'six', Arn: q }] })),
    refusal('LimitExceededException', 'The requested resource exceeds the maximum number allowed.'),
  )
  await assert.rejects(
    events.send(new DeleteRuleCommand({ Name: 'rule' })),
    refusal('ValidationException', "Rule can't be deleted since it has targets."),
  )
  const page = await events.send(new ListTargetsByRuleCommand({ Rule: 'rule', Limit: 3 }))
  const rest = await events.send(new ListTargetsByRuleCommand({ Rule: 'rule', NextToken: page.NextToken }))
  assert.deepEqual(
    [...(page.Targets ?? []), ...(rest.Targets ?? [])].map((target) => target.Id),
    ['five', 'four', 'one', 'three', 'two'],
  )
  const names = await events.send(new ListRuleNamesByTargetCommand({ TargetArn: functionArn('f') }))
  assert.deepEqual(names.RuleNames, ['rule'])
  await events.send(new RemoveTargetsCommand({ Rule: 'rule', Ids: ['one', ...more.map(({ Id }) => Id)] }))
  await events.send(new DeleteRuleCommand({ Name: 'rule' }))
  await assert.rejects(
    events.send(new PutTargetsCommand({ Rule: 'rule', Targets: more })),
    refusal('ResourceNotFoundException', 'Rule rule does not exist on EventBus default.'),
  )
})

test('a target that could not be served is refused when it is put', async (t) => {
  const { events } = await embed(t)
  await events.send(new PutRuleCommand({ Name: 'r', EventPattern: anySource }))
  const put = (target: object) =>
    events.send(new PutTargetsCommand({ Rule: 'r', Targets: [{ Id: 'one', Arn: q, ...target }] }))
  const refused: [object, string | RegExp][] = [
    [{ Arn: 'nonsense' }, 'Parameter nonsense is not valid. Reason: Provided Arn is not in correct format.'],
    [{ Arn: `arn:aws:sns:${region}:000000000000:t` }, /sns targets are not supported here; use an SQS queue/],
    [
      { Arn: `arn:aws:events:us-east-1:000000000000:event-bus/b` },
      /Only event buses of this account and region/,
    ],
    [{ Arn: `${q}.fifo` }, 'Parameter(s) SqsParameters must be specified for target: one.'],
    [{ Input: '{' }, 'JSON syntax error in input for target one'],
    [{ InputPath: 'detail' }, 'Invalid InputPath for target one.'],
    [
      { Input: '{}', InputPath: '$.detail' },
      'Only one of Input, InputPath, or InputTransformer must be provided for target one.',
    ],
    [
      { InputTransformer: { InputPathsMap: { a: '$.id' }, InputTemplate: '"<a> <b>"' } },
      'InputTemplate for target one contains invalid placeholder b.',
    ],
    [
      { KinesisParameters: { PartitionKeyPath: '$' } },
      'KinesisParameters is not supported by this server. Leave it out.',
    ],
    [{ DeadLetterConfig: { Arn: `${q}.fifo` } }, /A dead-letter queue is a standard SQS queue/],
    [{ RetryPolicy: { MaximumRetryAttempts: 186 } }, /Member must have value less than or equal to 185$/],
  ]
  for (const [target, message] of refused)
    await assert.rejects(put(target), refusal('ValidationException', message))
})

test('PutEvents answers for each entry, and what is accepted reaches the target as an event', async (t) => {
  const { events, inbox } = await embed(t)
  await ruleTo(events, {})
  const answer = await events.send(
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
  assert.equal(answer.FailedEntryCount, 6)
  assert.deepEqual(
    answer.Entries?.map(({ ErrorCode }) => ErrorCode),
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
    answer.Entries?.[0]?.ErrorMessage,
    'Parameter Source is not valid. Reason: Source is a required argument.',
  )
  const [message] = await inbox.messages(q)
  assert.equal(
    message?.body,
    `{"version":"0","id":"${answer.Entries?.[7]?.EventId}","detail-type":"made","source":"my.app","account":"000000000000","time":"2026-01-02T03:04:05Z","region":"${region}","resources":["r"],"detail":{"big":12345678901234567890,"n":1.0}}`,
  )
})

test('entries of 1 MB together are refused', async (t) => {
  const { events } = await embed(t)
  const half = { ...entry, Detail: JSON.stringify({ x: 'y'.repeat(524_300) }) }
  await assert.rejects(
    events.send(new PutEventsCommand({ Entries: [half, half] })),
    refusal('ValidationException', 'Total size of the entries in the request is over the limit.'),
  )
  const one = await events.send(new PutEventsCommand({ Entries: [half] }))
  assert.equal(one.FailedEntryCount, 0)
})

test('a disabled rule and a rule of another bus get nothing', async (t) => {
  const { events, inbox } = await embed(t)
  await events.send(new CreateEventBusCommand({ Name: 'orders' }))
  await ruleTo(events, { Arn: queueArn('disabled') }, 'disabled')
  await events.send(new DisableRuleCommand({ Name: 'disabled' }))
  await ruleTo(events, { Arn: queueArn('other') }, 'other', 'orders')
  await ruleTo(events, {})
  await events.send(new PutEventsCommand({ Entries: [entry] }))
  await inbox.messages(q)
  assert.deepEqual(inbox.attempts, [q])
})

const inputs: Readonly<Record<string, readonly [target: object, expected: string]>> = {
  'a constant': [{ Input: '{ "a": 1 }' }, '{ "a": 1 }'],
  'an object of the event': [{ InputPath: '$.detail.deep' }, '{"name":"x \\"y\\""}'],
  'a string of the event': [{ InputPath: '$.detail.deep.name' }, '"x \\"y\\""'],
  'an element of a list': [{ InputPath: '$.detail.list[1].k' }, '2'],
  'a field of all elements': [{ InputPath: '$.detail.list[*].k' }, '[1,2]'],
  'nothing, where the path leads nowhere': [{ InputPath: '$.detail.nope' }, 'null'],
  'text with variables': [
    {
      InputTransformer: {
        InputPathsMap: { n: '$.detail.deep.name', x: '$.detail.nope' },
        InputTemplate: '"<n> and <x>."',
      },
    },
    '"x \\"y\\" and ."',
  ],
  'JSON with variables': [
    {
      InputTransformer: {
        InputPathsMap: {
          n: '$.detail.deep.name',
          d: '$.detail.deep',
          x: '$.detail.nope',
          c: '$.detail.count',
        },
        InputTemplate: '{"n": <n>, "said \\"": "<n>!", "d": <d>, "x": <x>, "c": <c>, "cs": "<c>"}',
      },
    },
    '{"n": "x \\"y\\"", "said \\"": "x \\"y\\"!", "d": {"name":"x \\"y\\""}, "x": "", "c": 7, "cs": "7"}',
  ],
  'the variables that are always there': [
    { InputTransformer: { InputTemplate: '"<aws.events.rule-name> <aws.events.rule-arn>"' } },
    `"rule arn:aws:events:${region}:000000000000:rule/rule"`,
  ],
}

for (const [name, [target, expected]] of Object.entries(inputs))
  test(`a target gets ${name}`, async (t) => {
    const detail = { deep: { name: 'x "y"' }, list: [{ k: 1 }, { k: 2 }], count: 7 }
    assert.equal(await bodyFor(await embed(t), target, detail), expected)
  })

test('a template can carry the whole event', async (t) => {
  const template =
    '{"event": <aws.events.event>, "json": <aws.events.event.json>, "at": <aws.events.event.ingestion-time>}'
  const body = await bodyFor(await embed(t), { InputTransformer: { InputTemplate: template } }, { n: 1 })
  const { event, json, at } = JSON.parse(body)
  assert.deepEqual(json.detail, { n: 1 })
  assert.equal(event.detailType, 'made')
  assert.equal(event.id, json.id)
  assert.equal('detail' in event, false)
  assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
})

test('a function gets the event as an object, a FIFO queue its group', async (t) => {
  const { events, inbox } = await embed(t)
  await ruleTo(events, { Arn: functionArn('f') })
  const fifo = `${q}.fifo`
  await ruleTo(events, { Arn: fifo, SqsParameters: { MessageGroupId: 'g' } }, 'fifo')
  await events.send(new PutEventsCommand({ Entries: [entry] }))
  const [call] = await inbox.messages(functionArn('f'))
  assert.equal(JSON.parse(call?.body ?? '').detail.n, 1)
  const [message] = await inbox.messages(fifo)
  assert.deepEqual(message?.options, { messageGroupId: 'g' })
})

test('an event goes on to another bus, and one that runs in a circle ends', async (t) => {
  const { events, inbox } = await embed(t)
  await events.send(new CreateEventBusCommand({ Name: 'next' }))
  await ruleTo(events, { Arn: busArn('next'), DeadLetterConfig: { Arn: queueArn('dead') } })
  await ruleTo(
    events,
    { Arn: busArn('default'), DeadLetterConfig: { Arn: queueArn('dead') } },
    'back',
    'next',
  )
  await ruleTo(events, {}, 'out', 'next')
  await events.send(new PutEventsCommand({ Entries: [entry] }))
  const [letter] = await inbox.messages(queueArn('dead'))
  assert.equal(letter?.options.attributes?.['ERROR_MESSAGE'], 'The event has passed 8 event buses.')
  assert.equal((await inbox.messages(q)).length, 4)
})

test('TestEventPattern tells whether a pattern holds, and refuses what is no event', async (t) => {
  const { events } = await embed(t)
  const event = {
    id: '1',
    source: 'order',
    'detail-type': 'Test',
    account: '000000000000',
    region,
    time: '2022-07-13T13:48:01Z',
  }
  const tested = (pattern: object, given: unknown = event) =>
    events.send(
      new TestEventPatternCommand({ EventPattern: JSON.stringify(pattern), Event: JSON.stringify(given) }),
    )
  assert.equal((await tested({ source: ['order'] })).Result, true)
  assert.equal((await tested({ source: ['shipment'] })).Result, false)
  await assert.rejects(
    tested({ a: [1] }, 'text'),
    refusal('ValidationException', 'Parameter Event is not valid.'),
  )
  await assert.rejects(
    tested({ a: [1] }, { id: '1' }),
    refusal('ValidationException', 'Parameter Event is not valid.'),
  )
})

test('rules and buses carry tags; a second PutRule leaves them as they are', async (t) => {
  const { events } = await embed(t)
  const { RuleArn } = await events.send(
    new PutRuleCommand({ Name: 'r', EventPattern: anySource, Tags: [{ Key: 'a', Value: '1' }] }),
  )
  await events.send(
    new PutRuleCommand({ Name: 'r', EventPattern: anySource, Tags: [{ Key: 'z', Value: '1' }] }),
  )
  for (const ResourceARN of [RuleArn, busArn('default')]) {
    await events.send(
      new TagResourceCommand({
        ResourceARN,
        Tags: [
          { Key: 'a', Value: '2' },
          { Key: 'b', Value: '' },
        ],
      }),
    )
    await events.send(new UntagResourceCommand({ ResourceARN, TagKeys: ['a'] }))
    const { Tags } = await events.send(new ListTagsForResourceCommand({ ResourceARN }))
    assert.deepEqual(Tags, [{ Key: 'b', Value: '' }])
  }
  await assert.rejects(
    events.send(new ListTagsForResourceCommand({ ResourceARN: `${RuleArn}x` })),
    refusal('ResourceNotFoundException', 'Rule rx does not exist on EventBus default.'),
  )
})

test('operations that are not served, and parameters without effect, are refused', async (t) => {
  const { events, endpoint } = await embed(t)
  await assert.rejects(events.send(new ListArchivesCommand({})), { name: 'UnknownOperationException' })
  await assert.rejects(
    events.send(new CreateEventBusCommand({ Name: 'b', KmsKeyIdentifier: 'k' })),
    refusal('ValidationException', 'KmsKeyIdentifier is not supported by this server. Leave it out.'),
  )
  const unsigned = await fetch(endpoint, {
    method: 'POST',
    headers: { 'x-amz-target': 'AWSEvents.ListRules' },
    body: '{}',
  })
  assert.equal(unsigned.status, 400)
  assert.deepEqual(await unsigned.json(), {
    __type: 'MissingAuthenticationTokenException',
    message: 'Missing Authentication Token',
  })
})

test('a request that turns out too large gets its refusal, not a broken connection', async (t) => {
  const { endpoint } = await embed(t)
  const half = new Uint8Array(3 << 20)
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { 'x-amz-target': 'AWSEvents.PutEvents' },
    // Without a length beforehand.
    body: ReadableStream.from([half, half]),
    duplex: 'half',
  } as RequestInit)
  assert.equal(response.status, 413)
  assert.equal(response.headers.get('x-amzn-errortype'), 'RequestEntityTooLargeException')
})

test('a wrong secret, an unknown key and a wrong region are refused', async (t) => {
  const { endpoint } = await embed(t)
  const wrong: [object, string][] = [
    [{ credentials: { ...credentials, secretAccessKey: 'x' } }, 'InvalidSignatureException'],
    [{ credentials: { ...credentials, accessKeyId: 'AKIDOTHER' } }, 'UnrecognizedClientException'],
    [{ region: 'us-east-1' }, 'InvalidSignatureException'],
  ]
  for (const [changed, name] of wrong) {
    const client = new EventBridgeClient({ endpoint, region, credentials, maxAttempts: 1, ...changed })
    await assert.rejects(client.send(new ListRulesCommand({})), { name })
    client.destroy()
  }
})

test('a rule with a schedule tells its targets the time', async (t) => {
  const { events, inbox, moveTo } = await embed(t, '2026-01-01T00:00:30Z')
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
