import assert from 'node:assert/strict'
import test from 'node:test'
import {
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  CreateScheduleGroupCommand,
  DeleteScheduleCommand,
  DeleteScheduleGroupCommand,
  GetScheduleCommand,
  GetScheduleGroupCommand,
  ListScheduleGroupsCommand,
  ListSchedulesCommand,
  ListTagsForResourceCommand,
  TagResourceCommand,
  UntagResourceCommand,
  UpdateScheduleCommand,
} from '@aws-sdk/client-scheduler'
import { busArn, embed, functionArn, queueArn, region } from './embedded-events.ts'

const q = queueArn('q')
const RoleArn = 'arn:aws:iam::000000000000:role/scheduler'
const arnOf = (name: string, group = 'default') =>
  `arn:aws:scheduler:${region}:000000000000:schedule/${group}/${name}`

const schedule = (members: Partial<CreateScheduleCommandInput> = {}, target: object = {}) => ({
  Name: 's',
  ScheduleExpression: 'rate(5 minutes)',
  FlexibleTimeWindow: { Mode: 'OFF' as const },
  ...members,
  Target: { Arn: q, RoleArn, ...target },
})
const create = (...members: Parameters<typeof schedule>) => new CreateScheduleCommand(schedule(...members))
const refusal = (name: string, message: string | RegExp) => ({ name, message })

test('a schedule is created, read, updated, listed and deleted', async (t) => {
  const { scheduler } = await embed(t)
  const made = await scheduler.send(
    create({ State: 'DISABLED', StartDate: new Date('2090-01-01T00:00:00Z') }),
  )
  assert.equal(made.ScheduleArn, arnOf('s'))
  const {
    $metadata: _,
    CreationDate,
    LastModificationDate,
    ...got
  } = await scheduler.send(new GetScheduleCommand({ Name: 's' }))
  assert.deepEqual(got, {
    Arn: arnOf('s'),
    Name: 's',
    GroupName: 'default',
    ScheduleExpression: 'rate(5 minutes)',
    ScheduleExpressionTimezone: 'UTC',
    StartDate: new Date('2090-01-01T00:00:00Z'),
    FlexibleTimeWindow: { Mode: 'OFF' },
    State: 'DISABLED',
    ActionAfterCompletion: 'NONE',
    Target: { Arn: q, RoleArn, RetryPolicy: { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 } },
  })
  assert.deepEqual(CreationDate, LastModificationDate)
  await assert.rejects(scheduler.send(create()), refusal('ConflictException', 'Schedule s already exists.'))
  await scheduler.send(new UpdateScheduleCommand(schedule({ Description: 'd', State: 'DISABLED' })))
  const updated = await scheduler.send(new GetScheduleCommand({ Name: 's', GroupName: 'default' }))
  assert.equal(updated.Description, 'd')
  assert.equal(updated.StartDate, undefined, 'an update replaces the whole schedule')
  const { Schedules } = await scheduler.send(new ListSchedulesCommand({}))
  assert.deepEqual(
    Schedules?.map(({ Arn, State, Target }) => ({ Arn, State, Target })),
    [{ Arn: arnOf('s'), State: 'DISABLED', Target: { Arn: q } }],
  )
  await scheduler.send(new DeleteScheduleCommand({ Name: 's' }))
  const gone = refusal('ResourceNotFoundException', 'Schedule s does not exist.')
  await assert.rejects(scheduler.send(new GetScheduleCommand({ Name: 's' })), gone)
  await assert.rejects(scheduler.send(new DeleteScheduleCommand({ Name: 's' })), gone)
  await assert.rejects(scheduler.send(new UpdateScheduleCommand(schedule())), gone)
})

