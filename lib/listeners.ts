import type { Listener } from '../events/index.ts'
import type { Table } from './aws/table.ts'
import { believedMs } from './heeded.ts'
import { feedKey, isWatched } from './live/feed.ts'
import { ownedCounts } from './owned.ts'

const mostRemembered = 1000

interface Known {
  readonly listeners: Promise<Listener[]>
  /** Of `performance.now`. */
  readonly until: number
}

/**
 * Who wants to hear of the jobs of owners. Asked before events are published, so that hardly any of them sets off a
 * function that finds nobody; and not asked for each of many that follow one another.
 */
export class Listeners {
  readonly #table: Table
  readonly #known = new Map<string, Known>()

  constructor(table: Table) {
    this.#table = table
  }

  of(owner: string): Promise<Listener[]> {
    const now = performance.now()
    const known = this.#known.get(owner)
    if (known && now < known.until) return known.listeners
    const listeners = this.#read(owner)
    this.#remember(owner, { listeners, until: now + believedMs })
    return listeners
  }

  #remember(owner: string, known: Known): void {
    this.#known.delete(owner)
    this.#known.set(owner, known)
    if (this.#known.size > mostRemembered) this.#known.delete(this.#known.keys().next().value ?? '')
    known.listeners.catch(() => {
      if (this.#known.get(owner) === known) this.#known.delete(owner)
    })
  }

  async #read(owner: string): Promise<Listener[]> {
    const [counts, feed] = [ownedCounts(owner), feedKey(owner)]
    const items = await this.#table.getAll([counts, feed])
    const webhooks = items.find(({ pk }) => pk === counts.pk)?.['WEBHOOK']
    return [
      ...(Number(webhooks ?? 0) > 0 ? (['webhooks'] as const) : []),
      ...(isWatched(items.find(({ pk }) => pk === feed.pk)) ? (['sockets'] as const) : []),
    ]
  }
}
