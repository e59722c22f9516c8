import type { EventBridgeEvent } from 'aws-lambda'
import * as z from 'zod'
import { type BusEvent, BusFields } from '../events/index.ts'
import { Queues } from '../lib/aws/queues.ts'
import { Table } from '../lib/aws/table.ts'
import { loadConfigAndClearSecrets } from '../lib/services/load-config.ts'
import { runSpan } from '../lib/trace.ts'
import { Dispatcher } from '../lib/webhooks/dispatcher.ts'

/** Fields of every event; its body is passed on unchanged. */
const BusEventFields = z.looseObject({
  event: z.string(),
  timestamp: z.iso.datetime(),
  id: z.string(),
  sequence: z.int(),
  ...BusFields.shape,
})

let dispatcher: Dispatcher | undefined

function openDispatcher(): Dispatcher {
  const config = loadConfigAndClearSecrets()
  return new Dispatcher({ table: new Table(config), queues: new Queues(config) })
}

/** Dispatches events to the webhooks that subscribe to them. */
export async function handler({ detail }: Pick<EventBridgeEvent<string, unknown>, 'detail'>): Promise<void> {
  dispatcher ??= openDispatcher()
  const openedDispatcher = dispatcher
  const event = BusEventFields.parse(detail) as unknown as BusEvent // published by this service
  await runSpan(
    {
      name: `dispatch ${event.event}`,
      kind: 'consumer',
      parent: event.traceparent,
      attributes: { 'messaging.system': 'aws_eventbridge', 'mutabor.event.id': event.id },
    },
    () => openedDispatcher.dispatch(event),
  )
}