test('schedules are listed by group, name and state, in pages', async (t) => {
  const { scheduler } = await embed(t)
  await scheduler.send(new CreateScheduleGroupCommand({ Name: 'g' }))
  for (const Name of ['a1', 'a2', 'b'])
    await scheduler.send(create({ Name, GroupName: 'g', State: 'DISABLED' }))
  await scheduler.send(create({ Name: 'a3' }))
  const names = async (query: object) => {
    const { Schedules = [], NextToken } = await scheduler.send(new ListSchedulesCommand(query))
    return [...Schedules.map(({ Name }) => Name), ...(NextToken === undefined ? [] : [NextToken])]
  }
  assert.deepEqual(await names({ GroupName: 'g' }), ['a1', 'a2', 'b'])
  assert.deepEqual(await names({ NamePrefix: 'a' }), ['a3', 'a1', 'a2'])
  assert.deepEqual(await names({ State: 'ENABLED' }), ['a3'])
  const [first, NextToken] = await names({ GroupName: 'g', MaxResults: 1 })
  assert.equal(first, 'a1')
  assert.deepEqual(await names({ GroupName: 'g', NextToken }), ['a2', 'b'])
  await assert.rejects(
    scheduler.send(new ListSchedulesCommand({ GroupName: 'nope' })),
    refusal('ResourceNotFoundException', 'Schedule group nope does not exist.'),
  )
})

test('groups are made, tagged and listed, and take their schedules with them', async (t) => {
  const { scheduler } = await embed(t)
  const Tags = [{ Key: 'a', Value: '1' }]
  const { ScheduleGroupArn } = await scheduler.send(new CreateScheduleGroupCommand({ Name: 'g', Tags }))
  assert.equal(ScheduleGroupArn, `arn:aws:scheduler:${region}:000000000000:schedule-group/g`)
  await assert.rejects(
    scheduler.send(new CreateScheduleGroupCommand({ Name: 'g' })),
    refusal('ConflictException', 'Schedule group g already exists.'),
  )
  await scheduler.send(
    new TagResourceCommand({ ResourceArn: ScheduleGroupArn, Tags: [{ Key: 'b', Value: '2' }] }),
  )
  await scheduler.send(new UntagResourceCommand({ ResourceArn: ScheduleGroupArn, TagKeys: ['a', 'x'] }))
  const tagged = await scheduler.send(new ListTagsForResourceCommand({ ResourceArn: ScheduleGroupArn }))
  assert.deepEqual(tagged.Tags, [{ Key: 'b', Value: '2' }])
  const { ScheduleGroups } = await scheduler.send(new ListScheduleGroupsCommand({}))
  assert.deepEqual(
    ScheduleGroups?.map(({ Name, State }) => [Name, State]),
    [
      ['default', 'ACTIVE'],
      ['g', 'ACTIVE'],
    ],
  )
  await scheduler.send(create({ GroupName: 'g' }))
  await scheduler.send(new DeleteScheduleGroupCommand({ Name: 'g' }))
  const gone = refusal('ResourceNotFoundException', 'Schedule group g does not exist.')
  await assert.rejects(scheduler.send(new GetScheduleGroupCommand({ Name: 'g' })), gone)
  await assert.rejects(scheduler.send(create({ GroupName: 'g' })), gone)
  await assert.rejects(scheduler.send(new GetScheduleCommand({ Name: 's', GroupName: 'g' })), gone)
  await assert.rejects(scheduler.send(new DeleteScheduleGroupCommand({ Name: 'default' })), {
    name: 'ValidationException',
  })
})

test('a repeated request with the same client token changes nothing and gets the same answer', async (t) => {
  const { scheduler } = await embed(t)
  const first = await scheduler.send(create({ ClientToken: 'token-1' }))
  const again = await scheduler.send(create({ ClientToken: 'token-1' }))
  assert.equal(again.ScheduleArn, first.ScheduleArn)
  await assert.rejects(scheduler.send(create({ ClientToken: 'token-1', Description: 'other' })), {
    name: 'ConflictException',
  })
  await scheduler.send(new DeleteScheduleCommand({ Name: 's', ClientToken: 'token-2' }))
  await scheduler.send(new DeleteScheduleCommand({ Name: 's', ClientToken: 'token-2' }))
})

