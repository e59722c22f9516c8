// Rules and schedules as most tests ask for them, and the target that they lead to.
import { type EventBridgeClient, PutRuleCommand, PutTargetsCommand } from '@aws-sdk/client-eventbridge'
import { CreateScheduleCommand, type CreateScheduleCommandInput } from '@aws-sdk/client-scheduler'
import { queueArn, region } from './start-events.ts'

export const q = queueArn('q')
export const anySource = JSON.stringify({ source: [{ exists: true }] })
export const entry = { Source: 'my.app', DetailType: 'made', Detail: '{"n":1}' }

/** A rule that takes every event, with one target: `q` when its ARN is left out. */
export async function createRuleTo(
  events: EventBridgeClient,
  target: object,
  rule = 'rule',
  bus = 'default',
): Promise<void> {
  await events.send(new PutRuleCommand({ Name: rule, EventBusName: bus, EventPattern: anySource }))
  const Targets = [{ Id: 'one', Arn: q, ...target }]
  await events.send(new PutTargetsCommand({ Rule: rule, EventBusName: bus, Targets }))
}

export const RoleArn = 'arn:aws:iam::000000000000:role/scheduler'
export const scheduleArn = (name: string, group = 'default') =>
  `arn:aws:scheduler:${region}:000000000000:schedule/${group}/${name}`

/** The schedule `s`, every five minutes to `q`, but for what is given. */
export const createSchedule = (members: Partial<CreateScheduleCommandInput> = {}, target: object = {}) => ({
  Name: 's',
  ScheduleExpression: 'rate(5 minutes)',
  FlexibleTimeWindow: { Mode: 'OFF' as const },
  ...members,
  Target: { Arn: q, RoleArn, ...target },
})
export const create = (...members: Parameters<typeof createSchedule>) =>
  new CreateScheduleCommand(createSchedule(...members))

/** What a client throws when it was refused. */
export const rejectionOf = (name: string, message: string | RegExp) => ({ name, message })
