import type { EventBridgeEvent } from 'aws-lambda'
import * as z from 'zod'
import { Addressed, type BusEvent } from '../events/index.ts'
import { Queues } from '../lib/aws/queues.ts'
import { Table } from '../lib/aws/table.ts'
import { takeConfig } from '../lib/load-config.ts'
import { Dispatcher } from '../lib/webhooks/dispatcher.ts'

/** What every event has; its body is passed on as it came. */
const Event = z.looseObject({
  event: z.string(),
  timestamp: z.iso.datetime(),
  id: z.string(),
  sequence: z.int(),
  ...Addressed.shape,
})

let dispatcher: Dispatcher | undefined

function openDispatcher(): Dispatcher {
  const config = takeConfig()
  return new Dispatcher({ table: new Table(config), queues: new Queues(config) })
}

/** Sends what happens on its way to the webhooks that want to know. */
export async function handler({ detail }: Pick<EventBridgeEvent<string, unknown>, 'detail'>): Promise<void> {
  dispatcher ??= openDispatcher()
  await dispatcher.dispatch(Event.parse(detail) as unknown as BusEvent) // published by ourselves
}