test('what is not valid is refused with the reason', async (t) => {
  const { scheduler } = await embed(t)
  const past = new Date('2020-01-01T00:00:00Z')
  const refused: [Parameters<typeof schedule>, string | RegExp][] = [
    [[{ ScheduleExpression: 'rate(1 minutes)' }], 'Invalid Schedule Expression rate(1 minutes).'],
    [[{ ScheduleExpression: 'cron(0 1 * * * *)' }], 'Invalid Schedule Expression cron(0 1 * * * *).'],
    [
      [{ ScheduleExpressionTimezone: 'Europe/Atlantis' }],
      'Invalid Schedule Expression Timezone Europe/Atlantis.',
    ],
    [[{ ScheduleExpressionTimezone: '+02:00' }], /Timezone/],
    [[{ FlexibleTimeWindow: { Mode: 'FLEXIBLE' } }], /MaximumWindowInMinutes must be specified/],
    [[{ FlexibleTimeWindow: { Mode: 'OFF', MaximumWindowInMinutes: 5 } }], /cannot be specified/],
    [[{ StartDate: past }], 'The StartDate you specify cannot be earlier than 5 minutes ago.'],
    [[{ EndDate: past }], /EndDate/],
    [[{}, { Arn: `${q}.fifo` }], /MessageGroupId/],
    [[{}, { Arn: busArn('default') }], /EventBridgeParameters/],
    [[{}, { Arn: functionArn('f'), Input: 'no JSON' }], /valid JSON/],
    [
      [{}, { Arn: `arn:aws:states:${region}:000000000000:stateMachine:m` }],
      /states targets are not supported/,
    ],
    [
      [{ KmsKeyArn: `arn:aws:kms:${region}:000000000000:key/k` }],
      'KmsKeyArn is not supported by this server. Leave it out.',
    ],
    [
      [{ Name: 'a b' }],
      "1 validation error detected: Value 'a b' at 'name' failed to satisfy constraint: Member must satisfy regular expression pattern: ^[0-9a-zA-Z-_.]+$",
    ],
    [[{}, { RoleArn: 'x' }], /at 'target.roleArn' failed to satisfy constraint/],
  ]
  for (const [members, message] of refused)
    await assert.rejects(scheduler.send(create(...members)), refusal('ValidationException', message))
})

test('a rate starts at once, and goes on from there', async (t) => {
  const { scheduler, inbox, moveTo } = await embed(t, '2026-01-01T00:00:10Z')
  await scheduler.send(create())
  const [first] = await inbox.messages(q)
  const { id: _, ...event } = JSON.parse(first?.body ?? '')
  assert.deepEqual(event, {
    version: '0',
    'detail-type': 'Scheduled Event',
    source: 'aws.scheduler',
    account: '000000000000',
    time: '2026-01-01T00:00:10Z',
    region,
    resources: [arnOf('s')],
    detail: '{}',
  })
  moveTo('2026-01-01T00:05:09Z')
  moveTo('2026-01-01T00:05:10Z')
  await inbox.messages(q, 2)
  moveTo('2026-01-01T00:10:10Z')
  await inbox.messages(q, 3)
  assert.equal(inbox.attempts.length, 3)
})

test('a rate with a start and an end runs between them, and is deleted after the last run', async (t) => {
  const { scheduler, inbox, moveTo } = await embed(t, '2026-01-01T00:00:00Z')
  const StartDate = new Date('2026-01-01T01:00:00Z')
  const EndDate = new Date('2026-01-01T01:07:00Z')
  await scheduler.send(create({ StartDate, EndDate, ActionAfterCompletion: 'DELETE' }))
  for (const [time, runs] of [
    ['00:59', 0],
    ['01:00', 1],
    ['01:04', 1],
    ['01:05', 2],
  ] as const) {
    moveTo(`2026-01-01T${time}:00Z`)
    if (runs > 0) await inbox.messages(q, runs)
    assert.equal(inbox.attempts.length, runs, time)
  }
  await assert.rejects(scheduler.send(new GetScheduleCommand({ Name: 's' })), {
    name: 'ResourceNotFoundException',
  })
})

test('a one-time schedule runs once at its wall time and stays unless it is to be deleted', async (t) => {
  const { scheduler, inbox, moveTo } = await embed(t, '2026-07-01T00:00:00Z')
  const once = {
    ScheduleExpression: 'at(2026-07-01T12:00:00)',
    ScheduleExpressionTimezone: 'America/New_York',
  }
  await scheduler.send(create({ ...once, Name: 'stays' }))
  await scheduler.send(create({ ...once, Name: 'goes', ActionAfterCompletion: 'DELETE' }))
  moveTo('2026-07-01T15:59:59Z')
  moveTo('2026-07-01T16:00:00Z')
  await inbox.messages(q, 2)
  moveTo('2026-07-02T16:00:00Z')
  const { Schedules } = await scheduler.send(new ListSchedulesCommand({}))
  assert.deepEqual(
    Schedules?.map(({ Name }) => Name),
    ['stays'],
  )
  assert.equal(inbox.attempts.length, 2)
})

