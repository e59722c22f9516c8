import type { Listener } from '../events/index.ts'
import type { Table } from './aws/table.ts'
import { feedKey, isWatched } from './live/feed.ts'
import { ownedCounts } from './owned.ts'

/**
 * Who wants to hear of the jobs of an owner. Asked once for all events of a publication, so that hardly any event sets off
 * a function that finds nobody.
 */
export async function listenersOf(table: Table, owner: string): Promise<Listener[]> {
  const [counts, feed] = [ownedCounts(owner), feedKey(owner)]
  const items = await table.getAll([counts, feed])
  const webhooks = items.find(({ pk }) => pk === counts.pk)?.['WEBHOOK']
  return [
    ...(Number(webhooks ?? 0) > 0 ? (['webhooks'] as const) : []),
    ...(isWatched(items.find(({ pk }) => pk === feed.pk)) ? (['sockets'] as const) : []),
  ]
}
