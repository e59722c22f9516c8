import assert from 'node:assert/strict'
import test from 'node:test'
import { PutRuleCommand, PutTargetsCommand } from '@aws-sdk/client-eventbridge'
import { GetScheduleCommand, ListSchedulesCommand, UpdateScheduleCommand } from '@aws-sdk/client-scheduler'
import { create, createSchedule, q, scheduleArn } from './requests.ts'
import { busArn, functionArn, queueArn, region, startTestEvents } from './start-events.ts'

test('a rate schedule without a start runs immediately, then at its interval', async (t) => {
  const { scheduler, inbox, moveTo } = await startTestEvents(t, '2026-01-01T00:00:10Z')
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
    resources: [scheduleArn('s')],
    detail: '{}',
  })
  moveTo('2026-01-01T00:05:09Z')
  moveTo('2026-01-01T00:05:10Z')
  const [, second] = await inbox.messages(q, 2)
  assert.equal(JSON.parse(second?.body ?? '').time, '2026-01-01T00:05:10Z')
  moveTo('2026-01-01T00:10:10Z')
  await inbox.messages(q, 3)
  assert.equal(inbox.attempts.length, 3)
})

test('a rate schedule with start and end runs in between and is deleted after its last run', async (t) => {
  const { scheduler, inbox, moveTo } = await startTestEvents(t, '2026-01-01T00:00:00Z')
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

test('a one-time schedule runs once at its wall-clock time and stays unless it deletes itself', async (t) => {
  const { scheduler, inbox, moveTo } = await startTestEvents(t, '2026-07-01T00:00:00Z')
  const once = {
    ScheduleExpression: 'at(2026-07-01T12:00:00)',
    ScheduleExpressionTimezone: 'America/New_York',
  }
  await scheduler.send(create({ ...once, Name: 'stays' }))
  await scheduler.send(create({ ...once, Name: 'goes', ActionAfterCompletion: 'DELETE' }))
  moveTo('2026-07-01T15:59:59Z')
  assert.equal((await scheduler.send(new ListSchedulesCommand({}))).Schedules?.length, 2)
  assert.equal(inbox.attempts.length, 0)
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

test('a daily schedule keeps its wall-clock time across DST changes and skips a missing time', async (t) => {
  const { scheduler, inbox, moveTo } = await startTestEvents(t, '2026-03-28T00:00:00Z')
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

test('a disabled schedule does not run until it is enabled', async (t) => {
  const { scheduler, inbox, moveTo } = await startTestEvents(t, '2026-01-01T00:00:30Z')
  const members = { ScheduleExpression: 'cron(* * * * ? *)' }
  await scheduler.send(create({ ...members, State: 'DISABLED' }))
  moveTo('2026-01-01T00:01:00Z')
  await scheduler.send(new UpdateScheduleCommand(createSchedule({ ...members, State: 'ENABLED' })))
  assert.equal(inbox.attempts.length, 0)
  moveTo('2026-01-01T00:02:00Z')
  await inbox.messages(q)
})

test('a flexible schedule runs at some time within its window', async (t) => {
  const { scheduler, inbox, moveTo } = await startTestEvents(t, '2026-01-01T00:00:00Z')
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

test('runs missed during a downtime are skipped and logged', async (t) => {
  const { scheduler, inbox, logs, moveTo, restart } = await startTestEvents(t, '2026-01-01T00:00:30Z')
  await scheduler.send(create({ ScheduleExpression: 'cron(0 * * * ? *)' }))
  await restart('2026-01-01T05:30:00Z')
  await scheduler.send(new ListSchedulesCommand({}))
  assert.equal(inbox.attempts.length, 0)
  assert.deepEqual(logs, [
    {
      message: 'A schedule missed its time and its window is over: the run is skipped.',
      fields: { schedule: scheduleArn('s'), missed: '2026-01-01T01:00:00.000Z' },
    },
  ])
  moveTo('2026-01-01T06:00:00Z')
  await inbox.messages(q)
})

test('a run missed during a downtime starts once if its flexible window is still open', async (t) => {
  const { scheduler, inbox, logs, restart } = await startTestEvents(t, '2026-01-01T00:00:30Z')
  const FlexibleTimeWindow = { Mode: 'FLEXIBLE' as const, MaximumWindowInMinutes: 90 }
  const Input = '<aws.scheduler.scheduled-time>'
  await scheduler.send(create({ ScheduleExpression: 'cron(0 * * * ? *)', FlexibleTimeWindow }, { Input }))
  await restart('2026-01-01T05:45:00Z')
  const [message] = await inbox.messages(q)
  assert.equal(message?.body, '2026-01-01T05:00:00Z')
  assert.deepEqual(
    logs.map(({ message }) => message),
    ['A schedule missed its time and its window is still open: it runs once now.'],
  )
  assert.equal(inbox.attempts.length, 1)
})

test('a run within a minute of its time does not count as missed', async (t) => {
  const { scheduler, inbox, logs, restart } = await startTestEvents(t, '2026-01-01T00:00:30Z')
  await scheduler.send(create({ ScheduleExpression: 'cron(0 * * * ? *)' }))
  await restart('2026-01-01T01:00:50Z')
  await inbox.messages(q)
  assert.deepEqual(logs, [])
})

test("the keywords in a schedule's input are replaced", async (t) => {
  const { scheduler, inbox } = await startTestEvents(t)
  const Input =
    '{"arn":"<aws.scheduler.schedule-arn>","try":"<aws.scheduler.attempt-number>","id":"<aws.scheduler.execution-id>"}'
  await scheduler.send(create({}, { Arn: functionArn('f'), Input }))
  const [call] = await inbox.messages(functionArn('f'))
  const { id, ...payload } = JSON.parse(call?.body ?? '')
  assert.deepEqual(payload, { arn: scheduleArn('s'), try: '1' })
  assert.match(id, /^[0-9a-f]{16}$/)
})

test('a schedule can target an event bus', async (t) => {
  const { events, scheduler, inbox } = await startTestEvents(t)
  await events.send(new PutRuleCommand({ Name: 'r', EventPattern: '{"detail":{"n":[1]}}' }))
  await events.send(new PutTargetsCommand({ Rule: 'r', Targets: [{ Id: '1', Arn: q }] }))
  const EventBridgeParameters = { Source: 'my.app', DetailType: 'tick' }
  await scheduler.send(create({}, { Arn: busArn('default'), EventBridgeParameters, Input: '{"n":1}' }))
  const [message] = await inbox.messages(q)
  const event = JSON.parse(message?.body ?? '')
  assert.equal(event.source, 'my.app')
  assert.equal(event['detail-type'], 'tick')
})

test('a run that its target never accepts goes to the dead-deadLetter queue with the reason', async (t) => {
  const { scheduler, inbox } = await startTestEvents(t, '2026-01-01T00:00:00Z')
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
  const [deadLetter] = await inbox.messages(dead)
  assert.equal(deadLetter?.body, 'hello')
  const { EXECUTION_ID, ...attributes } = deadLetter?.options.attributes ?? {}
  assert.match(EXECUTION_ID ?? '', /^[0-9a-f]{16}$/)
  assert.deepEqual(attributes, {
    ERROR_CODE: 'AWS.SimpleQueueService.NonExistentQueue',
    ERROR_MESSAGE: 'no such queue',
    EXHAUSTED_RETRY_CONDITION: 'MaximumRetryAttempts',
    RETRY_ATTEMPTS: '0',
    TARGET_ARN: q,
    SCHEDULE_ARN: scheduleArn('s'),
    SCHEDULED_TIME: '2026-01-01T00:00:00Z',
    IS_PAYLOAD_TRUNCATED: 'false',
  })
})
