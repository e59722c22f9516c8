import type { Context, SQSBatchItemFailure, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import type { Connections } from '../lib/aws/connections.ts'
import { readConfig } from '../lib/config.ts'
import { createServices } from '../lib/create-services.ts'
import { engines } from '../lib/engines/index.ts'
import { runTask } from '../lib/jobs/run/run-task.ts'
import type { TaskRun } from '../lib/jobs/run/task-run.ts'
import { TaskMessage } from '../lib/jobs/task-message.ts'
import type { Services } from '../lib/services.ts'

/** Seconds after which a message comes again when the table or the queue did not answer. */
const retryS = 5
/** Milliseconds before the function's end in which the outcome is still stored. */
const reserveMs = 10_000

/** Runs tasks of one image, on Lambda and in the workers of one machine; messages that must come again are named. */
export function createConvert(connections?: Connections) {
  let services: Services | undefined
  const stopping = new AbortController()
  return {
    async handler(
      event: SQSEvent,
      context: Pick<Context, 'getRemainingTimeInMillis'>,
    ): Promise<SQSBatchResponse> {
      services ??= createServices(readConfig(), { connections })
      const run = {
        services,
        stopping: stopping.signal,
        remainingMs: context.getRemainingTimeInMillis() - reserveMs,
      }
      const failures = await Promise.all(event.Records.map((record) => convert(record, run)))
      return { batchItemFailures: failures.filter((failure) => failure !== undefined) }
    },

    /** Gives running tasks back and ends warm engines. */
    async stop(): Promise<void> {
      stopping.abort()
      await Promise.all(engines.map((engine) => engine.close?.()))
    },
  }
}

export const { handler } = createConvert()

async function convert(
  record: SQSRecord,
  run: Pick<TaskRun, 'services' | 'stopping' | 'remainingMs'>,
): Promise<SQSBatchItemFailure | undefined> {
  const { config, queues, log } = run.services
  const image = config.IMAGE_ID
  if (!image) throw new Error('IMAGE_ID is not set')
  const message = TaskMessage.parse(JSON.parse(record.body))
  const extendVisibility = (seconds: number) => queues.extendVisibility(image, record.receiptHandle, seconds)
  try {
    const outcome = await runTask({ ...run, ref: message, image, extendVisibility })
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
