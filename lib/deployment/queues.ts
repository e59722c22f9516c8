import type { ImageId } from '../engines/engine.ts'
import {
  type FunctionDeclaration,
  functions,
  imageIds,
  maxReceiveCount,
  queueVisibilityS,
} from '../resources.ts'

/** Seconds; the longest that SQS keeps a message, for somebody to look at what failed. */
const deadLetterRetentionS = 14 * 24 * 3600

/** `convert-av` → `ConvertAv`: ids of resources have no hyphens. */
export const pascalCase = (name: string) =>
  name
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

export const queueId = (image: ImageId) => `${pascalCase(image)}Queue`
/** For what an image could not work off, or what a function failed to do asynchronously. */
export const deadLetterQueueId = (name: string) => `${pascalCase(name)}DeadLetterQueue`

/** Name of a queue, or with '' what stands before the image id in all of them. */
export const queueName = (suffix: string) => `\${self:service}-\${sls:stage}-${suffix}`

function queuesOf(image: ImageId) {
  return {
    [queueId(image)]: {
      Type: 'AWS::SQS::Queue',
      Properties: {
        QueueName: queueName(image),
        VisibilityTimeout: queueVisibilityS,
        SqsManagedSseEnabled: true,
        RedrivePolicy: {
          deadLetterTargetArn: { 'Fn::GetAtt': [deadLetterQueueId(image), 'Arn'] },
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
