// Every action of the SQS API, as a function from a validated input to an output in the JSON protocol's shape.
import type { Actions, SqsServices } from './call.ts'
import { messageActions } from './message-actions.ts'
import { queueActions } from './queue-actions.ts'

export function createActions(services: SqsServices): Actions {
  return { ...queueActions(services), ...messageActions(services) }
}
