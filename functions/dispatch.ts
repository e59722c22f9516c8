import type { EventBridgeEvent } from 'aws-lambda'
import * as z from 'zod'
import { Addressed, type BusEvent } from '../events/index.ts'
import { Queues } from '../lib/aws/queues.ts'
import { Table } from '../lib/aws/table.ts'
import { readConfig } from '../lib/config.ts'
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

/** Sends what happens on its way to the webhooks that want to know. */
export async function handler({ detail }: Pick<EventBridgeEvent<string, unknown>, 'detail'>): Promise<void> {
  const config = readConfig()
  dispatcher ??= new Dispatcher({ table: new Table(config), queues: new Queues(config) })
  await dispatcher.dispatch(Event.parse(detail) as unknown as BusEvent) // published by ourselves
}
