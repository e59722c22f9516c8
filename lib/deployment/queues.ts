import type { ImageId } from '../engines/engine.ts'
import { imageIds, maxReceiveCount, queueVisibilityS } from '../resources.ts'

/** Seconds; the longest that SQS keeps a message, for somebody to look at what failed. */
const deadLetterRetentionS = 14 * 24 * 3600

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

export const queueId = (image: ImageId) => `${capitalized(image)}Queue`
export const deadLetterQueueId = (image: ImageId) => `${capitalized(image)}DeadLetterQueue`

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
    [deadLetterQueueId(image)]: {
      Type: 'AWS::SQS::Queue',
      Properties: {
        QueueName: queueName(`${image}-dead`),
        MessageRetentionPeriod: deadLetterRetentionS,
        SqsManagedSseEnabled: true,
      },
    },
  }
}

/** A queue per image, each with the one that takes what could not be worked off. */
export const queueResources = () => Object.assign({}, ...imageIds.map(queuesOf))
