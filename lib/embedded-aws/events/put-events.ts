// PutEvents, and the routing of events through the rules of a bus into the outbox.
import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { quotas } from '../quotas.ts'
import type { EventsAccount } from './account.ts'
import { getBusCollection, parseBusName } from './buses.ts'
import { createThrottlingError, createValidationError } from './errors.ts'
import { flattenEvent } from './flatten-event.ts'
import { parseJsonObject } from './json.ts'
import { matchesPattern, TooComplex } from './matching.ts'
import { type PatternCondition, readPattern } from './pattern.ts'
import { readMembers, rejectField, retryLimits, textField } from './request-params.ts'
import { createRuleArn, getRuleCollection, type Rule } from './rules.ts'
import { buildTargetInput, type RuleEvent } from './target-input.ts'

const Entry = z.object({
  Time: z.number().optional(),
  Source: z.string().optional(),
  Resources: z.array(textField(0, 2048)).default([]),
  DetailType: z.string().optional(),
  Detail: z.string().optional(),
  EventBusName: textField(
    1,
    1600,
    '(arn:aws[\\w-]*:events:[a-z]+-[a-z]+-[\\w-]+:[0-9]{12}:event-bus\\/)?[\\.\\-_A-Za-z0-9]+',
  ).optional(),
  TraceHeader: textField(1, 500).optional(),
})
type Entry = z.infer<typeof Entry>

const PutEvents = z.object({
  Entries: z.array(Entry).min(1).max(10),
  EndpointId: rejectField('EndpointId'),
})

/** AWS: "The total entry size must be less than 1MB." */
const maxEntriesBytes = quotas.eventEntriesBytes.value

export const eventOperations = {
  async PutEvents(account: EventsAccount, body: unknown) {
    const { Entries } = readMembers(PutEvents, body)
    const { accountId, putEventsRate } = account
    if (putEventsRate?.hasTokens(accountId) === false) throw createThrottlingError()
    putEventsRate?.take(accountId, 1)
    const bytes = Entries.reduce((sum, entry) => sum + countEntryBytes(entry), 0)
    if (bytes >= maxEntriesBytes)
      throw createValidationError('Total size of the entries in the request is over the limit.')
    const results = Entries.map((entry) => ({ entry, ...readEntry(account, entry) }))
    await account.store.commit(() => {
      for (const result of results)
        if ('event' in result)
          routeEvent(account, parseBusName(account, result.entry.EventBusName), result.event)
    })
    return {
      FailedEntryCount: results.filter((result) => 'refusal' in result).length,
      Entries: results.map((result) => ('refusal' in result ? result.refusal : { EventId: result.id })),
    }
  },

  TestEventPattern(_: EventsAccount, body: unknown) {
    const { EventPattern, Event } = readMembers(
      z.object({ EventPattern: textField(0, 4096), Event: z.string() }),
      body,
    )
    const pattern = readPattern(EventPattern)
    const event = parseJsonObject(Event)
    const leaves = event && flattenEvent(event)
    const requiredFields = ['id', 'account', 'source', 'time', 'region', 'detail-type']
    if (!leaves || requiredFields.some((name) => typeof event[name] !== 'string'))
      throw createValidationError('Parameter Event is not valid.')
    return { Result: matchesPattern(pattern, leaves) }
  },
}

/**
 * Returns the size of an entry as AWS counts it:
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevents.html#eb-putevent-size
 */
function countEntryBytes({ Time, Source = '', DetailType = '', Detail = '', Resources }: Entry): number {
  const texts = [Source, DetailType, Detail, ...Resources]
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), Time === undefined ? 0 : 14)
}

const createRefusal = (ErrorCode: string, ErrorMessage: string) => ({ refusal: { ErrorCode, ErrorMessage } })

