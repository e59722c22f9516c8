// Queue attributes: names, limits and defaults.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html
import * as z from 'zod'
import { quotas } from '../quotas.ts'
import { createInvalidValueError, SqsError } from './errors.ts'

export const messageBytesLimit = quotas.messageBytes.value
export const maxVisibilityS = 43_200

export type QueueAttributes = Readonly<Record<string, string>>

export interface QueueSettings {
  readonly fifo: boolean
  readonly delayS: number
  readonly maxMessageBytes: number
  readonly retentionS: number
  readonly waitS: number
  readonly visibilityS: number
  readonly contentBasedDeduplication: boolean
  readonly deduplicateByGroup: boolean
  readonly kmsKeyId: string | undefined
  readonly redrive: { readonly deadLetterTargetArn: string; readonly maxReceiveCount: number } | undefined
}

interface Rule {
  /** Returns the value as it is stored and returned; undefined if it is invalid. */
  readonly accept: (value: string) => string | undefined
  readonly defaultValue?: string
  readonly fifoOnly?: true
}

const integer = (min: number, max: number, defaultValue?: string): Rule => ({
  accept: (value) =>
    /^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max ? `${Number(value)}` : undefined,
  ...(defaultValue !== undefined && { defaultValue }),
})
const oneOf = (allowedValues: readonly string[], defaultValue?: string): Rule => ({
  accept: (value) => (allowedValues.includes(value) ? value : undefined),
  ...(defaultValue !== undefined && { defaultValue }),
})
const boolean: Rule = {
  accept: (value) => (/^(true|false)$/i.test(value) ? value.toLowerCase() : undefined),
}
const policy: Rule = {
  accept: (value) => (z.looseObject({}).safeParse(readJson(value)).success ? value : undefined),
}

const rules: Readonly<Record<string, Rule>> = {
  DelaySeconds: integer(0, 900, '0'),
  MaximumMessageSize: integer(1024, messageBytesLimit, `${messageBytesLimit}`),
  MessageRetentionPeriod: integer(60, 1_209_600, '345600'),
  ReceiveMessageWaitTimeSeconds: integer(0, 20, '0'),
  VisibilityTimeout: integer(0, maxVisibilityS, '30'),
  Policy: policy,
  RedrivePolicy: { accept: readRedrivePolicy },
  RedriveAllowPolicy: { accept: readRedriveAllowPolicy },
  KmsMasterKeyId: { accept: (value) => value },
  KmsDataKeyReusePeriodSeconds: integer(60, 86_400),
  SqsManagedSseEnabled: { ...boolean, defaultValue: 'true' },
  FifoQueue: { ...boolean, fifoOnly: true },
  ContentBasedDeduplication: { ...boolean, defaultValue: 'false', fifoOnly: true },
  DeduplicationScope: { ...oneOf(['queue', 'messageGroup'], 'queue'), fifoOnly: true },
  FifoThroughputLimit: { ...oneOf(['perQueue', 'perMessageGroupId'], 'perQueue'), fifoOnly: true },
}

/** Read-only attributes, whose values are computed. */
const computedAttributes = new Set([
  'All',
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesDelayed',
  'ApproximateNumberOfMessagesNotVisible',
  'CreatedTimestamp',
  'LastModifiedTimestamp',
  'QueueArn',
])

export function checkAttributeNames(names: readonly string[]) {
  const unknownName = names.find((name) => !computedAttributes.has(name) && !Object.hasOwn(rules, name))
  if (unknownName !== undefined)
    throw new SqsError('InvalidAttributeName', `Unknown Attribute ${unknownName}.`)
}

/** Applies `changes` to `attributesBefore`; an empty value resets an attribute to its default. */
export function changeAttributes(
  attributesBefore: QueueAttributes,
  changes: Readonly<Record<string, string>>,
  fifo: boolean,
): QueueAttributes {
  const attributesAfter: Record<string, string> = { ...attributesBefore }
  for (const [name, value] of Object.entries(changes)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
    if (!rule || (rule.fifoOnly && !fifo)) throw createUnknownAttributeError(name, rule !== undefined)
    const acceptedValue = value === '' ? '' : rule.accept(value)
    if (acceptedValue === undefined)
      throw new SqsError('InvalidAttributeValue', `Invalid value for the parameter ${name}.`)
    if (acceptedValue === '') delete attributesAfter[name]
    else attributesAfter[name] = acceptedValue
  }
  checkCombination(attributesAfter, changes)
  return attributesAfter
}

function createUnknownAttributeError(name: string, isKnown: boolean): SqsError {
  if (isKnown && (name === 'DeduplicationScope' || name === 'FifoThroughputLimit'))
    return new SqsError(
      'InvalidAttributeName',
      `You can specify the ${name} only when FifoQueue is set to true.`,
    )
  return new SqsError('InvalidAttributeName', `Unknown Attribute ${name}.`)
}

