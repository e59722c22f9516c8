import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import type { Connections } from '../../aws/connections.ts'
import type { Config } from '../../config.ts'
import { createServices } from '../../create-services.ts'
import {
  removeOrphanedFolders,
  removeOwnFolders,
  taskFolderPrefix,
} from '../../engines/sandbox/process-folder.ts'
import { deployedConfig } from '../../lambda-config.ts'
import { started } from '../../lazy-async.ts'
import type { QueueId } from '../../resources/queues.ts'
import type { TaskHandler } from './claimed-task.ts'
import { runMessage } from './run-message.ts'

/** Milliseconds before the function's end in which the outcome is still stored. */
const reserveMs = 10_000

interface QueueFunctionOptions {
  readonly queueOf: (config: Config) => QueueId
  /** What is done for each of its tasks. */
  readonly handleTask: TaskHandler
  /** Ends what stays between tasks. */
  readonly close: () => Promise<unknown>
  readonly connections?: Connections | undefined
}

/** Runs the tasks of one queue, on Lambda and in the workers of one machine; messages that must come again are named. */
export function createQueueFunction({ queueOf, handleTask, close, connections }: QueueFunctionOptions) {
  const getServices = started(async () => createServices(await deployedConfig(), { connections }))
  const stopping = new AbortController()
  let outOfSpace = new AbortController()
  let activeInvocations = 0
  return {
    async handler(
      event: SQSEvent,
      context: Pick<Context, 'getRemainingTimeInMillis'>,
    ): Promise<SQSBatchResponse> {
      const services = await getServices()
      const run = {
        services,
        queue: queueOf(services.config),
        stopping: stopping.signal,
        outOfSpace: outOfSpace.signal,
        remainingMs: Math.min(context.getRemainingTimeInMillis() - reserveMs, taskLimitMs(services.config)),
      }
      if (activeInvocations === 0) await removeLeftovers(services.config)
      activeInvocations++
      const failures = await Promise.all(
        event.Records.map((record) => runMessage(record, run, handleTask)),
      ).finally(() => {
        activeInvocations--
      })
      return { batchItemFailures: failures.filter((failure) => failure !== undefined) }
    },

    /** Whatever runs has met a full disk, whether it noticed or not. */
    reportFullDisk(): void {
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

const taskLimitMs = ({ TASK_LIMIT_S: limitS = Infinity }: Config) => limitS * 1000

/** What a hard end has left of tasks keeps its room otherwise: nothing of them runs here now. */
async function removeLeftovers({ WORK_DIR }: Config): Promise<void> {
  await removeOwnFolders(WORK_DIR, taskFolderPrefix)
  await removeOrphanedFolders(WORK_DIR, taskFolderPrefix)
}
