import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  ChangeMessageVisibilityCommand,
  type MessageAttributeValue,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import type { SQSEvent, SQSRecord } from 'aws-lambda'
import { Sha256 } from '../../crypto/sha256.ts'
import type { ClientConnection } from '../../io/local-connections.ts'
import type { Log } from '../../log.ts'
import type { FunctionFailure } from './function-error.ts'
import { QueueMapping } from './queue-mapping.ts'
import type { InvocationOutcome, Lambda, LocalFunction } from './runtime.ts'

/** Maximum number of concurrent invocations. */
const maxConcurrency = 64
/** How long `close` waits for running functions. */
const closeTimeoutMs = 5000
/**
 * AWS: "The retry interval increases exponentially from 1 second after the first attempt to a maximum of 5 minutes".
 */
const throttleDelays = { firstDelayS: 1, maxDelayS: 300 }
/** How long Lambda retries an accepted invocation, whatever its error: the default of MaximumEventAgeInSeconds. */
const maxAgeS = 6 * 3600
/** The event bus waits for functions with at most this time limit, because it gives up a delivery after 30 s. */
const maxDirectMs = 20_000

interface AsyncInvocationsOptions {
  readonly lambda: Lambda
  /** Queue that holds accepted invocations. */
  readonly queue: { readonly url: string; readonly arn: string }
  /**
   * Delay before each retry. "Lambda … waits one minute before the second attempt, and two minutes before
   * the third" (https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html).
   */
  readonly retryDelaysS?: readonly number[]
  /**
   * How long the message of a running invocation stays hidden. The lease is renewed while the function runs. If the
   * service dies, the invocation is repeated once the lease has expired.
   */
  readonly leaseS?: number
  /** Connection to the queue's server, if that server runs in this process. */
  readonly connection?: ClientConnection | undefined
  /** Credentials for writing to the dead-letter queue of a function; those of this process by default. */
  readonly deadLetterConnection?: ((name: string) => ClientConnection) | undefined
  readonly log: Log
}

type FailedOutcome = Extract<InvocationOutcome, { readonly ok: false }>

interface Invocation {
  readonly name: string
  readonly requestId: string
  /** Number of the attempt, from 1. */
  readonly attempt: number
  /** Number of times this attempt was throttled. */
  readonly throttledTimes?: number
  /** When the first attempt was accepted, in milliseconds since 1970. */
  readonly acceptedAt?: number
}

const createMessageAttribute = (StringValue: string | number): MessageAttributeValue => ({
  DataType: typeof StringValue === 'number' ? 'Number' : 'String',
  StringValue: String(StringValue),
})

