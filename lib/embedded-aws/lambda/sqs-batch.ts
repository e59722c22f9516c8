// Creates queue events and reads the batch responses of functions.
// https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
import type { Message } from '@aws-sdk/client-sqs'
import type { SQSMessageAttributeDataType, SQSMessageAttributes, SQSRecord } from 'aws-lambda'
import * as z from 'zod'

/** Splits messages into batches of at most `size` messages and about `maxBytes` of bodies. */
export function splitIntoBatches(messages: readonly Message[], size: number, maxBytes: number): Message[][] {
  const batches: Message[][] = []
  let bytes = 0
  for (const message of messages) {
    const length = Buffer.byteLength(message.Body ?? '')
    const lastBatch = batches.at(-1)
    if (lastBatch && lastBatch.length < size && bytes + length <= maxBytes) {
      lastBatch.push(message)
      bytes += length
    } else {
      batches.push([message])
      bytes = length
    }
  }
  return batches
}

export function toSqsRecord(message: Message, source: { queueArn: string; region: string }): SQSRecord {
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    // The message was received with "All", so it has all attributes that Lambda documents.
    attributes: (message.Attributes ?? {}) as unknown as SQSRecord['attributes'],
    messageAttributes: toMessageAttributes(message),
    md5OfBody: message.MD5OfBody ?? '',
    ...(message.MD5OfMessageAttributes && { md5OfMessageAttributes: message.MD5OfMessageAttributes }),
    eventSource: 'aws:sqs',
    eventSourceARN: source.queueArn,
    awsRegion: source.region,
  }
}

function toMessageAttributes({ MessageAttributes = {} }: Message): SQSMessageAttributes {
  const entries = Object.entries(MessageAttributes).map(
    ([name, { DataType, StringValue, BinaryValue }]) =>
      [
        name,
        {
          ...(StringValue !== undefined && { stringValue: StringValue }),
          ...(BinaryValue && { binaryValue: Buffer.from(BinaryValue).toString('base64') }),
          stringListValues: [],
          binaryListValues: [],
          // The declared type only has the three basic types; a sender may append a label, as in `Number.cents`.
          dataType: DataType as SQSMessageAttributeDataType,
        },
      ] as const,
  )
  // The declared type also has lists, which are always empty.
  return Object.fromEntries(entries) as unknown as SQSMessageAttributes
}

const BatchResponse = z
  .object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string().min(1) })).nullish() })
  .nullish()

/**
 * Returns the messages that a function reports as failed; none for a response without a list.
 * @throws if the response is malformed or names a message that was not in the batch; then all messages have failed
 */
export function readFailedIds(response: unknown, batch: readonly string[]): ReadonlySet<string> {
  const parsed = BatchResponse.safeParse(response)
  if (!parsed.success)
    throw new Error(
      `the function's response has no list of { itemIdentifier } in batchItemFailures: ${parsed.error.message}`,
    )
  const ids = (parsed.data?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier)
  const unknownId = ids.find((id) => !batch.includes(id))
  if (unknownId !== undefined)
    throw new Error(`the function reported the message ${unknownId} as failed, which was not in the batch`)
  return new Set(ids)
}
