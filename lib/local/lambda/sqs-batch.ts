// What a function gets from a queue and what its answer says, after
// https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
import type { Message } from '@aws-sdk/client-sqs'
import type { SQSMessageAttributeDataType, SQSMessageAttributes, SQSRecord } from 'aws-lambda'
import * as z from 'zod'

/** Batches of at most `size` messages and about `mostBytes` of bodies. */
export function splitIntoBatches(messages: readonly Message[], size: number, maxBytes: number): Message[][] {
  const batches: Message[][] = []
  let bytes = 0
  for (const message of messages) {
    const length = Buffer.byteLength(message.Body ?? '')
    const last = batches.at(-1)
    if (last && last.length < size && bytes + length <= maxBytes) {
      last.push(message)
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
    // Asked for with "All", so those that Lambda promises are there.
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
          // The type knows the three kinds; a label of the sender's own may follow, as in `Number.cents`.
          dataType: DataType as SQSMessageAttributeDataType,
        },
      ] as const,
  )
  // The type declares lists that never hold anything.
  return Object.fromEntries(entries) as unknown as SQSMessageAttributes
}

const BatchResponse = z
  .object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string().min(1) })).nullish() })
  .nullish()

/**
 * Messages that a function names as failed; none for an answer without a list.
 * @throws when the answer has another shape or names a message that was not in the batch: then all have failed.
 */
export function failedIds(response: unknown, batch: readonly string[]): ReadonlySet<string> {
  const parsed = BatchResponse.safeParse(response)
  if (!parsed.success)
    throw new Error(
      `the function's answer has no list of { itemIdentifier } in batchItemFailures: ${parsed.error.message}`,
    )
  const ids = (parsed.data?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier)
  const foreign = ids.find((id) => !batch.includes(id))
  if (foreign !== undefined)
    throw new Error(`the function names ${foreign}, which was not in the batch, as failed`)
  return new Set(ids)
}
