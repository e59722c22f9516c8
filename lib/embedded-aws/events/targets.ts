// The targets of rules. https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutTargets.html etc.
import * as z from 'zod'
import type { EventsAccount } from './account.ts'
import { BusNameOrArn, findBus, Paging } from './buses.ts'
import { createLimitExceededError, createValidationError } from './errors.ts'
import { paginate, readMembers, textField } from './request-params.ts'
import { findRule, getRuleCollection, RuleName, updateRule } from './rules.ts'
import { RuleTarget, RuleTargetId } from './target.ts'
import { checkDeadLetterArn, checkTargetArn, isFifo } from './target-arn.ts'
import { checkInput } from './target-input.ts'

const PutTargets = z.object({
  Rule: RuleName,
  EventBusName: BusNameOrArn.optional(),
  Targets: z.array(RuleTarget).min(1).max(100),
})
const RemoveTargets = z.object({
  Rule: RuleName,
  EventBusName: BusNameOrArn.optional(),
  Ids: z.array(RuleTargetId).min(1).max(100),
})
const ListTargetsByRule = z.object({ ...Paging, Rule: RuleName, EventBusName: BusNameOrArn.optional() })
const ListRuleNamesByTarget = z.object({
  ...Paging,
  TargetArn: textField(1, 1600),
  EventBusName: BusNameOrArn.optional(),
})

/** AWS: "Each rule can have up to five (5) targets associated with it at one time." */
const maxTargets = 5

const noFailures = { FailedEntryCount: 0, FailedEntries: [] }

export const targetOperations = {
  PutTargets(account: EventsAccount, body: unknown) {
    const { Rule, EventBusName, Targets } = readMembers(PutTargets, body)
    for (const target of Targets) checkTarget(account, target)
    return account.store.commit(() => {
      findBus(account, EventBusName)
      const rule = findRule(account, Rule, EventBusName)
      const targets = new Map([...rule.targets, ...Targets].map((target) => [target.Id, target]))
      if (targets.size > maxTargets) throw createLimitExceededError()
      updateRule(account, { ...rule, targets: [...targets.values()] })
      return noFailures
    })
  },

  RemoveTargets(account: EventsAccount, body: unknown) {
    const { Rule, EventBusName, Ids } = readMembers(RemoveTargets, body)
    return account.store.commit(() => {
      findBus(account, EventBusName)
      const rule = findRule(account, Rule, EventBusName)
      updateRule(account, { ...rule, targets: rule.targets.filter(({ Id }) => !Ids.includes(Id)) })
      return noFailures
    })
  },

  ListTargetsByRule(account: EventsAccount, body: unknown) {
    const { Rule, EventBusName, NextToken, Limit } = readMembers(ListTargetsByRule, body)
    findBus(account, EventBusName)
    const targets = [...findRule(account, Rule, EventBusName).targets].sort((a, b) => (a.Id < b.Id ? -1 : 1))
    const { items, next } = paginate(targets, (target) => target.Id, { token: NextToken, limit: Limit })
    return { Targets: items, ...next }
  },

  ListRuleNamesByTarget(account: EventsAccount, body: unknown) {
    const { TargetArn, EventBusName, NextToken, Limit } = readMembers(ListRuleNamesByTarget, body)
    const bus = findBus(account, EventBusName).name
    const rules = getRuleCollection(account)
      .list()
      .filter((rule) => rule.bus === bus && rule.targets.some(({ Arn }) => Arn === TargetArn))
    const { items, next } = paginate(rules, (rule) => rule.name, { token: NextToken, limit: Limit })
    return { RuleNames: items.map(({ name }) => name), ...next }
  },
}

function checkTarget(account: EventsAccount, target: RuleTarget): void {
  checkTargetArn(target.Arn, account)
  checkInput(target)
  checkDeadLetterArn(target.DeadLetterConfig?.Arn)
  const group = target.SqsParameters?.MessageGroupId
  if (isFifo(target.Arn) && !group)
    throw createValidationError(`Parameter(s) SqsParameters must be specified for target: ${target.Id}.`)
  if (group !== undefined && !target.Arn.includes(':sqs:'))
    throw createValidationError(`Parameter(s) SqsParameters cannot be specified for target: ${target.Id}.`)
}
