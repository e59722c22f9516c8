import { ownedCountsKey } from '../aws/owned-records.ts'
import type { Table } from '../aws/table.ts'
import type { SubscriberLookup } from '../model/subscribers.ts'
import { WebhookStore } from '../webhooks/store.ts'
import { needsEvent } from '../webhooks/webhook.ts'
import { feedKey, isWatched } from './event-feed.ts'

/**
 * Loads who subscribes to the events of an owner's jobs. It is read before events are published, so that events without
 * subscribers rarely invoke a function.
 */
export async function loadSubscribers(table: Table, owner: string): Promise<SubscriberLookup> {
  const [counts, feed] = [ownedCountsKey(owner), feedKey(owner)]
  const items = await table.getAll([counts, feed])
  const count = items.find(({ pk }) => pk === counts.pk)?.['WEBHOOK']
  const webhooks = Number(count ?? 0) > 0 ? await new WebhookStore(table).list(owner) : []
  const sockets = isWatched(items.find(({ pk }) => pk === feed.pk)) ? (['sockets'] as const) : []
  return (event) => [
    ...(webhooks.some((webhook) => needsEvent(webhook, event)) ? (['webhooks'] as const) : []),
    ...sockets,
  ]
}
