import {
  ChangeMessageVisibilityCommand,
  GetQueueAttributesCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import type { Config } from '../config.ts'
import type { ImageId } from '../engines/engine.ts'
import type { TaskMessage } from '../jobs/task-message.ts'

/** The queue of each image. */
export class Queues {
  readonly #sqs: SQSClient
  readonly #urlPrefix: string

  constructor(config: Config) {
    // The URL of a queue carries the host to talk to; the SDK would warn about the difference to its endpoint.
    this.#sqs = new SQSClient({ region: config.AWS_REGION, useQueueUrlAsEndpoint: true })
    this.#urlPrefix = config.QUEUE_URL_PREFIX
  }

  #url(image: ImageId): string {
    return `${this.#urlPrefix}${image}`
  }

  async send(image: ImageId, message: TaskMessage): Promise<void> {
    await this.#sqs.send(
      new SendMessageCommand({ QueueUrl: this.#url(image), MessageBody: JSON.stringify(message) }),
    )
  }

  /** The message stays hidden from other workers for this long, counted from now. */
  async hide(image: ImageId, receiptHandle: string, seconds: number): Promise<void> {
    await this.#sqs.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: this.#url(image),
        ReceiptHandle: receiptHandle,
        VisibilityTimeout: seconds,
      }),
    )
  }

  /** Messages that wait. @throws when the queue does not answer. */
  async depth(image: ImageId): Promise<number> {
    const { Attributes } = await this.#sqs.send(
      new GetQueueAttributesCommand({
        QueueUrl: this.#url(image),
        AttributeNames: ['ApproximateNumberOfMessages'],
      }),
    )
    return Number(Attributes?.ApproximateNumberOfMessages ?? 0)
  }
}
