import type { BusEvent, EventName, Listener } from '../events/index.ts'
import type { Table } from './aws/table.ts'
import { feedKey, isWatched } from './live/event-feed.ts'
import { ownedCounts } from './owned-records.ts'
import { WebhookStore } from './webhooks/store.ts'
import { isFor } from './webhooks/webhook.ts'

/** Who wants to hear of an event of this name. */
export type ListenersOf = (event: EventName) => Listener[]

/**
 * Who wants to hear of the jobs of an owner. Asked before events are published, so that hardly any of them sets off a
 * function that finds nobody.
 */
export async function listenersOf(table: Table, owner: string): Promise<ListenersOf> {
  const [counts, feed] = [ownedCounts(owner), feedKey(owner)]
  const items = await table.getAll([counts, feed])
  const count = items.find(({ pk }) => pk === counts.pk)?.['WEBHOOK']
  const webhooks = Number(count ?? 0) > 0 ? await new WebhookStore(table).list(owner) : []
  const sockets = isWatched(items.find(({ pk }) => pk === feed.pk)) ? (['sockets'] as const) : []
  return (event) => [
    ...(webhooks.some((webhook) => isFor(webhook, event)) ? (['webhooks'] as const) : []),
    ...sockets,
  ]
}

/** The event as it goes on the bus. */
export function withListeners(event: BusEvent, listenersOf: ListenersOf): BusEvent {
  const listeners = [
    ...new Set([...listenersOf(event.event), ...(event.hasWebhook ? (['webhooks'] as const) : [])]),
  ]
  return listeners.length > 0 ? { ...event, listeners } : event
}
