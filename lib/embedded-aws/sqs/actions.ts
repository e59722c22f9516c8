// Every action of the SQS API, as a function from a checked input to the output's JSON shape.
import type { Actions, SqsServices } from './call.ts'
import { messageActions } from './message-actions.ts'
import { queueActions } from './queue-actions.ts'

export function createActions(services: SqsServices): Actions {
  return { ...queueActions(services), ...messageActions(services) }
}
