import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { lazyAsync } from '../async/lazy-async.ts'
import type { ServiceConnections } from '../aws/connections.ts'
import type { Config } from '../config.ts'
import {
  removeOrphanedFolders,
  removeOwnFolders,
  taskFolderPrefix,
} from '../engines/sandbox/process-folder.ts'
import type { TaskHandler } from '../jobs/run/claimed-task.ts'
import { runMessage } from '../jobs/run/run-message.ts'
import type { QueueId } from '../resources/queues.ts'
import { createServices } from './create-services.ts'
import { loadLambdaConfig } from './lambda-config.ts'
import { handleBatch } from './message-batch.ts'

/** Time in milliseconds that is reserved at the end of the function's run time for storing the outcome. */
const reservedMs = 10_000

interface QueueFunctionOptions {
  readonly getQueue: (config: Config) => QueueId
  /** Handles each task of the queue. */
  readonly handleTask: TaskHandler
  /** Stops processes that are kept between tasks. */
  readonly close: () => Promise<unknown>
  readonly connections?: ServiceConnections | undefined
}

/** Runs the tasks of one queue, on Lambda and in local workers; returns the messages that must be delivered again. */
export function createQueueFunction({ getQueue, handleTask, close, connections }: QueueFunctionOptions) {
  const getServices = lazyAsync(async () => createServices(await loadLambdaConfig(), { connections }))
  const stopController = new AbortController()
  let outOfSpaceController = new AbortController()
  let activeInvocationCount = 0
  return {
    async handler(
      event: SQSEvent,
      context: Pick<Context, 'getRemainingTimeInMillis'>,
    ): Promise<SQSBatchResponse> {
      const services = await getServices()
      const run = {
        services,
        queue: getQueue(services.config),
        // On Lambda, each instance runs one task at a time.
        isShared: (services.config.PARALLEL ?? 1) > 1,
        runId: services.config.RUN_ID,
        stopSignal: stopController.signal,
        outOfSpaceSignal: outOfSpaceController.signal,
        remainingMs: Math.min(
          context.getRemainingTimeInMillis() - reservedMs,
          getTaskTimeLimitMs(services.config),
        ),
      }
      if (activeInvocationCount === 0) await removeLeftovers(services.config)
      activeInvocationCount++
      return handleBatch(event, services.log, (record) => runMessage(record, run, handleTask)).finally(() => {
        activeInvocationCount--
      })
    },

    /** Aborts all running tasks because the disk is full, whether they have noticed it or not. */
    reportFullDisk(): void {
      outOfSpaceController.abort()
      outOfSpaceController = new AbortController()
    },

    /** Releases running tasks and stops processes that are kept between tasks. */
    async stop(): Promise<void> {
      stopController.abort()
      await close()
    },
  }
}

/** A function that handles the messages of a queue, on Lambda and in a local worker. */
export type QueueFunction = ReturnType<typeof createQueueFunction>

const getTaskTimeLimitMs = ({ TASK_LIMIT_S: limitS = Infinity }: Config) => limitS * 1000

/** Removes folders of killed tasks, which would occupy the disk. Only called while no task runs in this process. */
async function removeLeftovers({ WORK_DIR }: Config): Promise<void> {
  await removeOwnFolders(WORK_DIR, taskFolderPrefix)
  await removeOrphanedFolders(WORK_DIR, taskFolderPrefix)
}
