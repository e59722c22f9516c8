// Implements SendMessage: validates, deduplicates and stores messages.
import { hash, randomUUID } from 'node:crypto'
import type { SqsClock } from './clock.ts'
import { createInvalidValueError, createMissingParameterError, SqsError } from './errors.ts'
import {
  computeAttributesMd5,
  createForbiddenCharactersError,
  type GivenAttributes,
  hasForbiddenCharacters,
  type MessageAttributes,
  readMessageAttributes,
} from './message-attributes.ts'
import type { Queue } from './queues.ts'
import type { SqsStore } from './store.ts'

/** How long a deduplication id, or a ReceiveRequestAttemptId, is remembered. */
export const deduplicationMs = 300_000

export interface GivenMessage {
  readonly MessageBody: string
  readonly DelaySeconds?: number | undefined
  readonly MessageAttributes?: GivenAttributes | undefined
  readonly MessageSystemAttributes?: GivenAttributes | undefined
  readonly MessageDeduplicationId?: string | undefined
  readonly MessageGroupId?: string | undefined
}

/** A validated message, ready to be stored. */
interface MessageDraft {
  readonly body: string
  readonly attributes: MessageAttributes
  readonly systemAttributes: MessageAttributes
  readonly trace: string | null
  readonly sender: string
  readonly delayS: number
  readonly groupId: string | null
  readonly dedupId: string | null
}

interface SendResult {
  readonly MessageId: string
  readonly MD5OfMessageBody: string
  readonly MD5OfMessageAttributes?: string
  readonly MD5OfMessageSystemAttributes?: string
  readonly SequenceNumber?: string
}

/** Validates a message for its queue. `isBatch` only changes the error message, as in AWS. */
export function draftMessage(
  queue: Queue,
  givenMessage: GivenMessage,
  from: { readonly sender: string; readonly trace: string | undefined },
  isBatch = false,
): MessageDraft {
  if (givenMessage.MessageBody === '') throw createMissingParameterError('MessageBody')
  const { groupId, dedupId } = readFifoFields(queue, givenMessage)
  if (hasForbiddenCharacters(givenMessage.MessageBody)) throw createForbiddenCharactersError()
  const attributes = readMessageAttributes(givenMessage.MessageAttributes ?? {})
  const systemAttributes = readSystemAttributes(givenMessage.MessageSystemAttributes ?? {})
  if (measureMessageBytes(givenMessage) > queue.settings.maxMessageBytes)
    throw new SqsError(
      'InvalidParameterValueException',
      `One or more parameters ${isBatch ? 'cannot be validated' : 'are invalid'}. Reason: Message must be shorter than ${queue.settings.maxMessageBytes} bytes.`,
    )
  return {
    body: givenMessage.MessageBody,
    attributes,
    systemAttributes,
    trace: systemAttributes.AWSTraceHeader?.StringValue ?? from.trace ?? null,
    sender: from.sender,
    delayS: readDelay(queue, givenMessage.DelaySeconds),
    groupId,
    dedupId,
  }
}

/** Returns the size in bytes of a message that is not validated yet, for the limit of a whole batch. */
export function measureMessageBytes(givenMessage: GivenMessage): number {
  let size = Buffer.byteLength(givenMessage.MessageBody)
  for (const [name, value] of Object.entries(givenMessage.MessageAttributes ?? {})) {
    const { DataType = '', StringValue = '', BinaryValue } = value
    size += Buffer.byteLength(name) + Buffer.byteLength(DataType)
    size +=
      BinaryValue === undefined ? Buffer.byteLength(StringValue) : Buffer.byteLength(BinaryValue, 'base64')
  }
  return size
}

/**
 * Reads and checks the fields for FIFO queues. Called before any message is stored, because a missing field fails the
 * whole batch.
 */
export function readFifoFields(queue: Queue, givenMessage: GivenMessage) {
  const { MessageGroupId: groupId, MessageDeduplicationId: dedupId } = givenMessage
  if (groupId !== undefined) checkToken('MessageGroupId', groupId)
  if (dedupId !== undefined) checkToken('MessageDeduplicationId', dedupId)
  if (!queue.settings.fifo) {
    if (dedupId !== undefined)
      throw createInvalidValueError(
        'MessageDeduplicationId',
        dedupId,
        'The request include parameter that is not valid for this queue type.',
      )
    return { groupId: groupId ?? null, dedupId: null }
  }
  if (groupId === undefined) throw createMissingParameterError('MessageGroupId')
  if (dedupId === undefined && !queue.settings.contentBasedDeduplication)
    throw new SqsError(
      'InvalidParameterValueException',
      'The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly',
    )
  return { groupId, dedupId: dedupId ?? hash('sha256', givenMessage.MessageBody) }
}

