import type { ServiceConnections } from '../lib/aws/connections.ts'
import { transferTask } from '../lib/jobs/run/transfer-task.ts'
import { createQueueFunction } from '../lib/services/queue-function.ts'

/** Runs import and export tasks. */
export const createFunction = (connections?: ServiceConnections) =>
  createQueueFunction({
    getQueue: () => 'transfer',
    handleTask: transferTask,
    close: async () => {},
    connections,
  })

export const { handler } = createFunction()
