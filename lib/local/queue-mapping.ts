import { setTimeout as sleep } from 'node:timers/promises'
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import type { SQSEvent } from 'aws-lambda'
import * as z from 'zod'
import type { Log } from '../log.ts'

/** Seconds of one long poll (AWS's limit). */
const waitS = 20
/** Seconds that a worker has to start and to claim the task; from then on it keeps the message hidden itself. */
const claimS = 30
/** After a function failed as a whole, its message comes back when a lease of its worker has surely ended. */
const retryS = 16

export interface MappingOptions {
  readonly queueUrl: string
  readonly queueArn: string
  readonly region: string
  /** Messages that are worked on at a time. */
  readonly concurrency: number
  readonly invoke: (event: SQSEvent) => Promise<unknown>
  readonly log: Log
}

const BatchResponse = z.object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })) })

/** Feeds a queue to a function as Lambda's event source mapping does: a message goes when its effects are out. */
export class QueueMapping {
  readonly #options: MappingOptions
  readonly #sqs: SQSClient
  readonly #stop = new AbortController()
  readonly #running = new Set<Promise<void>>()
  readonly #loop: Promise<void>

  constructor(options: MappingOptions) {
    this.#options = options
    this.#sqs = new SQSClient({ region: options.region, useQueueUrlAsEndpoint: true })
    this.#loop = this.#poll()
  }

  /** Takes no more messages; those that are worked on come to their end. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.#loop
    await Promise.all(this.#running)
  }

  async #poll(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      if (this.#running.size >= this.#options.concurrency) await Promise.race(this.#running)
      else await this.#receive()
    }
  }

  async #receive(): Promise<void> {
    try {
      const { Messages = [] } = await this.#sqs.send(
        new ReceiveMessageCommand({
          QueueUrl: this.#options.queueUrl,
          MaxNumberOfMessages: Math.min(10, this.#options.concurrency - this.#running.size),
          WaitTimeSeconds: waitS,
          VisibilityTimeout: claimS,
          MessageSystemAttributeNames: ['All'],
          MessageAttributeNames: ['All'],
        }),
        { abortSignal: this.#stop.signal },
      )
      for (const message of Messages) this.#run(message)
    } catch (error) {
      if (this.#stop.signal.aborted) return
      this.#options.log.warn({ error }, 'the queue does not answer')
      await sleep(1000)
    }
  }

  #run(message: Message): void {
    const run = this.#process(message)
      .catch((error) => this.#options.log.error({ error }, 'message could not be settled; it comes again'))
      .finally(() => this.#running.delete(run))
    this.#running.add(run)
  }

  async #process(message: Message): Promise<void> {
    const { QueueUrl, ReceiptHandle } = {
      QueueUrl: this.#options.queueUrl,
      ReceiptHandle: message.ReceiptHandle,
    }
    try {
      const response = BatchResponse.parse(await this.#options.invoke(this.#event(message)))
      if (response.batchItemFailures.length > 0) return
    } catch (error) {
      this.#options.log.error({ error, body: message.Body }, 'invocation failed')
      await this.#sqs.send(
        new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: retryS }),
      )
      return
    }
    await this.#sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))
  }

  #event(message: Message): SQSEvent {
    const { queueArn, region } = this.#options
    return {
      Records: [
        {
          messageId: message.MessageId ?? '',
          receiptHandle: message.ReceiptHandle ?? '',
          body: message.Body ?? '',
          // Asked for with "All", so those that Lambda promises are there.
          attributes: (message.Attributes ?? {}) as unknown as SQSEvent['Records'][number]['attributes'],
          messageAttributes: {},
          md5OfBody: message.MD5OfBody ?? '',
          eventSource: 'aws:sqs',
          eventSourceARN: queueArn,
          awsRegion: region,
        },
      ],
    }
  }
}
