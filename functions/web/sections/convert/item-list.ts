import { computed, signal } from '@preact/signals'
import type { FormatCatalog } from './format-catalog.ts'
import type { ConversionItem } from './item.ts'

/** All files on the page. The list stays alive when another section is shown. */

export const items = signal<readonly ConversionItem[]>([])
export const catalog = signal<FormatCatalog | undefined>(undefined)
/** More files are shown as a table instead of cards. */
export const maxCards = 5

export function countsOf(allItems: readonly ConversionItem[]) {
  const count = (matches: (item: ConversionItem) => boolean) => allItems.filter(matches).length
  return {
    total: allItems.length,
    ready: count((item) => item.canStart.value && !item.hasFailed.value),
    active: count((item) => item.isActive.value),
    done: count((item) => item.phase.value === 'done'),
    failed: count((item) => item.hasFailed.value),
    toRetry: count((item) => item.canRetry.value),
  }
}
export const counts = computed(() => countsOf(items.value))

/** The first of the files added last; it receives the focus when it is rendered. */
export const newestItem: { current: ConversionItem | undefined } = { current: undefined }

/** The item shown in the drawer. */
export const openedItem = signal<ConversionItem | undefined>(undefined)
