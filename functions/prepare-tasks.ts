import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { lazyAsync } from '../lib/async/lazy-async.ts'
import type { ServiceConnections } from '../lib/aws/connections.ts'
import { prepareTask } from '../lib/jobs/run/prepare-task.ts'
import { TaskMessage } from '../lib/model/task-message.ts'
import { createServices } from '../lib/services/create-services.ts'
import { loadLambdaConfig } from '../lib/services/lambda-config.ts'
import { handleBatch } from '../lib/services/message-batch.ts'
import type { QueueFunction } from '../lib/services/queue-function.ts'

/** Plans tasks that are ready and presigns the URLs that their workers need. */
export function createFunction(connections: ServiceConnections = {}): QueueFunction {
  const openSender = lazyAsync(async () =>
    createServices(await loadLambdaConfig(), { connections, presignsTaskFiles: true }),
  )
  return {
    async handler(event: SQSEvent): Promise<SQSBatchResponse> {
      const services = await openSender()
      const { log } = services
      return handleBatch(event, log, async ({ body }) => {
        const ref = TaskMessage.parse(JSON.parse(body))
        try {
          await prepareTask(ref, services)
          return true
        } catch (error) {
          log.error(
            { error, jobId: ref.jobId, task: ref.task },
            'task could not be prepared; the message will be received again',
          )
          return false
        }
      })
    },

    /** Nothing to do: preparation writes no files. */
    reportFullDisk(): void {},

    async stop(): Promise<void> {},
  }
}

export const { handler } = createFunction()
