import type { ServiceConnections } from '../lib/aws/connections.ts'
import { stopDecoders } from '../lib/decoders/detect-format.ts'
import { stopCounting } from '../lib/decoders/read-summary.ts'
import { stopEngines } from '../lib/decoders/run-engine.ts'
import { engines } from '../lib/engines/index.ts'
import { confinement } from '../lib/engines/sandbox/isolation.ts'
import { convertTask } from '../lib/jobs/run/convert-task.ts'
import { createQueueFunction } from '../lib/services/queue-function.ts'

/** Runs the tasks of one container image. */
export function createFunction(connections?: ServiceConnections) {
  // Start detecting it before the first task arrives; the task waits for the result.
  void confinement()
  return createQueueFunction({
    queueOf: ({ IMAGE_ID }) => {
      if (!IMAGE_ID) throw new Error('IMAGE_ID is not set')
      return IMAGE_ID
    },
    handleTask: convertTask,
    close: () =>
      Promise.all([
        ...engines.map((engine) => engine.close?.()),
        stopDecoders(),
        stopCounting(),
        stopEngines(),
      ]),
    connections,
  })
}

export const { handler } = createFunction()
