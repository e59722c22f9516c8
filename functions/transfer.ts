import type { Connections } from '../lib/aws/connections.ts'
import { queueFunction } from '../lib/jobs/run/queue-function.ts'
import { carryTask } from '../lib/jobs/run/transfer-task.ts'

/** Brings files in and out. */
export const createFunction = (connections?: Connections) =>
  queueFunction({ queueOf: () => 'transfer', work: carryTask, close: async () => {}, connections })

export const { handler } = createFunction()
