import { computed, signal } from '@preact/signals'
import { keysOf } from '../../../../lib/validation/keys-of.ts'
import type { FormatCatalog } from './format-catalog.ts'
import type { ConversionItem } from './item.ts'

/** All files on the page. The list is kept when another section is shown. */

export const items = signal<readonly ConversionItem[]>([])
export const catalog = signal<FormatCatalog | undefined>(undefined)
/** Beyond this number of files, a table is shown instead of cards. */
export const maxCards = 5

export function countItems(allItems: readonly ConversionItem[]) {
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
export const counts = computed(() => countItems(items.value))

const filters = {
  all: () => true,
  failed: (item: ConversionItem) => item.hasFailed.value,
  warned: (item: ConversionItem) => item.phase.value === 'done' && (item.job.value?.warnings.length ?? 0) > 0,
  done: (item: ConversionItem) => item.phase.value === 'done',
}
export type ListFilter = keyof typeof filters
export const listFilters = keysOf(filters)
/** Which files the list shows. */
export const listFilter = signal<ListFilter>('all')

/** Returns how many files each filter shows. */
export const countMatches = (allItems: readonly ConversionItem[], filter: ListFilter): number =>
  allItems.filter(filters[filter]).length

/** Returns the files to show: those that match the filter, or all of them if none matches any more. */
export function filterItems(allItems: readonly ConversionItem[]): readonly ConversionItem[] {
  const matchingItems = allItems.filter(filters[listFilter.value])
  return matchingItems.length > 0 ? matchingItems : allItems
}

/** The first of the files that were added last; it receives the focus when it is rendered. */
export const newestItem: { current: ConversionItem | undefined } = { current: undefined }

/** The item shown in the drawer. */
export const openedItem = signal<ConversionItem | undefined>(undefined)