test('a daily schedule keeps its wall time over a change of clocks, and skips a time that does not exist', async (t) => {
  const { scheduler, inbox, moveTo } = await embed(t, '2026-03-28T00:00:00Z')
  const Input = '<aws.scheduler.scheduled-time>'
  const zone = { ScheduleExpressionTimezone: 'Europe/Berlin' }
  await scheduler.send(
    create({ ...zone, Name: 'morning', ScheduleExpression: 'cron(0 9 * * ? *)' }, { Input }),
  )
  await scheduler.send(
    create(
      { ...zone, Name: 'night', ScheduleExpression: 'cron(30 2 * * ? *)' },
      { Arn: queueArn('night'), Input },
    ),
  )
  const steps = [
    ['28T01:30', 0, 1],
    ['28T08:00', 1, 1],
    ['29T01:30', 1, 1],
    ['29T07:00', 2, 1],
    ['30T00:30', 2, 2],
    ['30T07:00', 3, 2],
  ] as const
  for (const [time, mornings, nights] of steps) {
    moveTo(`2026-03-${time}:00Z`)
    await inbox.messages(q, mornings)
    await inbox.messages(queueArn('night'), nights)
  }
  const times = async (arn: string) => (await inbox.messages(arn)).map(({ body }) => body)
  assert.deepEqual(await times(q), ['2026-03-28T08:00:00Z', '2026-03-29T07:00:00Z', '2026-03-30T07:00:00Z'])
  assert.deepEqual(await times(queueArn('night')), ['2026-03-28T01:30:00Z', '2026-03-30T00:30:00Z'])
})

test('a disabled schedule does not run, and runs again when it is enabled', async (t) => {
  const { scheduler, inbox, moveTo } = await embed(t, '2026-01-01T00:00:30Z')
  const members = { ScheduleExpression: 'cron(* * * * ? *)' }
  await scheduler.send(create({ ...members, State: 'DISABLED' }))
  moveTo('2026-01-01T00:01:00Z')
  await scheduler.send(new UpdateScheduleCommand(schedule({ ...members, State: 'ENABLED' })))
  assert.equal(inbox.attempts.length, 0)
  moveTo('2026-01-01T00:02:00Z')
  await inbox.messages(q)
})

test('a flexible schedule runs somewhere within its window', async (t) => {
  const { scheduler, inbox, moveTo } = await embed(t, '2026-01-01T00:00:00Z')
  const FlexibleTimeWindow = { Mode: 'FLEXIBLE' as const, MaximumWindowInMinutes: 60 }
  for (let n = 0; n < 40; n++)
    await scheduler.send(
      create(
        { Name: `s${n}`, ScheduleExpression: 'cron(0 6 * * ? *)', FlexibleTimeWindow },
        { Input: '<aws.scheduler.scheduled-time>' },
      ),
    )
  moveTo('2026-01-01T06:30:00Z')
  await scheduler.send(new ListSchedulesCommand({}))
  const half = inbox.received.length
  assert.ok(half > 0 && half < 40, `${half} of 40 ran in the first half`)
  moveTo('2026-01-01T07:00:00Z')
  const all = await inbox.messages(q, 40)
  assert.deepEqual(new Set(all.map(({ body }) => body)), new Set(['2026-01-01T06:00:00Z']))
})

test('runs missed while the service was down are skipped, and the log says so', async (t) => {
  const { scheduler, inbox, logs, moveTo, restart } = await embed(t, '2026-01-01T00:00:30Z')
  await scheduler.send(create({ ScheduleExpression: 'cron(0 * * * ? *)' }))
  await restart('2026-01-01T05:30:00Z')
  await scheduler.send(new ListSchedulesCommand({}))
  assert.equal(inbox.attempts.length, 0)
  assert.deepEqual(logs, [
    {
      message: 'A schedule missed its time and its window has passed: the run is skipped.',
      fields: { schedule: arnOf('s'), missed: '2026-01-01T01:00:00.000Z' },
    },
  ])
  moveTo('2026-01-01T06:00:00Z')
  await inbox.messages(q)
})

