import type { ServiceConnections } from '../lib/aws/connections.ts'
import { transferTask } from '../lib/jobs/run/transfer-task.ts'
import { createQueueFunction } from '../lib/services/queue-function.ts'

/** Captures websites as files; each task has a separate browser process. */
export const createFunction = (connections?: ServiceConnections) =>
  createQueueFunction({
    getQueue: () => 'capture',
    handleTask: transferTask,
    close: async () => {},
    connections,
  })

export const { handler } = createFunction()
