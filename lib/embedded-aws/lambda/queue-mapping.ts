import { setTimeout as sleep } from 'node:timers/promises'
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import type { SQSEvent } from 'aws-lambda'
import { Sha256 } from '../../crypto/sha256.ts'
import type { ClientConnection } from '../../io/local-connections.ts'
import type { Log } from '../../log.ts'
import { ThrottledInvocation } from './function-error.ts'
import { readFailedIds, splitIntoBatches, toSqsRecord } from './sqs-batch.ts'

/** Duration of one long poll (AWS's limit). */
const longPollS = 20
/** Maximum number of messages of one receive, and of entries of one batch call (AWS's limits). */
const maxPerCall = 10
/** Maximum size of the message bodies: the payload limit of a synchronous invocation, minus the JSON around them. */
const maxBatchBytes = 5_500_000
/** First and maximum pause before a throttled invocation is repeated. */
const throttledPauseMs = { first: 200, max: 5000 }
/** Delay until the messages of a failed invocation are visible again: by then, the lease of its worker has expired. */
const retryDelayS = 16

/** Settings of an event source mapping, named as in the template. */
interface QueueMappingSettings {
  /** Maximum number of messages per invocation. */
  readonly batchSize: number
  /** Maximum number of seconds to wait for a full batch. */
  readonly maximumBatchingWindow?: number
  /** Maximum number of concurrent invocations. */
  readonly maximumConcurrency?: number
  /** Set if the function returns the ids of failed messages; otherwise a batch fails or succeeds as a whole. */
  readonly functionResponseType?: 'ReportBatchItemFailures'
}

export interface QueueMappingOptions {
  readonly queueUrl: string
  readonly queueArn: string
  readonly region: string
  readonly settings: QueueMappingSettings
  /** How many invocations this machine can run at the same time. */
  readonly concurrency: number
  /**
   * How long received messages stay hidden. During this time, a throttled invocation is repeated. If omitted, the
   * visibility timeout of the queue applies, as on AWS, and a throttled invocation fails immediately.
   */
  readonly visibilityS?: number
  /**
   * Invokes the function with the messages and their trace headers. Throws ThrottledInvocation if it cannot run now.
   */
  readonly invoke: (event: SQSEvent, traceHeaders: readonly string[]) => Promise<unknown>
  /**
   * Whether the messages of a failed invocation return early. Lambda leaves them hidden until their visibility timeout
   * ends.
   */
  readonly retriesEarly?: boolean
  /** Connection to the queue's server, if that server runs in this process. */
  readonly connection?: ClientConnection | undefined
  readonly log: Log
}

/** Feeds a queue to a function like Lambda's event source mapping: a message is deleted once it has been processed. */
export class QueueMapping {
  readonly #options: QueueMappingOptions
  readonly #concurrency: number
  readonly #isFifo: boolean
  readonly #sqs: SQSClient
  readonly #stop = new AbortController()
  readonly #runningBatches = new Set<Promise<void>>()
  readonly #loop: Promise<void>

