// A received message as the API returns it, with the requested attributes only.
import { hash } from 'node:crypto'
import { attributesMd5, type MessageAttributes, pickAttributes } from './message-attributes.ts'
import type { ReceivedMessage } from './messages.ts'
import type { Queue } from './queues.ts'
import { writeReceipt } from './receipts.ts'
import { sequenceNumber } from './sending.ts'

interface RequestedAttributes {
  readonly systemAttributes: readonly string[]
  readonly messageAttributes: readonly string[]
}

export function viewMessage(queue: Queue, received: ReceivedMessage, asked: RequestedAttributes) {
  const { row, content, token } = received
  // Written by sending.ts from checked attributes.
  const attributes = JSON.parse(content.attributes) as MessageAttributes
  const picked = pickAttributes(attributes, asked.messageAttributes)
  const system = viewSystemAttributes(queue, received, asked.systemAttributes)
  return {
    MessageId: row.id,
    ReceiptHandle: writeReceipt({ queueId: queue.id, seq: row.seq, token }),
    MD5OfBody: hash('md5', content.body),
    Body: content.body,
    ...(system && { Attributes: system }),
    ...(picked && { MD5OfMessageAttributes: attributesMd5(picked), MessageAttributes: picked }),
  }
}

function viewSystemAttributes(queue: Queue, { row, content }: ReceivedMessage, asked: readonly string[]) {
  if (asked.length === 0) return undefined
  const all: Record<string, string | null> = {
    SenderId: content.sender,
    ApproximateFirstReceiveTimestamp: `${row.first_received_at ?? row.sent_at}`,
    ApproximateReceiveCount: `${row.received + row.received_before}`,
    SentTimestamp: `${row.sent_at}`,
    SequenceNumber: queue.settings.fifo ? sequenceNumber(row.seq) : null,
    MessageDeduplicationId: row.dedup_id,
    MessageGroupId: row.group_id,
    AWSTraceHeader: content.trace,
    DeadLetterQueueSourceArn: row.source_arn,
  }
  const visible: Record<string, string> = {}
  for (const [name, value] of Object.entries(all))
    if (value !== null && (asked.includes('All') || asked.includes(name))) visible[name] = value
  return Object.keys(visible).length > 0 ? visible : undefined
}
