import type { Context, SQSBatchItemFailure, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import { readConfig } from '../lib/config.ts'
import { createServices } from '../lib/create-services.ts'
import { engines } from '../lib/engines/index.ts'
import { runTask } from '../lib/jobs/run/run-task.ts'
import { TaskMessage } from '../lib/jobs/task-message.ts'
import type { Services } from '../lib/services.ts'

let services: Services | undefined
const stopping = new AbortController()

/** Seconds after which a message comes again when the table or the queue did not answer. */
const retryS = 5
/** Milliseconds before the function's end in which the outcome is still stored. */
const reserveMs = 10_000

/** Runs tasks of one image, on Lambda and in the workers of one machine; messages that must come again are named. */
export async function handler(
  event: SQSEvent,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
): Promise<SQSBatchResponse> {
  services ??= createServices(readConfig())
  const remainingMs = context.getRemainingTimeInMillis() - reserveMs
  const failures = await Promise.all(event.Records.map((record) => convert(record, remainingMs)))
  return { batchItemFailures: failures.filter((failure) => failure !== undefined) }
}

async function convert(record: SQSRecord, remainingMs: number): Promise<SQSBatchItemFailure | undefined> {
  if (!services) throw new Error('the function was not set up')
  const { config, queues, log } = services
  const image = config.IMAGE_ID
  if (!image) throw new Error('IMAGE_ID is not set')
  const message = TaskMessage.parse(JSON.parse(record.body))
  const extendVisibility = (seconds: number) => queues.extendVisibility(image, record.receiptHandle, seconds)
  try {
    const outcome = await runTask({
      ref: message,
      image,
      services,
      extendVisibility,
      stopping: stopping.signal,
      remainingMs,
    })
    if (outcome.done) return undefined
    await extendVisibility(outcome.againInS)
  } catch (error) {
    log.error({ error, ...message }, 'task could not be run; the message comes again')
    await extendVisibility(retryS).catch((cause) =>
      log.warn({ error: cause, ...message }, 'the message comes again late'),
    )
  }
  return { itemIdentifier: record.messageId }
}

/** Gives running tasks back and ends warm engines. */
export async function stop(): Promise<void> {
  stopping.abort()
  await Promise.all(engines.map((engine) => engine.close?.()))
}
