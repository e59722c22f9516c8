import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import { continueChain, maxHops, readHops, readTraceparent } from '../aws/message-chain.ts'
import type { Log } from '../log.ts'
import { failSpan, runSpan } from '../trace.ts'

/**
 * Handles the messages of a batch at the same time. Messages for which `handle` returns false are delivered again. A
 * message at the end of a chain of more than `maxHops` is not handled, so it moves to the dead-letter queue.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
 */
export async function handleBatch(
  { Records: records }: SQSEvent,
  log: Pick<Log, 'error'>,
  handle: (record: SQSRecord) => Promise<boolean>,
): Promise<SQSBatchResponse> {
  const handleInChain = async (record: SQSRecord) => {
    const hops = readHops(record)
    if (hops <= maxHops) return continueChain(hops, () => traceMessage(record, handle))
    log.error({ hops, message: record.body }, 'endless chain of messages stopped')
    return false
  }
  const wereHandled = await Promise.all(records.map(handleInChain))
  const failedRecords = records.filter((_, index) => !wereHandled[index])
  return { batchItemFailures: failedRecords.map(({ messageId }) => ({ itemIdentifier: messageId })) }
}

/** Handles a message in a span that continues the trace of its sender. */
function traceMessage(record: SQSRecord, handle: (record: SQSRecord) => Promise<boolean>): Promise<boolean> {
  const queue = record.eventSourceARN?.split(':').at(-1) ?? ''
  return runSpan(
    {
      name: `process ${queue}`,
      kind: 'consumer',
      parent: readTraceparent(record),
      attributes: {
        'messaging.system': 'aws_sqs',
        'messaging.operation.type': 'process',
        'messaging.destination.name': queue,
        'messaging.message.id': record.messageId,
      },
    },
    async () => {
      const isHandled = await handle(record)
      if (!isHandled) failSpan('redelivered')
      return isHandled
    },
  )
}