function checkCombination(
  attributesAfter: Record<string, string>,
  changes: Readonly<Record<string, string>>,
) {
  if (changes.KmsMasterKeyId && changes.SqsManagedSseEnabled === 'true')
    throw new SqsError('InvalidAttributeName', twoEncryptionsMessage)
  if (
    attributesAfter.KmsMasterKeyId &&
    attributesAfter.SqsManagedSseEnabled === 'true' &&
    changes.SqsManagedSseEnabled
  )
    throw new SqsError('InvalidAttributeName', twoEncryptionsMessage)
  if (changes.KmsMasterKeyId) attributesAfter.SqsManagedSseEnabled = 'false'
  if (
    attributesAfter.FifoThroughputLimit === 'perMessageGroupId' &&
    attributesAfter.DeduplicationScope !== 'messageGroup'
  )
    throw new SqsError(
      'InvalidAttributeValue',
      'Invalid value for the parameter FifoThroughputLimit. Reason: perMessageGroupId is allowed only when DeduplicationScope is messageGroup.',
    )
}

const twoEncryptionsMessage =
  'You can use one type of server-side encryption (SSE) at one time. You can either enable KMS SSE or SQS SSE.'

/** Returns all attributes that are set or have a default, as GetQueueAttributes does. */
export function describeAttributes(attributes: QueueAttributes, fifo: boolean): Record<string, string> {
  const shownAttributes: Record<string, string> = {}
  for (const [name, rule] of Object.entries(rules)) {
    const value = attributes[name] ?? (rule.fifoOnly && !fifo ? undefined : rule.defaultValue)
    if (value !== undefined) shownAttributes[name] = value
  }
  if (!shownAttributes.KmsMasterKeyId) delete shownAttributes.KmsDataKeyReusePeriodSeconds
  else shownAttributes.KmsDataKeyReusePeriodSeconds ??= '300'
  return shownAttributes
}

export function readSettings(attributes: QueueAttributes, fifo: boolean): QueueSettings {
  const shownAttributes = describeAttributes(attributes, fifo)
  const redrive = shownAttributes.RedrivePolicy
  return {
    fifo,
    delayS: Number(shownAttributes.DelaySeconds),
    maxMessageBytes: Number(shownAttributes.MaximumMessageSize),
    retentionS: Number(shownAttributes.MessageRetentionPeriod),
    waitS: Number(shownAttributes.ReceiveMessageWaitTimeSeconds),
    visibilityS: Number(shownAttributes.VisibilityTimeout),
    contentBasedDeduplication: shownAttributes.ContentBasedDeduplication === 'true',
    deduplicateByGroup: shownAttributes.DeduplicationScope === 'messageGroup',
    kmsKeyId: shownAttributes.KmsMasterKeyId,
    redrive: redrive ? RedrivePolicy.parse(readJson(redrive)) : undefined,
  }
}

const RedrivePolicy = z.object({
  deadLetterTargetArn: z.string(),
  maxReceiveCount: z.coerce.number().int().min(1).max(1000),
})
const RedriveAllowPolicy = z.discriminatedUnion('redrivePermission', [
  z.strictObject({ redrivePermission: z.enum(['allowAll', 'denyAll']) }),
  z.strictObject({
    redrivePermission: z.literal('byQueue'),
    sourceQueueArns: z.array(z.string()).min(1).max(10),
  }),
])

const arnPattern = /^arn:[\w-]+:sqs:[\w-]*:\d{12}:[\w.-]+$/

function readRedrivePolicy(value: string): string {
  const refuse = (reason: string) => createInvalidValueError('RedrivePolicy', value, reason)
  const givenPolicy = z.looseObject({}).safeParse(readJson(value))
  if (!givenPolicy.success) throw refuse('Redrive policy is not a valid JSON map.')
  for (const name of ['deadLetterTargetArn', 'maxReceiveCount'])
    if (givenPolicy.data[name] === undefined)
      throw refuse(`Redrive policy does not contain mandatory attribute: ${name}.`)
  const { deadLetterTargetArn, maxReceiveCount } = givenPolicy.data
  if (typeof deadLetterTargetArn !== 'string' || !arnPattern.test(deadLetterTargetArn))
    throw refuse('Invalid value for deadLetterTargetArn.')
  const policy = RedrivePolicy.safeParse(givenPolicy.data)
  if (!policy.success)
    throw refuse(
      `Invalid value for maxReceiveCount: ${String(maxReceiveCount)}, valid values are from 1 to 1000 both inclusive.`,
    )
  return JSON.stringify(policy.data)
}

function readRedriveAllowPolicy(value: string): string {
  const policy = RedriveAllowPolicy.safeParse(readJson(value))
  if (!policy.success)
    throw createInvalidValueError(
      'RedriveAllowPolicy',
      value,
      'redrivePermission must be allowAll, denyAll or byQueue, and byQueue needs sourceQueueArns with 1 to 10 queue ARNs.',
    )
  return JSON.stringify(policy.data)
}

/** Returns true if a dead-letter queue with this RedriveAllowPolicy accepts messages of the queue `sourceArn`. */
export function allowsRedrive(redriveAllowPolicy: string | undefined, sourceArn: string): boolean {
  if (redriveAllowPolicy === undefined) return true
  const policy = RedriveAllowPolicy.parse(readJson(redriveAllowPolicy))
  if (policy.redrivePermission === 'byQueue') return policy.sourceQueueArns.includes(sourceArn)
  return policy.redrivePermission === 'allowAll'
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
