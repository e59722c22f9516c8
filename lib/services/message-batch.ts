import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import { continueChain, maxHops, readHops, readTraceparent } from '../aws/message-chain.ts'
import type { Log } from '../log.ts'
import { failSpan, runSpan } from '../trace.ts'

/**
 * Handles the messages of a batch at the same time. Those that `handle` returns false for are delivered again; one that
 * ends a chain of more than `maxHops` messages is not handled, so it gets into the dead-letter queue.
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

/** The span of a message continues the trace of what sent it. */
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