export function checkToken(parameter: string, value: string) {
  if (!/^[!-~]{1,128}$/.test(value))
    throw createInvalidValueError(
      parameter,
      value,
      `${parameter} can only include alphanumeric and punctuation characters. 1 to 128 in length.`,
    )
}

function readDelay(queue: Queue, delayS: number | undefined): number {
  if (delayS === undefined) return queue.settings.delayS
  if (delayS < 0 || delayS > 900)
    throw createInvalidValueError('DelaySeconds', delayS, 'DelaySeconds must be >= 0 and <= 900.')
  if (!queue.settings.fifo) return delayS
  if (delayS > 0)
    throw createInvalidValueError(
      'DelaySeconds',
      delayS,
      'The request include parameter that is not valid for this queue type.',
    )
  return queue.settings.delayS
}

function readSystemAttributes(givenAttributes: GivenAttributes): MessageAttributes {
  const unsupportedName = Object.keys(givenAttributes).find((name) => name !== 'AWSTraceHeader')
  if (unsupportedName !== undefined)
    throw new SqsError(
      'InvalidParameterValueException',
      `Message system attribute name '${unsupportedName}' is invalid. The only supported name is AWSTraceHeader.`,
    )
  const type = givenAttributes.AWSTraceHeader?.DataType
  if (type !== undefined && type !== 'String')
    throw new SqsError(
      'InvalidParameterValueException',
      "The message system attribute 'AWSTraceHeader' has an invalid message system attribute type, the supported type is String.",
    )
  // The attribute is read under another name, because its own name would be reserved among the user's attributes.
  const { AWSTraceHeader } = givenAttributes
  const values = AWSTraceHeader ? readMessageAttributes({ trace: AWSTraceHeader }) : {}
  return values.trace ? { AWSTraceHeader: values.trace } : {}
}

export type Sender = ReturnType<typeof openSender>

export function openSender(store: SqsStore, clock: SqsClock) {
  const insertMessage = store.prepare(
    `INSERT INTO messages (queue_id, id, group_id, dedup_id, sent_at, enqueued_at, visible_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  const insertBody = store.prepare('INSERT INTO bodies VALUES (?, ?, ?, ?, ?)')
  const insertDeduplication = store.prepare('INSERT OR REPLACE INTO dedup VALUES (?, ?, ?, ?, ?, ?)')
  const forget = store.prepare('DELETE FROM dedup WHERE at <= ?')
  // An id that was sent with queue scope keeps that scope after DeduplicationScope changes.
  const findDuplicate = store.prepare<{ message_id: string; seq: number }>(
    `SELECT message_id, seq FROM dedup WHERE queue_id = ? AND scope IN ('', ?) AND dedup_id = ? AND at > ?`,
  )

  /** Stores the message, or returns the result of the message that it duplicates. Call inside `store.commit`. */
  function send(queue: Queue, draft: MessageDraft): SendResult {
    const at = clock.now()
    const scope = queue.settings.deduplicateByGroup ? `g${draft.groupId ?? ''}` : ''
    if (draft.dedupId !== null) {
      forget.run(at - deduplicationMs)
      const duplicate = findDuplicate.get(queue.id, scope, draft.dedupId, at - deduplicationMs)
      if (duplicate) return describe(queue, draft, duplicate.message_id, duplicate.seq)
    }
    const id = randomUUID()
    const visibleAt = at + draft.delayS * 1000
    const { lastId: seq } = insertMessage.run(
      queue.id,
      id,
      draft.groupId,
      draft.dedupId,
      at,
      clock.getEnqueueTime(),
      visibleAt,
    )
    insertBody.run(seq, draft.body, JSON.stringify(draft.attributes), draft.trace, draft.sender)
    if (draft.dedupId !== null) insertDeduplication.run(queue.id, scope, draft.dedupId, id, seq, at)
    return describe(queue, draft, id, seq)
  }

  return { send }
}

function describe(queue: Queue, draft: MessageDraft, id: string, seq: number): SendResult {
  const attributesHash = computeAttributesMd5(draft.attributes)
  const systemAttributesHash = computeAttributesMd5(draft.systemAttributes)
  return {
    MessageId: id,
    MD5OfMessageBody: hash('md5', draft.body),
    ...(attributesHash && { MD5OfMessageAttributes: attributesHash }),
    ...(systemAttributesHash && { MD5OfMessageSystemAttributes: systemAttributesHash }),
    ...(queue.settings.fifo && { SequenceNumber: formatSequenceNumber(seq) }),
  }
}

/** Formats a sequence number with 20 digits, so that it increases in the order of sending, as in AWS. */
export function formatSequenceNumber(seq: number): string {
  return (18_850_000_000_000_000_000n + BigInt(seq) * 256n).toString()
}
