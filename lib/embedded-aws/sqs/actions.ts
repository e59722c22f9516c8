// Every action of the SQS API, as a function from a validated input to an output in the JSON protocol's shape.
import type { Actions, SqsServices } from './call.ts'
import { createMessageActions } from './message-actions.ts'
import { createQueueActions } from './queue-actions.ts'

export function createActions(services: SqsServices): Actions {
  return { ...createQueueActions(services), ...createMessageActions(services) }
}
