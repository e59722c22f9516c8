// Rules that most tests use, and their target.
import { type EventBridgeClient, PutRuleCommand, PutTargetsCommand } from '@aws-sdk/client-eventbridge'
import { queueArn } from './start-events.ts'

export const q = queueArn('q')
export const anySource = JSON.stringify({ source: [{ exists: true }] })
export const entry = { Source: 'my.app', DetailType: 'made', Detail: '{"n":1}' }

/** Creates a rule that matches every event, with one target: `q` by default. */
export async function createRuleWithTarget(
  events: EventBridgeClient,
  target: object,
  rule = 'rule',
  bus = 'default',
): Promise<void> {
  await events.send(new PutRuleCommand({ Name: rule, EventBusName: bus, EventPattern: anySource }))
  const Targets = [{ Id: 'one', Arn: q, ...target }]
  await events.send(new PutTargetsCommand({ Rule: rule, EventBusName: bus, Targets }))
}

/** The error that a client throws for a refused request. */
export const createExpectedError = (name: string, message: string | RegExp) => ({ name, message })
