import assert from 'node:assert/strict'
import test from 'node:test'
import {
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
import { create, createSchedule, q, RoleArn, rejectionOf, scheduleArn } from './requests.ts'
import { busArn, functionArn, region, startTestEvents } from './start-events.ts'

test('schedules can be created, read, updated, listed and deleted', async (t) => {
  const { scheduler } = await startTestEvents(t)
  const made = await scheduler.send(
    create({ State: 'DISABLED', StartDate: new Date('2090-01-01T00:00:00Z') }),
  )
  assert.equal(made.ScheduleArn, scheduleArn('s'))
  const {
    $metadata: _,
    CreationDate,
    LastModificationDate,
    ...got
  } = await scheduler.send(new GetScheduleCommand({ Name: 's' }))
  assert.deepEqual(got, {
    Arn: scheduleArn('s'),
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
  await assert.rejects(
    scheduler.send(create()),
    rejectionOf('ConflictException', 'Schedule s already exists.'),
  )
  await scheduler.send(new UpdateScheduleCommand(createSchedule({ Description: 'd', State: 'DISABLED' })))
  const updated = await scheduler.send(new GetScheduleCommand({ Name: 's', GroupName: 'default' }))
  assert.equal(updated.Description, 'd')
  assert.equal(updated.StartDate, undefined, 'an update replaces the whole schedule')
  const { Schedules } = await scheduler.send(new ListSchedulesCommand({}))
  assert.deepEqual(
    Schedules?.map(({ Arn, State, Target }) => ({ Arn, State, Target })),
    [{ Arn: scheduleArn('s'), State: 'DISABLED', Target: { Arn: q } }],
  )
  await scheduler.send(new DeleteScheduleCommand({ Name: 's' }))
  const gone = rejectionOf('ResourceNotFoundException', 'Schedule s does not exist.')
  await assert.rejects(scheduler.send(new GetScheduleCommand({ Name: 's' })), gone)
  await assert.rejects(scheduler.send(new DeleteScheduleCommand({ Name: 's' })), gone)
  await assert.rejects(scheduler.send(new UpdateScheduleCommand(createSchedule())), gone)
})

test('schedules are listed by group, name and state, in pages', async (t) => {
  const { scheduler } = await startTestEvents(t)
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
    rejectionOf('ResourceNotFoundException', 'Schedule group nope does not exist.'),
  )
})

test('schedule groups can be created, tagged and listed, and deleting one deletes its schedules', async (t) => {
  const { scheduler } = await startTestEvents(t)
  const Tags = [{ Key: 'a', Value: '1' }]
  const { ScheduleGroupArn } = await scheduler.send(new CreateScheduleGroupCommand({ Name: 'g', Tags }))
  assert.equal(ScheduleGroupArn, `arn:aws:scheduler:${region}:000000000000:schedule-group/g`)
  await assert.rejects(
    scheduler.send(new CreateScheduleGroupCommand({ Name: 'g' })),
    rejectionOf('ConflictException', 'Schedule group g already exists.'),
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
  const gone = rejectionOf('ResourceNotFoundException', 'Schedule group g does not exist.')
  await assert.rejects(scheduler.send(new GetScheduleGroupCommand({ Name: 'g' })), gone)
  await assert.rejects(scheduler.send(create({ GroupName: 'g' })), gone)
  await assert.rejects(scheduler.send(new GetScheduleCommand({ Name: 's', GroupName: 'g' })), gone)
  await assert.rejects(scheduler.send(new DeleteScheduleGroupCommand({ Name: 'default' })), {
    name: 'ValidationException',
  })
})

test('a repeated request with the same client token changes nothing and gets the same response', async (t) => {
  const { scheduler } = await startTestEvents(t)
  const first = await scheduler.send(create({ ClientToken: 'token-1' }))
  const again = await scheduler.send(create({ ClientToken: 'token-1' }))
  assert.equal(again.ScheduleArn, first.ScheduleArn)
  await assert.rejects(scheduler.send(create({ ClientToken: 'token-1', Description: 'other' })), {
    name: 'ConflictException',
  })
  await scheduler.send(new DeleteScheduleCommand({ Name: 's', ClientToken: 'token-2' }))
  await scheduler.send(new DeleteScheduleCommand({ Name: 's', ClientToken: 'token-2' }))
})

test('invalid schedules are refused with a reason', async (t) => {
  const { scheduler } = await startTestEvents(t)
  const past = new Date('2020-01-01T00:00:00Z')
  const refused: [Parameters<typeof createSchedule>, string | RegExp][] = [
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
    await assert.rejects(scheduler.send(create(...members)), rejectionOf('ValidationException', message))
})

test('the Scheduler refuses unknown paths and unsigned requests', async (t) => {
  const { endpoint } = await startTestEvents(t)
  const response = await fetch(`${endpoint}/schedules/s`)
  assert.equal(response.status, 403)
  assert.equal(response.headers.get('x-amzn-errortype'), 'MissingAuthenticationTokenException')
  assert.deepEqual(await response.json(), { Message: 'Missing Authentication Token' })
})