function readEntry(account: EventsAccount, { Time, Source, DetailType, Detail, Resources }: Entry) {
  const missingField = !Source ? 'Source' : !DetailType ? 'DetailType' : !Detail ? 'Detail' : undefined
  if (missingField)
    return createRefusal(
      'InvalidArgument',
      `Parameter ${missingField} is not valid. Reason: ${missingField} is a required argument.`,
    )
  if (Source?.startsWith('aws.'))
    return createRefusal('NotAuthorizedForSourceException', 'Not authorized for the source.')
  const time = new Date(Time === undefined ? account.now() : Time * 1000)
  if (Number.isNaN(time.getTime())) return createRefusal('InvalidArgument', 'Parameter Time is not valid.')
  if (!Detail || !parseJsonObject(Detail)) return createRefusal('MalformedDetail', 'Detail is malformed.')
  const id = randomUUID()
  const json = composeEvent(account, {
    id,
    source: `${Source}`,
    detailType: `${DetailType}`,
    time,
    resources: Resources,
    detail: Detail,
  })
  const event = readEvent(json)
  return event ? { id, event } : createRefusal('MalformedDetail', 'Detail is malformed.')
}

interface EventParts {
  readonly id: string
  readonly source: string
  readonly detailType: string
  readonly time: Date
  readonly resources: readonly string[]
  /** Detail of the event as JSON, which is passed on unchanged, so that numbers keep their digits. */
  readonly detail: string
}

export function composeEvent(
  account: EventsAccount,
  { id, source, detailType, time, resources, detail }: EventParts,
): string {
  const head = JSON.stringify({
    version: '0',
    id,
    'detail-type': detailType,
    source,
    account: account.accountId,
    time: formatEventTime(time),
    region: account.region,
    resources,
  })
  return `${head.slice(0, -1)},"detail":${detail.trim()}}`
}

/** Formats a time in whole seconds, as in events. */
const formatEventTime = (time: Date) => time.toISOString().replace(/\.\d+Z$/, 'Z')

interface Event extends RuleEvent {
  readonly leaves: NonNullable<ReturnType<typeof flattenEvent>>
}

export function readEvent(json: string): Event | undefined {
  const value = parseJsonObject(json)
  const leaves = value && flattenEvent(value)
  return leaves && { json, value, leaves }
}

const patterns = new WeakMap<Rule, PatternCondition[]>()

/** Returns the parsed pattern of a rule, which is cached, because rules are never changed in place. */
function getConditions(rule: Rule, pattern: string): PatternCondition[] {
  const cachedConditions = patterns.get(rule)
  if (cachedConditions) return cachedConditions
  const conditions = readPattern(pattern)
  patterns.set(rule, conditions)
  return conditions
}

/** Yields the rules that match an event; none for an unknown bus. */
export function* findMatchingRules(account: EventsAccount, bus: string, event: Event): Generator<Rule> {
  if (!getBusCollection(account).get(bus)) return
  for (const rule of getRuleCollection(account).values()) {
    const { pattern } = rule
    if (rule.bus !== bus || rule.state === 'DISABLED' || pattern === undefined) continue
    try {
      if (matchesPattern(getConditions(rule, pattern), event.leaves)) yield rule
    } catch (error) {
      if (!(error instanceof TooComplex)) throw error
      account.log('An event was too large to be compared with a rule.', {
        rule: createRuleArn(account, rule),
      })
    }
  }
}

/** Adds deliveries to the targets of all matching rules. Call only inside a commit. */
export function routeEvent(account: EventsAccount, bus: string, event: Event, hops = 0): void {
  for (const rule of findMatchingRules(account, bus, event)) queueDeliveries(account, rule, event, hops)
}

/** Adds a delivery for every target of a rule. Call only inside a commit. */
export function queueDeliveries(account: EventsAccount, rule: Rule, event: RuleEvent, hops = 0): void {
  const at = account.now()
  const arn = createRuleArn(account, rule)
  const ruleMessage = { name: rule.name, arn, ingestedAt: formatEventTime(new Date(at)) }
  for (const target of rule.targets) {
    const group = target.SqsParameters?.MessageGroupId
    account.store.outbox.add(
      {
        targetArn: target.Arn,
        body: buildTargetInput(target, event, ruleMessage),
        ...(group !== undefined && { messageGroupId: group }),
        origin: { kind: 'rule', arn, event: event.json },
        acceptedAt: at,
        maximumAgeS: target.RetryPolicy?.MaximumEventAgeInSeconds ?? retryLimits.ageS,
        maximumRetries: target.RetryPolicy?.MaximumRetryAttempts ?? retryLimits.attempts,
        retries: 0,
        hops,
        ...(target.DeadLetterConfig?.Arn !== undefined && { deadLetterArn: target.DeadLetterConfig.Arn }),
      },
      at,
    )
  }
}
