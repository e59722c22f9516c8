import type { QueueAttributeName, SendMessageBatchRequestEntry } from '@aws-sdk/client-sqs'
import type { HttpRequest } from '@smithy/types'
import { forEachConcurrently } from '../async/for-each-concurrently.ts'
import { lazyAsync } from '../async/lazy-async.ts'
import type { Config } from '../config.ts'
import type { ClientConnection } from '../io/local-connections.ts'
import type { TaskMessage } from '../model/task-message.ts'
import type { QueueId } from '../resources/queues.ts'
import { runSpan } from '../trace.ts'
import { defined } from '../validation/defined.ts'
import { createClientConfig } from './client-config.ts'
import { limitCallTime, type StoreTimeouts } from './timeouts.ts'

/** Maximum messages per batch (AWS's limit). */
const batchSize = 10
/** Maximum delay of a message in seconds (AWS's limit). */
export const maxDelayS = 900
/** Number of batches sent at the same time. */
const maxConcurrentBatches = 4

/** Sends messages to the service's queues. */
export class Queues {
  /** Loaded on first use, because most requests send no message. */
  readonly #open: () => Promise<SqsClient>
  readonly #urlPrefix: string

  constructor(config: Config, connection?: ClientConnection, timeouts?: StoreTimeouts) {
    this.#open = lazyAsync(() => openSqs(config, connection, timeouts))
    this.#urlPrefix = config.QUEUE_URL_PREFIX
  }

  #getUrl(queue: QueueId): string {
    return `${this.#urlPrefix}${queue}`
  }

  /**
   * Sends messages.
   * @param group message group, such as the owner: a group with many messages does not delay others (fair queues).
   */
  async send(queue: QueueId, messages: readonly TaskMessage[], group?: string): Promise<void> {
    const [onlyMessage] = messages
    if (onlyMessage && messages.length === 1) {
      await this.#sendEntry(queue, createEntry(onlyMessage, group))
      return
    }
    const batches = Array.from({ length: Math.ceil(messages.length / batchSize) }, (_, at) =>
      messages.slice(at * batchSize, (at + 1) * batchSize),
    )
    await forEachConcurrently(batches, maxConcurrentBatches, (batch) => this.#sendBatch(queue, batch, group))
  }

  /** Sends messages, each with its own group; see `sendOne`. */
  async sendEach(
    queue: QueueId,
    messages: readonly { readonly message: object; readonly group: string }[],
  ): Promise<void> {
    for (let from = 0; from < messages.length; from += batchSize) {
      const Entries = messages.slice(from, from + batchSize).map(({ message, group }, at) => ({
        Id: String(at),
        ...createEntry(message, group),
      }))
      await this.#sendEntries(queue, Entries)
    }
  }

  /** Sends a message, possibly delayed; messages of a busy group do not delay other groups. */
  async sendOne(
    queue: QueueId,
    message: object,
    { delayS = 0, group }: { readonly delayS?: number; readonly group: string },
  ): Promise<void> {
    const delay = delayS > 0 && { DelaySeconds: Math.min(maxDelayS, Math.ceil(delayS)) }
    await this.#sendEntry(queue, { ...createEntry(message, group), ...delay })
  }

  async #sendEntry(queue: QueueId, entry: ReturnType<typeof createEntry>): Promise<void> {
    const { sqs, SendMessageCommand, messageAttributes } = await this.#open()
    await runSpan(createSendSpan(queue, 1), () =>
      sqs.send(new SendMessageCommand({ QueueUrl: this.#getUrl(queue), ...entry, ...messageAttributes() })),
    )
  }

  async #sendBatch(queue: QueueId, messages: readonly TaskMessage[], group?: string): Promise<void> {
    await this.#sendEntries(
      queue,
      messages.map((message, at) => ({ Id: String(at), ...createEntry(message, group) })),
    )
  }

  async #sendEntries(queue: QueueId, entries: readonly SendMessageBatchRequestEntry[]): Promise<void> {
    const { sqs, SendMessageBatchCommand, messageAttributes } = await this.#open()
    const { Failed = [] } = await runSpan(createSendSpan(queue, entries.length), () => {
      const Entries = entries.map((entry) => ({ ...entry, ...messageAttributes() }))
      return sqs.send(new SendMessageBatchCommand({ QueueUrl: this.#getUrl(queue), Entries }))
    })
    // The caller sends all messages again: sending a message twice is harmless, but losing one is not.
    if (Failed[0]) throw new Error(`the queue rejected ${Failed.length} messages: ${Failed[0].Message}`)
  }

  /** Hides a message from other workers for this many seconds from now. */
  async extendVisibility(queue: QueueId, receiptHandle: string, seconds: number): Promise<void> {
    const { sqs, ChangeMessageVisibilityCommand } = await this.#open()
    await sqs.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: this.#getUrl(queue),
        ReceiptHandle: receiptHandle,
        VisibilityTimeout: seconds,
      }),
    )
  }

  /** Returns the number of waiting messages. @throws if the queue is not available. */
  async countMessages(queue: QueueId): Promise<number> {
    const [waiting = 0] = await this.#count(queue, ['ApproximateNumberOfMessages'])
    return waiting
  }

  /** Returns the number of waiting and in-flight messages. @throws if the queue is not available. */
  async load(queue: QueueId): Promise<number> {
    const { waiting, inFlight } = await this.getMessageCounts(queue)
    return waiting + inFlight
  }

  /** Returns the approximate message counts of a queue. @throws if the queue is not available. */
  async getMessageCounts(queue: QueueId): Promise<{ readonly waiting: number; readonly inFlight: number }> {
    const [waiting = 0, inFlight = 0] = await this.#count(queue, [
      'ApproximateNumberOfMessages',
      'ApproximateNumberOfMessagesNotVisible',
    ])
    return { waiting, inFlight }
  }

  async #count(queue: QueueId, AttributeNames: QueueAttributeName[]): Promise<number[]> {
    const { sqs, GetQueueAttributesCommand } = await this.#open()
    const { Attributes = {} } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: this.#getUrl(queue), AttributeNames }),
    )
    return AttributeNames.map((name) => Number(Attributes[name] ?? 0))
  }
}

