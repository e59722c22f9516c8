import type { Connections } from '../lib/aws/connections.ts'
import { queueFunction } from '../lib/jobs/run/queue-function.ts'

/** Brings files in and out. */
export const createFunction = (connections?: Connections) =>
  queueFunction({ queueOf: () => 'transfer', close: async () => {}, connections })

export const { handler } = createFunction()
