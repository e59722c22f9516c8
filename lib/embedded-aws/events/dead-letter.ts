import type { DeliveryFailure } from './delivery-failure.ts'
import type { PendingDelivery } from './outbox.ts'

/**
 * Creates the message for a dead-letter queue, with the attributes that AWS documents:
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-dlq.html
 */
export function createDeadLetter(
  { origin, targetArn, retries }: PendingDelivery,
  failure: DeliveryFailure,
  exhaustedCondition: string | undefined,
): { body: string; attributes: Record<string, string> } {
  return {
    body: origin.event,
    attributes: {
      ERROR_CODE: failure.code,
      ERROR_MESSAGE: failure.message.slice(0, 1000) || failure.name,
      RETRY_ATTEMPTS: `${retries}`,
      TARGET_ARN: targetArn,
      ...(exhaustedCondition && { EXHAUSTED_RETRY_CONDITION: exhaustedCondition }),
      RULE_ARN: origin.arn,
    },
  }
}
