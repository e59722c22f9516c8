import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'

/**
 * Handles the messages of a batch at the same time. Those that `handle` returns false for are delivered again.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
 */
export async function handleBatch(
  { Records: records }: SQSEvent,
  handle: (record: SQSRecord) => Promise<boolean>,
): Promise<SQSBatchResponse> {
  const handled = await Promise.all(records.map(handle))
  const failedRecords = records.filter((_, index) => !handled[index])
  return { batchItemFailures: failedRecords.map(({ messageId }) => ({ itemIdentifier: messageId })) }
}
