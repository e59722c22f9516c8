import assert from 'node:assert/strict'
import test from 'node:test'
import {
  EnableRuleCommand,
  type EventBridgeClient,
  ListRulesCommand,
  PutRuleCommand,
  PutTargetsCommand,
} from '@aws-sdk/client-eventbridge'
import { q } from './requests.ts'
import { region, startTestEvents } from './start-events.ts'

const ruleArn = `arn:aws:events:${region}:000000000000:rule/s`

/** Creates the scheduled rule `s` with the queue `q` as its target. */
async function schedule(
  events: EventBridgeClient,
  ScheduleExpression: string,
  State: 'ENABLED' | 'DISABLED' = 'ENABLED',
): Promise<void> {
  await events.send(new PutRuleCommand({ Name: 's', ScheduleExpression, State }))
  await events.send(new PutTargetsCommand({ Rule: 's', Targets: [{ Id: 'one', Arn: q }] }))
}

test('a rule with a rate expression runs one interval after its creation, and again after the next interval', async (t) => {
  const { events, inbox, moveTo } = await startTestEvents(t, '2026-01-01T00:00:10Z')
  await schedule(events, 'rate(5 minutes)')
  moveTo('2026-01-01T00:05:09Z')
  moveTo('2026-01-01T00:05:10Z')
  const [firstMessage] = await inbox.messages(q)
  const { id: _, ...event } = JSON.parse(firstMessage?.body ?? '')
  assert.deepEqual(event, {
    version: '0',
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account: '000000000000',
    time: '2026-01-01T00:05:10Z',
    region,
    resources: [ruleArn],
    detail: {},
  })
  moveTo('2026-01-01T00:10:10Z')
  await inbox.messages(q, 2)
  assert.equal(inbox.attempts.length, 2)
})

test('a disabled scheduled rule does not run until it is enabled', async (t) => {
  const { events, inbox, moveTo } = await startTestEvents(t, '2026-01-01T00:00:30Z')
  await schedule(events, 'cron(* * * * ? *)', 'DISABLED')
  moveTo('2026-01-01T00:01:00Z')
  await events.send(new EnableRuleCommand({ Name: 's' }))
  assert.equal(inbox.attempts.length, 0)
  moveTo('2026-01-01T00:02:00Z')
  await inbox.messages(q)
})

test('scheduled runs missed during a downtime are skipped and logged', async (t) => {
  const { events, inbox, logs, moveTo, restart } = await startTestEvents(t, '2026-01-01T00:00:30Z')
  await schedule(events, 'cron(0 * * * ? *)')
  await restart('2026-01-01T05:30:00Z')
  await events.send(new ListRulesCommand({}))
  assert.equal(inbox.attempts.length, 0)
  assert.deepEqual(logs, [
    {
      message: 'A schedule missed its time: the run is skipped.',
      fields: { schedule: ruleArn, missed: '2026-01-01T01:00:00.000Z' },
    },
  ])
  moveTo('2026-01-01T06:00:00Z')
  await inbox.messages(q)
})

test('a scheduled run that became due in the last minute of a downtime starts once', async (t) => {
  const { events, inbox, logs, restart } = await startTestEvents(t, '2026-01-01T00:00:30Z')
  await schedule(events, 'cron(0 * * * ? *)')
  await restart('2026-01-01T05:00:45Z')
  const [message] = await inbox.messages(q)
  assert.equal(JSON.parse(message?.body ?? '').time, '2026-01-01T05:00:00Z')
  assert.deepEqual(
    logs.map(({ message }) => message),
    ['A schedule missed its time: it runs once now.'],
  )
  assert.equal(inbox.attempts.length, 1)
})

test('a scheduled run that starts less than a minute late does not count as missed', async (t) => {
  const { events, inbox, logs, restart } = await startTestEvents(t, '2026-01-01T00:00:30Z')
  await schedule(events, 'cron(0 * * * ? *)')
  await restart('2026-01-01T01:00:50Z')
  await inbox.messages(q)
  assert.deepEqual(logs, [])
})
