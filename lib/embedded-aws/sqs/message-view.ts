// Formats a received message as the API returns it, with the requested attributes only.
import { hash } from 'node:crypto'
import { computeAttributesMd5, type MessageAttributes, pickAttributes } from './message-attributes.ts'
import type { ReceivedMessage } from './messages.ts'
import type { Queue } from './queues.ts'
import { writeReceipt } from './receipts.ts'
import { formatSequenceNumber } from './sending.ts'

interface RequestedAttributes {
  readonly systemAttributes: readonly string[]
  readonly messageAttributes: readonly string[]
}

export function viewMessage(
  queue: Queue,
  receivedMessage: ReceivedMessage,
  requestedAttributes: RequestedAttributes,
) {
  const { row, content, token } = receivedMessage
  // sending.ts wrote validated attributes.
  const attributes = JSON.parse(content.attributes) as MessageAttributes
  const pickedAttributes = pickAttributes(attributes, requestedAttributes.messageAttributes)
  const system = viewSystemAttributes(queue, receivedMessage, requestedAttributes.systemAttributes)
  return {
    MessageId: row.id,
    ReceiptHandle: writeReceipt({ queueId: queue.id, seq: row.seq, token }),
    MD5OfBody: hash('md5', content.body),
    Body: content.body,
    ...(system && { Attributes: system }),
    ...(pickedAttributes && {
      MD5OfMessageAttributes: computeAttributesMd5(pickedAttributes),
      MessageAttributes: pickedAttributes,
    }),
  }
}

function viewSystemAttributes(
  queue: Queue,
  { row, content }: ReceivedMessage,
  requestedNames: readonly string[],
) {
  if (requestedNames.length === 0) return undefined
  const allAttributes: Record<string, string | null> = {
    SenderId: content.sender,
    ApproximateFirstReceiveTimestamp: `${row.first_received_at ?? row.sent_at}`,
    ApproximateReceiveCount: `${row.received + row.received_before}`,
    SentTimestamp: `${row.sent_at}`,
    SequenceNumber: queue.settings.fifo ? formatSequenceNumber(row.seq) : null,
    MessageDeduplicationId: row.dedup_id,
    MessageGroupId: row.group_id,
    AWSTraceHeader: content.trace,
    DeadLetterQueueSourceArn: row.source_arn,
  }
  const visibleAttributes: Record<string, string> = {}
  for (const [name, value] of Object.entries(allAttributes))
    if (value !== null && (requestedNames.includes('All') || requestedNames.includes(name)))
      visibleAttributes[name] = value
  return Object.keys(visibleAttributes).length > 0 ? visibleAttributes : undefined
}
