import type { Connections } from '../lib/aws/connections.ts'
import { queueFunction } from '../lib/jobs/run/queue-function.ts'
import { carryTask } from '../lib/jobs/run/transfer-task.ts'

/** Makes files of websites, each in a browser of its own, which ends with its task. */
export const createFunction = (connections?: Connections) =>
  queueFunction({ queueOf: () => 'capture', work: carryTask, close: async () => {}, connections })

export const { handler } = createFunction()
