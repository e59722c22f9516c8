// Schemas of the input of each action, in the JSON protocol's shapes. Unknown members are ignored, as in AWS.
import * as z from 'zod'
import { createMissingParameterError, SqsError } from './errors.ts'

const text = z.string()
const integer = z.int()
const strings = z.array(text)
const map = z.record(text, text)
const attributes = z.record(
  text,
  z.object({
    DataType: text.optional(),
    StringValue: text.optional(),
    BinaryValue: text.optional(),
    StringListValues: strings.optional(),
    BinaryListValues: strings.optional(),
  }),
)

const queue = { QueueUrl: text }
const page = { NextToken: text.optional(), MaxResults: integer.optional() }
const message = {
  MessageBody: text,
  DelaySeconds: integer.optional(),
  MessageAttributes: attributes.optional(),
  MessageSystemAttributes: attributes.optional(),
  MessageDeduplicationId: text.optional(),
  MessageGroupId: text.optional(),
}
const receipt = { ReceiptHandle: text }
const createEntriesSchema = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.array(z.object({ Id: text, ...shape }))

const inputs = {
  CancelMessageMoveTask: z.object({ TaskHandle: text }),
  ChangeMessageVisibility: z.object({ ...queue, ...receipt, VisibilityTimeout: integer }),
  ChangeMessageVisibilityBatch: z.object({
    ...queue,
    Entries: createEntriesSchema({ ...receipt, VisibilityTimeout: integer.optional() }),
  }),
  CreateQueue: z.object({
    QueueName: text,
    Attributes: map.optional(),
    /** The name is in lower case in the JSON protocol of this action only. */
    tags: map.optional(),
    Tags: map.optional(),
  }),
  DeleteMessage: z.object({ ...queue, ...receipt }),
  DeleteMessageBatch: z.object({ ...queue, Entries: createEntriesSchema(receipt) }),
  DeleteQueue: z.object(queue),
  GetQueueAttributes: z.object({ ...queue, AttributeNames: strings.optional() }),
  GetQueueUrl: z.object({ QueueName: text, QueueOwnerAWSAccountId: text.optional() }),
  ListDeadLetterSourceQueues: z.object({ ...queue, ...page }),
  ListMessageMoveTasks: z.object({ SourceArn: text, MaxResults: integer.optional() }),
  ListQueueTags: z.object(queue),
  ListQueues: z.object({ QueueNamePrefix: text.optional(), ...page }),
  PurgeQueue: z.object(queue),
  ReceiveMessage: z.object({
    ...queue,
    AttributeNames: strings.optional(),
    MessageSystemAttributeNames: strings.optional(),
    MessageAttributeNames: strings.optional(),
    MaxNumberOfMessages: integer.optional(),
    VisibilityTimeout: integer.optional(),
    WaitTimeSeconds: integer.optional(),
    ReceiveRequestAttemptId: text.optional(),
  }),
  SendMessage: z.object({ ...queue, ...message }),
  SendMessageBatch: z.object({ ...queue, Entries: createEntriesSchema(message) }),
  SetQueueAttributes: z.object({ ...queue, Attributes: map }),
  StartMessageMoveTask: z.object({
    SourceArn: text,
    DestinationArn: text.optional(),
    MaxNumberOfMessagesPerSecond: integer.optional(),
  }),
  TagQueue: z.object({ ...queue, Tags: map }),
  UntagQueue: z.object({ ...queue, TagKeys: strings }),
} as const

export type Action = keyof typeof inputs
export type ActionInput<A extends Action> = z.infer<(typeof inputs)[A]>

export function isAction(name: string): name is Action {
  return Object.hasOwn(inputs, name)
}

export function readInput<A extends Action>(action: A, givenInput: unknown): ActionInput<A> {
  const parsedInput = inputs[action].safeParse(givenInput)
  // TypeScript does not carry A through the lookup, but the schema of `action` has exactly this type.
  if (parsedInput.success) return parsedInput.data as ActionInput<A>
  const [issue] = parsedInput.error.issues
  const path = issue?.path ?? []
  if (path.length > 0 && getValueAt(givenInput, path) === undefined)
    throw createMissingParameterError(formatParameterName(action, path))
  throw new SqsError(
    'SerializationException',
    `The value of ${formatParameterName(action, path) || 'the request'} has the wrong type: ${issue?.message ?? 'not valid'}.`,
  )
}

function getValueAt(givenInput: unknown, path: readonly PropertyKey[]): unknown {
  let value: unknown = givenInput
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = Reflect.get(value, key)
  }
  return value
}

/** Names a parameter like AWS: as in the Query protocol, with entries counted from one. */
function formatParameterName(action: Action, path: readonly PropertyKey[]): string {
  return path
    .map((key) =>
      typeof key === 'number' ? key + 1 : key === 'Entries' ? `${action}RequestEntry` : String(key),
    )
    .join('.')
}
