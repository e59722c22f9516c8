import { computed, signal } from '@preact/signals'
import type { Catalogue } from './format-catalog.ts'
import type { Item } from './item.ts'

/** All files of the page. It outlives the section: who looks elsewhere loses nothing. */

export const items = signal<readonly Item[]>([])
export const catalogue = signal<Catalogue | undefined>(undefined)
/** From here on a table instead of cards. */
export const mostCards = 5

export function countsOf(all: readonly Item[]) {
  const count = (is: (item: Item) => boolean) => all.filter(is).length
  return {
    total: all.length,
    ready: count((item) => item.canStart.value && !item.hasFailed.value),
    active: count((item) => item.isActive.value),
    done: count((item) => item.phase.value === 'done'),
    failed: count((item) => item.hasFailed.value),
    toRetry: count((item) => item.canRetry.value),
  }
}
export const counts = computed(() => countsOf(items.value))

/** The first of those that were just added: it takes the focus when it is there. */
export const newest: { current: Item | undefined } = { current: undefined }

/** What is looked at in the drawer. */
export const opened = signal<Item | undefined>(undefined)
