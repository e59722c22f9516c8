import type { SQSEvent } from 'aws-lambda'
import type { Invocation, WorkerMessage } from '../../lib/local/runtime/worker.ts'

/** A worker that does what the message says: responds, exits, hangs, or allocates memory. */
const sendMessage = (message: WorkerMessage) => process.send?.(message)
const allocatedBuffers: Buffer[] = []

process.on('message', (message) => {
  const { id, event } = message as Invocation
  switch ((event as SQSEvent).Records[0]?.body) {
    case 'respond':
      sendMessage({ type: 'result', id, value: process.pid })
      return
    case 'linger':
      // Exits slowly, like a worker that has to stop its engines.
      process.on('SIGTERM', () => setTimeout(() => process.exit(0), 2000))
      sendMessage({ type: 'result', id, value: process.pid })
      return
    case 'fail':
      sendMessage({ type: 'error', id, failure: { errorType: 'Error', errorMessage: 'expected failure' } })
      return
    case 'die':
      process.exit(3)
      return
    case 'hang':
      for (;;);
    case 'eat':
      setInterval(() => allocatedBuffers.push(Buffer.alloc(20 * 1024 * 1024, 1)), 50)
      return
    case 'sleep':
      return
  }
})
process.on('disconnect', () => process.exit(0))
sendMessage({ type: 'alive' })
setInterval(() => sendMessage({ type: 'alive' }), 100)
