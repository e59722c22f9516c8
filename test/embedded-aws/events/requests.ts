// Rules and schedules that most tests use, and their target.
import { type EventBridgeClient, PutRuleCommand, PutTargetsCommand } from '@aws-sdk/client-eventbridge'
import { CreateScheduleCommand, type CreateScheduleCommandInput } from '@aws-sdk/client-scheduler'
import { queueArn, region } from './start-events.ts'

export const q = queueArn('q')
export const anySource = JSON.stringify({ source: [{ exists: true }] })
export const entry = { Source: 'my.app', DetailType: 'made', Detail: '{"n":1}' }

/** Creates a rule that matches every event, with one target: `q` by default. */
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

/** Creates the schedule `s`, by default every five minutes to `q`. */
export const createSchedule = (members: Partial<CreateScheduleCommandInput> = {}, target: object = {}) => ({
  Name: 's',
  ScheduleExpression: 'rate(5 minutes)',
  FlexibleTimeWindow: { Mode: 'OFF' as const },
  ...members,
  Target: { Arn: q, RoleArn, ...target },
})
export const create = (...members: Parameters<typeof createSchedule>) =>
  new CreateScheduleCommand(createSchedule(...members))

/** The error that a client throws for a refused request. */
export const rejectionOf = (name: string, message: string | RegExp) => ({ name, message })
