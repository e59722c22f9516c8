import {
  DeleteRuleCommand,
  type EventBridgeClient,
  ListRulesCommand,
  ListTargetsByRuleCommand,
  RemoveTargetsCommand,
  type Target,
} from '@aws-sdk/client-eventbridge'
import { createFunctionArn } from '../../embedded-aws/lambda/runtime.ts'

/**
 * Deletes rules of earlier versions, as a deployment would: those whose targets are all functions that are no longer
 * declared. Otherwise, each of their events would be retried for a day. Rules that users created on the bus are kept.
 */
export async function removeObsoleteRules(
  client: EventBridgeClient,
  region: string,
  EventBusName: string,
  declaredFunctionNames: readonly string[],
): Promise<void> {
  const arnPrefix = createFunctionArn(region, '')
  const isObsolete = ({ Arn = '' }: Target) =>
    Arn.startsWith(arnPrefix) && !declaredFunctionNames.includes(Arn.slice(arnPrefix.length))
  for (const Rule of await listRuleNames(client, EventBusName)) {
    const { Targets = [] } = await client.send(new ListTargetsByRuleCommand({ Rule, EventBusName }))
    if (Targets.length === 0 || !Targets.every(isObsolete)) continue
    const Ids = Targets.map(({ Id }) => Id ?? '')
    await client.send(new RemoveTargetsCommand({ Rule, EventBusName, Ids }))
    await client.send(new DeleteRuleCommand({ Name: Rule, EventBusName }))
  }
}

async function listRuleNames(client: EventBridgeClient, EventBusName: string): Promise<string[]> {
  const names: string[] = []
  let nextToken: string | undefined
  do {
    const page = await client.send(
      new ListRulesCommand({ EventBusName, ...(nextToken && { NextToken: nextToken }) }),
    )
    names.push(...(page.Rules ?? []).map(({ Name = '' }) => Name))
    nextToken = page.NextToken
  } while (nextToken)
  return names
}
