import type { Connections } from '../lib/aws/connections.ts'
import { createQueueFunction } from '../lib/jobs/run/queue-function.ts'
import { transferTask } from '../lib/jobs/run/transfer-task.ts'

/** Makes files of websites, each in a browser of its own, which ends with its task. */
export const createFunction = (connections?: Connections) =>
  createQueueFunction({ queueOf: () => 'capture', handleTask: transferTask, close: async () => {}, connections })

export const { handler } = createFunction()
