import type { ImageId } from '../engines/engine.ts'
import {
  type FunctionDeclaration,
  functions,
  imageIds,
  maxReceiveCount,
  queueVisibilityS,
} from '../resources.ts'
import { arnOf, deadLetterQueueId, queueId, queueName } from './references.ts'

/** Seconds; the longest that SQS keeps a message, for somebody to look at what failed. */
const deadLetterRetentionS = 14 * 24 * 3600

function queuesOf(image: ImageId) {
  return {
    [queueId(image)]: {
      Type: 'AWS::SQS::Queue',
      Properties: {
        QueueName: queueName(image),
        VisibilityTimeout: queueVisibilityS,
        SqsManagedSseEnabled: true,
        RedrivePolicy: {
          deadLetterTargetArn: arnOf(deadLetterQueueId(image)),
          maxReceiveCount,
        },
      },
    },
    ...deadLetterQueue(image),
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

/** A queue per image, each with the one that takes what could not be worked off, and those that functions want. */
export function queueResources(declared: Readonly<Record<string, FunctionDeclaration>> = functions) {
  const names = Object.keys(declared).filter((name) => declared[name]?.deadLetter)
  return Object.assign({}, ...imageIds.map(queuesOf), ...names.map(deadLetterQueue))
}