  constructor(options: QueueMappingOptions) {
    this.#options = options
    this.#concurrency = Math.min(options.concurrency, options.settings.maximumConcurrency ?? Infinity)
    this.#isFifo = options.queueUrl.endsWith('.fifo')
    const { region, connection } = options
    this.#sqs = new SQSClient({
      region,
      sha256: Sha256,
      useQueueUrlAsEndpoint: true,
      ...connection,
    })
    this.#loop = this.#poll()
  }

  /** Stops receiving and waits for the running invocations. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.#loop
    await Promise.all(this.#runningBatches)
  }

  async #poll(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const freeSlots = this.#concurrency - this.#runningBatches.size
      if (freeSlots <= 0) await Promise.race(this.#runningBatches)
      else {
        const batches = await this.#receiveBatches(freeSlots)
        await this.#start(batches, Date.now())
      }
    }
  }

  async #start(batches: readonly Message[][], receivedAt: number): Promise<void> {
    if (this.#isFifo) {
      this.#startInvocations(batches, receivedAt)
      return
    }
    for (const batch of batches) {
      // Large message bodies can result in more batches than there are free slots.
      if (this.#runningBatches.size >= this.#concurrency) await Promise.race(this.#runningBatches)
      this.#startInvocations([batch], receivedAt)
    }
  }

  /** Receives batches for up to `freeSlots` invocations; returns none if the queue stays empty. */
  async #receiveBatches(freeSlots: number): Promise<Message[][]> {
    const { batchSize, maximumBatchingWindow = 0 } = this.#options.settings
    // Later messages of a group wait until the earlier ones are deleted, so they must go into the same batch.
    const maxMessages = maximumBatchingWindow > 0 || this.#isFifo ? batchSize : batchSize * freeSlots
    const messages = await this.#receive(maxMessages, longPollS)
    const windowEndsAt = Date.now() + maximumBatchingWindow * 1000
    const bytes = () => messages.reduce((sum, { Body = '' }) => sum + Buffer.byteLength(Body), 0)
    while (messages.length > 0 && messages.length < maxMessages && bytes() < maxBatchBytes) {
      const remainingS = Math.floor((windowEndsAt - Date.now()) / 1000)
      if (remainingS < 1 || this.#stop.signal.aborted) break
      messages.push(...(await this.#receive(maxMessages - messages.length, Math.min(longPollS, remainingS))))
    }
    return splitIntoBatches(messages, batchSize, maxBatchBytes)
  }

  async #receive(maxMessages: number, WaitTimeSeconds: number): Promise<Message[]> {
    const { queueUrl, visibilityS, log } = this.#options
    try {
      const { Messages = [] } = await this.#sqs.send(
        new ReceiveMessageCommand({
          QueueUrl: queueUrl,
          MaxNumberOfMessages: Math.min(maxPerCall, maxMessages),
          WaitTimeSeconds,
          ...(visibilityS !== undefined && { VisibilityTimeout: visibilityS }),
          MessageSystemAttributeNames: ['All'],
          MessageAttributeNames: ['All'],
        }),
        { abortSignal: this.#stop.signal },
      )
      return Messages
    } catch (error) {
      if (this.#stop.signal.aborted) return []
      log.warn({ error }, 'the queue does not respond')
      await sleep(1000)
      return []
    }
  }

  /** Starts an invocation for each batch, in order. */
  #startInvocations(batches: readonly Message[][], receivedAt: number): void {
    const run = this.#processAll(batches, receivedAt)
      .catch((error) =>
        this.#options.log.error(
          { error },
          'messages could not be deleted or returned; they will be delivered again',
        ),
      )
      .finally(() => this.#runningBatches.delete(run))
    this.#runningBatches.add(run)
  }

  async #processAll(batches: readonly Message[][], receivedAt: number): Promise<void> {
    for (const batch of batches) await this.#process(batch, receivedAt)
  }

  async #process(batch: readonly Message[], receivedAt: number): Promise<void> {
    const { invoke, settings, queueArn, region, log } = this.#options
    const Records = batch.map((message) => toSqsRecord(message, { queueArn, region }))
    const traceHeaders = batch.flatMap(({ Attributes }) => Attributes?.AWSTraceHeader ?? [])
    let failedIds: ReadonlySet<string>
    try {
      const response = await this.#retryWhileThrottled(receivedAt, () => invoke({ Records }, traceHeaders))
      failedIds =
        settings.functionResponseType === 'ReportBatchItemFailures'
          ? readFailedIds(
              response,
              Records.map(({ messageId }) => messageId),
            )
          : new Set()
    } catch (error) {
      log.error({ error, messageIds: Records.map(({ messageId }) => messageId) }, 'invocation failed')
      if (this.#options.retriesEarly ?? true) await this.#retryEarly(batch)
      return
    }
    await this.#delete(batch.filter(({ MessageId = '' }) => !failedIds.has(MessageId)))
  }

  /** Repeats a throttled invocation for as long as its messages stay hidden. */
  async #retryWhileThrottled<T>(receivedAt: number, invokeOnce: () => Promise<T>): Promise<T> {
    const { visibilityS = 0 } = this.#options
    const endsAt = receivedAt + visibilityS * 1000
    for (let pauseMs = throttledPauseMs.first; ; pauseMs = Math.min(2 * pauseMs, throttledPauseMs.max)) {
      try {
        return await invokeOnce()
      } catch (error) {
        const canWait = Date.now() + pauseMs < endsAt && !this.#stop.signal.aborted
        if (!(error instanceof ThrottledInvocation) || !canWait) throw error
        await sleep(pauseMs)
      }
    }
  }

  async #delete(messages: readonly Message[]): Promise<void> {
    for (const Entries of createEntryBatches(messages)) {
      const { Failed = [] } = await this.#sqs.send(
        new DeleteMessageBatchCommand({ QueueUrl: this.#options.queueUrl, Entries }),
      )
      if (Failed[0]) throw new Error(`${Failed.length} messages were not deleted: ${Failed[0].Message}`)
    }
  }

  async #retryEarly(messages: readonly Message[]): Promise<void> {
    for (const entries of createEntryBatches(messages)) {
      await this.#sqs.send(
        new ChangeMessageVisibilityBatchCommand({
          QueueUrl: this.#options.queueUrl,
          Entries: entries.map((entry) => ({ ...entry, VisibilityTimeout: retryDelayS })),
        }),
      )
    }
  }
}

function createEntryBatches(messages: readonly Message[]) {
  const entries = messages.map(({ ReceiptHandle = '' }, at) => ({ Id: String(at), ReceiptHandle }))
  return Array.from({ length: Math.ceil(entries.length / maxPerCall) }, (_, call) =>
    entries.slice(call * maxPerCall, (call + 1) * maxPerCall),
  )
}
