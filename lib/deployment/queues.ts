import type { FunctionDeclaration } from '../resources/function-declaration.ts'
import { functions } from '../resources/functions.ts'
import { getVisibilityTimeoutS } from '../resources/queue-functions.ts'
import { maxReceiveCount, type QueueId, queueIds } from '../resources/queues.ts'
import { createArnReference, getDeadLetterQueueId, getQueueName, getQueueResourceId } from './references.ts'

/** The maximum retention of SQS, which leaves time to investigate failures. */
const deadLetterRetentionS = 14 * 24 * 3600

function createQueueWithDeadLetters(queue: QueueId) {
  return {
    [getQueueResourceId(queue)]: {
      Type: 'AWS::SQS::Queue',
      Properties: {
        QueueName: getQueueName(queue),
        VisibilityTimeout: getVisibilityTimeoutS(queue),
        SqsManagedSseEnabled: true,
        RedrivePolicy: {
          deadLetterTargetArn: createArnReference(getDeadLetterQueueId(queue)),
          maxReceiveCount,
        },
      },
    },
    ...createDeadLetterQueue(queue),
  }
}

const createDeadLetterQueue = (name: string) => ({
  [getDeadLetterQueueId(name)]: {
    Type: 'AWS::SQS::Queue',
    Properties: {
      QueueName: getQueueName(`${name}-dead`),
      MessageRetentionPeriod: deadLetterRetentionS,
      SqsManagedSseEnabled: true,
    },
  },
})

/** Returns all queues with their dead-letter queues, and the dead-letter queues of functions. */
export function createQueueResources(declared: Readonly<Record<string, FunctionDeclaration>> = functions) {
  const names = Object.keys(declared).filter((name) => declared[name]?.deadLetter)
  return Object.assign({}, ...queueIds.map(createQueueWithDeadLetters), ...names.map(createDeadLetterQueue))
}
