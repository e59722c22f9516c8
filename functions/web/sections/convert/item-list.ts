import { computed, signal } from '@preact/signals'
import type { FormatCatalog } from './format-catalog.ts'
import type { Item } from './item.ts'

/** All files of the page. It outlives the section: who looks elsewhere loses nothing. */

export const items = signal<readonly Item[]>([])
export const catalog = signal<FormatCatalog | undefined>(undefined)
/** From here on a table instead of cards. */
export const maxCards = 5

export function countsOf(all: readonly Item[]) {
  const count = (matches: (item: Item) => boolean) => all.filter(matches).length
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
export const newestItem: { current: Item | undefined } = { current: undefined }

/** What is looked at in the drawer. */
export const openedItem = signal<Item | undefined>(undefined)
