import type { Connections } from '../lib/aws/connections.ts'
import { carryTask } from '../lib/jobs/run/carry-task.ts'
import { queueFunction } from '../lib/jobs/run/queue-function.ts'

/** Brings files in and out. */
export const createFunction = (connections?: Connections) =>
  queueFunction({ queueOf: () => 'transfer', work: carryTask, close: async () => {}, connections })

export const { handler } = createFunction()