/** Escapes two characters that JSON allows but an SQS message does not. */
const escapeNoncharacters = (json: string) =>
  json.replace(/[\ufffe\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16)}`)

/**
 * Invocations of type `Event`. Accepted invocations are in a queue, so they run at least once whatever happens to this
 * process. A retry is a separate message, so that a crash does not use up an attempt.
 */
export class AsyncInvocations {
  readonly #options: AsyncInvocationsOptions
  readonly #leaseS: number
  readonly #sqs: SQSClient
  readonly #mapping: QueueMapping

  constructor(options: AsyncInvocationsOptions) {
    this.#options = options
    const { queue, lambda, log, leaseS = 30, connection } = options
    this.#leaseS = leaseS
    this.#sqs = new SQSClient({
      region: lambda.region,
      sha256: Sha256,
      useQueueUrlAsEndpoint: true,
      ...connection,
    })
    this.#mapping = new QueueMapping({
      queueUrl: queue.url,
      queueArn: queue.arn,
      region: lambda.region,
      settings: { batchSize: 1 },
      concurrency: maxConcurrency,
      visibilityS: leaseS,
      invoke: (event) => this.#runBatch(event),
      connection,
      log,
    })
  }

  /** Waits for running functions. Those that take too long are repeated after the next start. */
  async close(): Promise<void> {
    const timeout = sleep(closeTimeoutMs, undefined, { ref: false })
    await Promise.race([this.#mapping.close(), timeout])
  }

  /** Accepts an invocation; resolves when it is on disk. `payload` is JSON. */
  async accept(name: string, payload: string, requestId: string = randomUUID()): Promise<void> {
    await this.#send(payload, { name, requestId, attempt: 1 }, 0)
  }

  /**
   * Runs an invocation directly. The caller keeps the invocation until the promise resolves, and repeats it if this
   * process dies, so only failed invocations are put into the queue. A function that may take longer than the caller
   * waits is accepted instead.
   */
  async runOrAccept(name: string, payload: string): Promise<void> {
    const { lambda } = this.#options
    const target = lambda.find(name)
    if (!target || target.timeoutMs > maxDirectMs) return this.accept(name, payload)
    const invocation = { name, requestId: randomUUID(), attempt: 1 }
    const outcome = await lambda.invoke(name, JSON.parse(payload), { requestId: invocation.requestId })
    if (!outcome.ok) await this.#afterFailure(target, invocation, payload, outcome)
  }

  async #send(
    payload: string,
    { name, requestId, attempt, throttledTimes = 0, acceptedAt = Date.now() }: Invocation,
    DelaySeconds: number,
  ): Promise<void> {
    await this.#sqs.send(
      new SendMessageCommand({
        QueueUrl: this.#options.queue.url,
        MessageBody: escapeNoncharacters(payload),
        DelaySeconds,
        MessageAttributes: {
          function: createMessageAttribute(name),
          requestId: createMessageAttribute(requestId),
          attempt: createMessageAttribute(attempt),
          throttledTimes: createMessageAttribute(throttledTimes),
          acceptedAt: createMessageAttribute(acceptedAt),
        },
      }),
    )
  }

  async #runBatch({ Records }: SQSEvent): Promise<void> {
    for (const record of Records) await this.#run(record)
  }

  async #run(record: SQSRecord): Promise<void> {
    const { lambda, log } = this.#options
    const readAttribute = (name: string) => record.messageAttributes[name]?.stringValue ?? ''
    const invocation = {
      name: readAttribute('function'),
      requestId: readAttribute('requestId'),
      attempt: Number(readAttribute('attempt')),
      throttledTimes: Number(readAttribute('throttledTimes')),
      // Messages of an earlier version lack this attribute.
      acceptedAt: Number(readAttribute('acceptedAt')) || Date.now(),
    }
    const target = lambda.find(invocation.name)
    if (!target) {
      log.error(invocation, 'an accepted invocation was dropped because its function no longer exists')
      return
    }
    const outcome = await this.#withLease(record.receiptHandle, () =>
      lambda.invoke(target.name, JSON.parse(record.body), { requestId: invocation.requestId }),
    )
    if (!outcome.ok) await this.#afterFailure(target, invocation, record.body, outcome)
  }

  async #afterFailure(
    target: LocalFunction,
    invocation: Invocation,
    payload: string,
    { failure, isThrottled }: FailedOutcome,
  ): Promise<void> {
    const { throttledTimes = 0, acceptedAt = Date.now() } = invocation
    const remainingS = maxAgeS - (Date.now() - acceptedAt) / 1000
    if (isThrottled) {
      const delayS = Math.min(throttleDelays.maxDelayS, throttleDelays.firstDelayS * 2 ** throttledTimes)
      if (delayS < remainingS)
        return this.#send(payload, { ...invocation, throttledTimes: throttledTimes + 1 }, delayS)
    }
    const { retryDelaysS = [60, 120] } = this.#options
    const delayS = retryDelaysS[invocation.attempt - 1] ?? Infinity
    if (!isThrottled && invocation.attempt <= target.retryAttempts && delayS < remainingS)
      await this.#send(payload, { ...invocation, attempt: invocation.attempt + 1, throttledTimes: 0 }, delayS)
    else await this.#sendToDeadLetterQueue(target, payload, invocation.requestId, failure)
  }

  /** Keeps a message hidden while its function runs, but not much longer if this process dies. */
  async #withLease<T>(ReceiptHandle: string, action: () => Promise<T>): Promise<T> {
    const renew = () =>
      this.#sqs
        .send(
          new ChangeMessageVisibilityCommand({
            QueueUrl: this.#options.queue.url,
            ReceiptHandle,
            VisibilityTimeout: this.#leaseS,
          }),
        )
        .catch((error: unknown) => this.#options.log.warn({ error }, 'an invocation may run twice'))
    const timer = setInterval(() => void renew(), (this.#leaseS * 1000) / 3)
    try {
      return await action()
    } finally {
      clearInterval(timer)
    }
  }

  /**
   * Sends an invocation to the dead-letter queue, with the same attributes as Lambda
   * (https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html).
   */
  async #sendToDeadLetterQueue(
    target: LocalFunction,
    payload: string,
    requestId: string,
    failure: FunctionFailure,
  ): Promise<void> {
    const { deadLetterUrl, name } = target
    if (!deadLetterUrl) {
      this.#options.log.error(
        { function: name, requestId, ...failure },
        'an invocation failed in its last attempt',
      )
      return
    }
    const {
      deadLetterConnection,
      lambda: { region },
    } = this.#options
    const sqs = deadLetterConnection
      ? new SQSClient({ region, useQueueUrlAsEndpoint: true, ...deadLetterConnection(name) })
      : this.#sqs
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: deadLetterUrl,
        MessageBody: payload,
        MessageAttributes: {
          RequestID: createMessageAttribute(requestId),
          ErrorCode: createMessageAttribute(200),
          ErrorMessage: createMessageAttribute(failure.errorMessage.slice(0, 1000) || failure.errorType),
        },
      }),
    )
  }
}
