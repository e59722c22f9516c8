import type { ServiceConnections } from '../lib/aws/connections.ts'
import { stopDecoderProcesses } from '../lib/decoders/stop-processes.ts'
import { engines } from '../lib/engines/index.ts'
import { getConfinement } from '../lib/engines/sandbox/isolation.ts'
import { convertTask } from '../lib/jobs/run/convert-task.ts'
import { createQueueFunction } from '../lib/services/queue-function.ts'

/** Creates the function that runs the tasks of one container image. */
export function createFunction(connections?: ServiceConnections) {
  // Starts to detect how well this host isolates engines before the first task arrives; the task waits for the result.
  void getConfinement()
  return createQueueFunction({
    getQueue: ({ IMAGE_ID }) => {
      if (!IMAGE_ID) throw new Error('IMAGE_ID is not set')
      return IMAGE_ID
    },
    handleTask: convertTask,
    close: () => Promise.all([...engines.map((engine) => engine.close?.()), stopDecoderProcesses()]),
    connections,
  })
}

export const { handler } = createFunction()
