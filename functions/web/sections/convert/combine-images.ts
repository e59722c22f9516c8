import { batch } from '@preact/signals'
import { createItems } from './add-items.ts'
import { convertItem } from './convert-item.ts'
import { deleteDrafts } from './drafts.ts'
import type { ConversionItem } from './item.ts'
import { catalog, items, newestItem } from './item-list.ts'
import words from './words/en.ts'

/** Turns several images into one PDF, in the order of the list. */

export async function combineImages(group: readonly ConversionItem[]): Promise<void> {
  const knownCatalog = catalog.value
  const parts = group.flatMap(({ file }) => file.value ?? [])
  const format = group[0]?.source?.id
  const pdf = knownCatalog?.byId('pdf')
  if (!knownCatalog || !pdf || !format) return
  const name = words.combinedName(parts.length)
  const [combined] = await createItems([{ kind: 'parts', name, parts, format }], knownCatalog)
  if (!combined) return
  batch(() => {
    combined.target.value = pdf
    newestItem.current = combined
    items.value = [combined, ...items.value.filter((item) => !group.includes(item))]
  })
  void deleteDrafts(group.map(({ key }) => key))
  await convertItem(combined)
}