const createEntry = (message: object, group: string | undefined) => ({
  MessageBody: JSON.stringify(message),
  ...defined({ MessageGroupId: group }),
})

const createSendSpan = (queue: QueueId, messages: number) => ({
  name: `send ${queue}`,
  kind: 'producer' as const,
  attributes: {
    'messaging.system': 'aws_sqs',
    'messaging.operation.type': 'send',
    'messaging.destination.name': queue,
    'messaging.batch.message_count': messages,
  },
})

type SqsClient = Awaited<ReturnType<typeof openSqs>>

async function openSqs(config: Config, connection?: ClientConnection, timeouts?: StoreTimeouts) {
  const [{ SQSClient, ...commands }, { messageAttributes, createTraceHeader }] = await Promise.all([
    import('./sqs.ts'),
    import('./message-chain.ts'),
  ])
  const sqs = new SQSClient({
    ...createClientConfig(config),
    // The queue URL contains the host. Without this setting, the SDK would warn that it differs from the endpoint.
    useQueueUrlAsEndpoint: true,
    ...connection,
  })
  if (timeouts) limitCallTime(sqs, timeouts)
  sqs.middlewareStack.add(
    (next) => (args) => {
      const traceHeader = createTraceHeader()
      // Only HTTP requests reach this step.
      if (traceHeader) (args.request as HttpRequest).headers['X-Amzn-Trace-Id'] = traceHeader
      return next(args)
    },
    // This runs before the SDK adds the trace header of the invocation.
    { step: 'build', priority: 'high', name: 'startChain' },
  )
  return { sqs, messageAttributes, ...commands }
}
