import type { FunctionDeclaration } from '../resources/function-declaration.ts'
import { functions } from '../resources/functions.ts'
import { visibilityTimeoutOf } from '../resources/queue-functions.ts'
import { maxReceiveCount, type QueueId, queueIds } from '../resources/queues.ts'
import { arnOf, deadLetterQueueId, queueName, queueResourceId } from './references.ts'

/** The maximum retention of SQS, to leave time to look at failures. */
const deadLetterRetentionS = 14 * 24 * 3600

function queueWithDeadLetters(queue: QueueId) {
  return {
    [queueResourceId(queue)]: {
      Type: 'AWS::SQS::Queue',
      Properties: {
        QueueName: queueName(queue),
        VisibilityTimeout: visibilityTimeoutOf(queue),
        SqsManagedSseEnabled: true,
        RedrivePolicy: {
          deadLetterTargetArn: arnOf(deadLetterQueueId(queue)),
          maxReceiveCount,
        },
      },
    },
    ...deadLetterQueue(queue),
  }
}

const deadLetterQueue = (name: string) => ({
  [deadLetterQueueId(name)]: {
    Type: 'AWS::SQS::Queue',
    Properties: {
      QueueName: queueName(`${name}-dead`),
      MessageRetentionPeriod: deadLetterRetentionS,
      SqsManagedSseEnabled: true,
    },
  },
})

/** Returns all queues with their dead-letter queues, and the dead-letter queues of functions. */
export function queueResources(declared: Readonly<Record<string, FunctionDeclaration>> = functions) {
  const names = Object.keys(declared).filter((name) => declared[name]?.deadLetter)
  return Object.assign({}, ...queueIds.map(queueWithDeadLetters), ...names.map(deadLetterQueue))
}
