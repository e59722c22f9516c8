// Rules. https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutRule.html etc.
import * as z from 'zod'
import type { EventsAccount } from './account.ts'
import { BusNameOrArn, findBus, Paging, parseBusName } from './buses.ts'
import { createLimitExceededError, createResourceNotFoundError, createValidationError } from './errors.ts'
import { readPattern } from './pattern.ts'
import { paginate, readMembers, Tags, textField } from './request-params.ts'
import { findFirstRun, readScheduleExpression } from './schedule-expression.ts'
import { type TagRecord, toTagRecord } from './tags.ts'
import type { RuleTarget } from './target.ts'

export interface Rule {
  readonly name: string
  readonly bus: string
  readonly pattern?: string
  readonly schedule?: string
  readonly state: 'ENABLED' | 'DISABLED' | 'ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS'
  readonly description?: string
  readonly roleArn?: string
  readonly tags: TagRecord
  readonly targets: readonly RuleTarget[]
  /** Time from which the rate of a scheduled rule counts, in milliseconds; the first run is one interval later. */
  readonly anchor: number
}

export const RuleName = textField(1, 64, '[\\.\\-_A-Za-z0-9]+')
const RuleRef = z.object({ Name: RuleName, EventBusName: BusNameOrArn.optional() })

const PutRule = z.object({
  Name: RuleName,
  EventBusName: BusNameOrArn.optional(),
  ScheduleExpression: textField(0, 256).optional(),
  EventPattern: textField(0, 4096).optional(),
  State: z.enum(['ENABLED', 'DISABLED', 'ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS']).default('ENABLED'),
  Description: textField(0, 512).optional(),
  RoleArn: textField(1, 1600).optional(),
  Tags: Tags.default([]),
})

export const getRuleCollection = (account: EventsAccount) => account.store.collection<Rule>('rule')
const getRuleKey = (rule: Pick<Rule, 'bus' | 'name'>) => `${rule.bus}/${rule.name}`

export function createRuleArn(
  { region, accountId }: EventsAccount,
  { bus, name }: Pick<Rule, 'bus' | 'name'>,
): string {
  return `arn:aws:events:${region}:${accountId}:rule/${bus === 'default' ? '' : `${bus}/`}${name}`
}

export function findRule(account: EventsAccount, name: string, bus: string | undefined): Rule {
  const rule = getRuleCollection(account).get(getRuleKey({ bus: parseBusName(account, bus), name }))
  if (!rule)
    throw createResourceNotFoundError(
      `Rule ${name} does not exist on EventBus ${parseBusName(account, bus)}.`,
    )
  return rule
}

/** Stores a rule with the time of its next run. */
export function putRule(account: EventsAccount, rule: Rule, nextRunAt: number | undefined): void {
  getRuleCollection(account).put(getRuleKey(rule), rule, nextRunAt)
}

/** Stores changes of a rule that do not affect its runs. */
export function updateRule(account: EventsAccount, rule: Rule): void {
  getRuleCollection(account).update(getRuleKey(rule), rule)
}

/**
 * Returns the next run of a scheduled rule after a time; undefined for rules without a schedule and for disabled rules.
 */
export function findNextRuleRun(rule: Rule, afterMs: number): number | undefined {
  if (rule.schedule === undefined || rule.state === 'DISABLED') return undefined
  const expression = readScheduleExpression(rule.schedule)
  return expression && findFirstRun(expression, { anchor: rule.anchor, after: afterMs })
}

const maxRules = 300

