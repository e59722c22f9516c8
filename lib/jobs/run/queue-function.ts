import type { Context, SQSBatchItemFailure, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import type { Connections } from '../../aws/connections.ts'
import { type Config, readConfig } from '../../config.ts'
import { createServices } from '../../create-services.ts'
import type { QueueId } from '../../resources.ts'
import type { Services } from '../../services.ts'
import { TaskMessage } from '../task-message.ts'
import { runTask } from './run-task.ts'
import type { TaskRun } from './task-run.ts'

/** Seconds after which a message comes again when the table or the queue did not answer. */
const retryS = 5
/** Milliseconds before the function's end in which the outcome is still stored. */
const reserveMs = 10_000

interface Serving {
  readonly queueOf: (config: Config) => QueueId
  /** Ends what stays between tasks. */
  readonly close: () => Promise<unknown>
  readonly connections?: Connections | undefined
}

/** Runs the tasks of one queue, on Lambda and in the workers of one machine; messages that must come again are named. */
export function queueFunction({ queueOf, close, connections }: Serving) {
  let services: Services | undefined
  const stopping = new AbortController()
  let outOfSpace = new AbortController()
  return {
    async handler(
      event: SQSEvent,
      context: Pick<Context, 'getRemainingTimeInMillis'>,
    ): Promise<SQSBatchResponse> {
      services ??= createServices(readConfig(), { connections })
      const run = {
        services,
        queue: queueOf(services.config),
        stopping: stopping.signal,
        outOfSpace: outOfSpace.signal,
        remainingMs: context.getRemainingTimeInMillis() - reserveMs,
      }
      const failures = await Promise.all(event.Records.map((record) => runOne(record, run)))
      return { batchItemFailures: failures.filter((failure) => failure !== undefined) }
    },

    /** Whatever runs has met a full disk, whether it noticed or not. */
    runOut(): void {
      outOfSpace.abort()
      outOfSpace = new AbortController()
    },

    /** Gives running tasks back, and ends what stays between tasks. */
    async stop(): Promise<void> {
      stopping.abort()
      await close()
    },
  }
}

async function runOne(
  record: SQSRecord,
  run: Omit<TaskRun, 'ref' | 'extendVisibility'>,
): Promise<SQSBatchItemFailure | undefined> {
  const { queues, log } = run.services
  const message = TaskMessage.parse(JSON.parse(record.body))
  const extendVisibility = (seconds: number) =>
    queues.extendVisibility(run.queue, record.receiptHandle, seconds)
  try {
    const outcome = await runTask({ ...run, ref: message, extendVisibility })
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
