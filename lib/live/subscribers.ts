import type { Table } from '../aws/table.ts'
import type { SubscriberLookup } from '../model/subscribers.ts'
import { WebhookStore } from '../webhooks/store.ts'
import { needsEvent } from '../webhooks/webhook.ts'
import { readWatchAndCounts } from './event-feed.ts'

/**
 * Loads the subscribers to the events of an owner's jobs. Called before events are published, so that events without
 * subscribers rarely invoke a function.
 */
export async function loadSubscribers(table: Table, owner: string): Promise<SubscriberLookup> {
  const { isWatched, counts } = await readWatchAndCounts(table, owner)
  const webhooks = Number(counts?.['WEBHOOK'] ?? 0) > 0 ? await new WebhookStore(table).list(owner) : []
  const sockets = isWatched ? (['sockets'] as const) : []
  return (event) => [
    ...(webhooks.some((webhook) => needsEvent(webhook, event)) ? (['webhooks'] as const) : []),
    ...sockets,
  ]
}