test('a run missed while the service was down is made once when its flexible window is still open', async (t) => {
  const { scheduler, inbox, logs, restart } = await embed(t, '2026-01-01T00:00:30Z')
  const FlexibleTimeWindow = { Mode: 'FLEXIBLE' as const, MaximumWindowInMinutes: 90 }
  const Input = '<aws.scheduler.scheduled-time>'
  await scheduler.send(create({ ScheduleExpression: 'cron(0 * * * ? *)', FlexibleTimeWindow }, { Input }))
  await restart('2026-01-01T05:45:00Z')
  const [message] = await inbox.messages(q)
  assert.equal(message?.body, '2026-01-01T05:00:00Z')
  assert.deepEqual(
    logs.map(({ message }) => message),
    ['A schedule missed its time and its window is still open: it is run once now.'],
  )
  assert.equal(inbox.attempts.length, 1)
})

test('a run within a minute of its time is not late', async (t) => {
  const { scheduler, inbox, logs, restart } = await embed(t, '2026-01-01T00:00:30Z')
  await scheduler.send(create({ ScheduleExpression: 'cron(0 * * * ? *)' }))
  await restart('2026-01-01T01:00:50Z')
  await inbox.messages(q)
  assert.deepEqual(logs, [])
})

test('targets get the input with its keywords filled', async (t) => {
  const { scheduler, inbox } = await embed(t)
  const Input =
    '{"arn":"<aws.scheduler.schedule-arn>","try":"<aws.scheduler.attempt-number>","id":"<aws.scheduler.execution-id>"}'
  await scheduler.send(create({}, { Arn: functionArn('f'), Input }))
  const [call] = await inbox.messages(functionArn('f'))
  const { id, ...payload } = JSON.parse(call?.body ?? '')
  assert.deepEqual(payload, { arn: arnOf('s'), try: '1' })
  assert.match(id, /^[0-9a-f]{16}$/)
})

test('a schedule can put an event on a bus', async (t) => {
  const { events, scheduler, inbox } = await embed(t)
  const { PutRuleCommand, PutTargetsCommand } = await import('@aws-sdk/client-eventbridge')
  await events.send(new PutRuleCommand({ Name: 'r', EventPattern: '{"detail":{"n":[1]}}' }))
  await events.send(new PutTargetsCommand({ Rule: 'r', Targets: [{ Id: '1', Arn: q }] }))
  const EventBridgeParameters = { Source: 'my.app', DetailType: 'tick' }
  await scheduler.send(create({}, { Arn: busArn('default'), EventBridgeParameters, Input: '{"n":1}' }))
  const [message] = await inbox.messages(q)
  const event = JSON.parse(message?.body ?? '')
  assert.equal(event.source, 'my.app')
  assert.equal(event['detail-type'], 'tick')
})

test('a run that its target never takes goes to the dead-letter queue with the reason', async (t) => {
  const { scheduler, inbox } = await embed(t, '2026-01-01T00:00:00Z')
  const dead = queueArn('dead')
  inbox.refuse.set(q, () =>
    Object.assign(new Error('no such queue'), {
      name: 'QueueDoesNotExist',
      code: 'AWS.SimpleQueueService.NonExistentQueue',
    }),
  )
  await scheduler.send(
    create({}, { Input: 'hello', DeadLetterConfig: { Arn: dead }, RetryPolicy: { MaximumRetryAttempts: 0 } }),
  )
  const [letter] = await inbox.messages(dead)
  assert.equal(letter?.body, 'hello')
  const { EXECUTION_ID, ...attributes } = letter?.options.attributes ?? {}
  assert.match(EXECUTION_ID ?? '', /^[0-9a-f]{16}$/)
  assert.deepEqual(attributes, {
    ERROR_CODE: 'AWS.SimpleQueueService.NonExistentQueue',
    ERROR_MESSAGE: 'no such queue',
    EXHAUSTED_RETRY_CONDITION: 'MaximumRetryAttempts',
    RETRY_ATTEMPTS: '0',
    TARGET_ARN: q,
    SCHEDULE_ARN: arnOf('s'),
    SCHEDULED_TIME: '2026-01-01T00:00:00Z',
    IS_PAYLOAD_TRUNCATED: 'false',
  })
})

test('paths that are no operation and requests without a signature are refused', async (t) => {
  const { endpoint } = await embed(t)
  const response = await fetch(`${endpoint}/schedules/s`)
  assert.equal(response.status, 403)
  assert.equal(response.headers.get('x-amzn-errortype'), 'MissingAuthenticationTokenException')
  assert.deepEqual(await response.json(), { Message: 'Missing Authentication Token' })
})