export const ruleOperations = {
  PutRule(account: EventsAccount, body: unknown) {
    const members = readMembers(PutRule, body)
    const { Name, EventPattern, ScheduleExpression } = members
    if (!EventPattern && !ScheduleExpression)
      throw createValidationError('Parameter(s) EventPattern or ScheduleExpression must be specified.')
    if (EventPattern) readPattern(EventPattern)
    return account.store.commit(() => {
      const bus = findBus(account, members.EventBusName).name
      if (ScheduleExpression) checkSchedule(ScheduleExpression, bus)
      const previousRule = getRuleCollection(account).get(getRuleKey({ bus, name: Name }))
      if (!previousRule && countRules(account, bus) >= maxRules) throw createLimitExceededError()
      const hasSameSchedule =
        previousRule !== undefined &&
        previousRule.schedule === (ScheduleExpression || undefined) &&
        previousRule.state === members.State
      const rule: Rule = {
        name: Name,
        bus,
        ...(EventPattern && { pattern: EventPattern }),
        ...(ScheduleExpression && { schedule: ScheduleExpression }),
        state: members.State,
        ...(members.Description !== undefined && { description: members.Description }),
        ...(members.RoleArn !== undefined && { roleArn: members.RoleArn }),
        // AWS: "If you are updating an existing rule, any tags you specify in the PutRule operation are ignored."
        tags: previousRule?.tags ?? toTagRecord(members.Tags),
        targets: previousRule?.targets ?? [],
        anchor: hasSameSchedule ? previousRule.anchor : account.now(),
      }
      if (hasSameSchedule) updateRule(account, rule)
      else putRule(account, rule, findNextRuleRun(rule, account.now()))
      return { RuleArn: createRuleArn(account, rule) }
    })
  },

  DeleteRule(account: EventsAccount, body: unknown) {
    const { Name, EventBusName } = readMembers(RuleRef, body)
    return account.store.commit(() => {
      const bus = findBus(account, EventBusName).name
      const rule = getRuleCollection(account).get(getRuleKey({ bus, name: Name }))
      if (rule && rule.targets.length > 0)
        throw createValidationError("Rule can't be deleted since it has targets.")
      getRuleCollection(account).delete(getRuleKey({ bus, name: Name }))
      return {}
    })
  },

  DescribeRule(account: EventsAccount, body: unknown) {
    const { Name, EventBusName } = readMembers(RuleRef, body)
    findBus(account, EventBusName)
    return { ...describe(account, findRule(account, Name, EventBusName)), CreatedBy: account.accountId }
  },

  EnableRule: (account: EventsAccount, body: unknown) => setState(account, body, 'ENABLED'),
  DisableRule: (account: EventsAccount, body: unknown) => setState(account, body, 'DISABLED'),

  ListRules(account: EventsAccount, body: unknown) {
    const {
      NamePrefix = '',
      EventBusName,
      NextToken,
      Limit,
    } = readMembers(
      z.object({ ...Paging, NamePrefix: RuleName.optional(), EventBusName: BusNameOrArn.optional() }),
      body,
    )
    const bus = findBus(account, EventBusName).name
    const rules = getRuleCollection(account)
      .list()
      .filter((rule) => rule.bus === bus && rule.name.startsWith(NamePrefix))
    const { items, next } = paginate(rules, (rule) => rule.name, { token: NextToken, limit: Limit })
    return { Rules: items.map((rule) => describe(account, rule)), ...next }
  },
}

function countRules(account: EventsAccount, bus: string): number {
  return getRuleCollection(account)
    .list()
    .filter((rule) => rule.bus === bus).length
}

function checkSchedule(expression: string, bus: string): void {
  if (bus !== 'default')
    throw createValidationError('ScheduleExpression is supported only on the default event bus.')
  if (!readScheduleExpression(expression))
    throw createValidationError('Parameter ScheduleExpression is not valid.')
}

function setState(account: EventsAccount, body: unknown, state: 'ENABLED' | 'DISABLED') {
  const { Name, EventBusName } = readMembers(RuleRef, body)
  return account.store.commit(() => {
    findBus(account, EventBusName)
    const previousRule = findRule(account, Name, EventBusName)
    if (previousRule.state === state) return {}
    const rule = { ...previousRule, state, anchor: account.now() }
    putRule(account, rule, findNextRuleRun(rule, account.now()))
    return {}
  })
}

const describe = (account: EventsAccount, rule: Rule) => ({
  Name: rule.name,
  Arn: createRuleArn(account, rule),
  EventPattern: rule.pattern,
  ScheduleExpression: rule.schedule,
  State: rule.state,
  Description: rule.description,
  RoleArn: rule.roleArn,
  EventBusName: rule.bus,
})
