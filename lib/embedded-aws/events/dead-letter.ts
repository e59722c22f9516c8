import type { DeliveryFailure } from './delivery-failure.ts'
import type { PendingDelivery } from './outbox.ts'

/**
 * Creates the message for a dead-letter queue, with the attributes that the two services document:
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-dlq.html
 * https://docs.aws.amazon.com/scheduler/latest/UserGuide/configuring-schedule-dlq.html
 */
export function createDeadLetter(
  { origin, body, targetArn, retries }: PendingDelivery,
  failure: DeliveryFailure,
  exhausted: string | undefined,
): { body: string; attributes: Record<string, string> } {
  const attributes = {
    ERROR_CODE: origin.kind === 'rule' ? failure.code : failure.name,
    ERROR_MESSAGE: failure.message.slice(0, 1000) || failure.name,
    RETRY_ATTEMPTS: `${retries}`,
    TARGET_ARN: targetArn,
    ...(exhausted && { EXHAUSTED_RETRY_CONDITION: exhausted }),
  }
  if (origin.kind === 'rule')
    return { body: origin.event, attributes: { ...attributes, RULE_ARN: origin.arn } }
  return {
    body,
    attributes: {
      ...attributes,
      SCHEDULE_ARN: origin.arn,
      SCHEDULED_TIME: origin.scheduledAt,
      EXECUTION_ID: origin.executionId,
      IS_PAYLOAD_TRUNCATED: 'false',
    },
  }
}
