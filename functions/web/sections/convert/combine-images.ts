import { batch } from '@preact/signals'
import { keysOf } from '../../../../lib/validation/keys-of.ts'
import { fetchToolTargets, type Option } from '../../api.ts'
import { collectValues, type Values } from '../../options/option-values.ts'
import { getLocale } from '../../shell/locale.ts'
import { createItems } from './add-items.ts'
import { convertItem } from './convert-item.ts'
import { deleteDrafts } from './drafts.ts'
import type { ConversionItem } from './item.ts'
import { catalog, items, newestItem } from './item-list.ts'
import words from './words/en.ts'

/** Turns several images into one PDF. */

const nameCollator = new Intl.Collator(getLocale(), { numeric: true })

const comparators = {
  list: () => 0,
  name: (a: File, b: File) => nameCollator.compare(a.name, b.name),
  oldest: (a: File, b: File) => a.lastModified - b.lastModified,
  newest: (a: File, b: File) => b.lastModified - a.lastModified,
}
export type ImageOrder = keyof typeof comparators
export const imageOrders = keysOf(comparators)

const mergeSupportByFormat = new Map<string, Promise<boolean>>()

/** Whether images of all these formats can be combined into a PDF; some image formats cannot. */
export async function canCombine(formats: readonly string[]): Promise<boolean> {
  const supportChecks = formats.map((format) => {
    const supportCheck =
      mergeSupportByFormat.get(format) ??
      fetchToolTargets(format, 'merge').then((targets) => targets.includes('pdf'))
    mergeSupportByFormat.set(format, supportCheck)
    supportCheck.catch(() => mergeSupportByFormat.delete(format))
    return supportCheck
  })
  return (await Promise.all(supportChecks)).every(Boolean)
}

export async function combineImages(
  group: readonly ConversionItem[],
  order: ImageOrder,
  { options, values }: { readonly options: readonly Option[]; readonly values: Values },
): Promise<void> {
  const loadedCatalog = catalog.value
  const sortedFiles = group.flatMap(({ file }) => file.value ?? []).toSorted(comparators[order])
  const format = group[0]?.source?.id
  const pdf = loadedCatalog?.findById('pdf')
  if (!loadedCatalog || !pdf || !format) return
  const name = words.combinedName(sortedFiles.length)
  const mergeOptions = collectValues(options, values)
  const [combinedItem] = await createItems(
    [{ kind: 'parts', name, parts: sortedFiles, format, mergeOptions }],
    loadedCatalog,
  )
  if (!combinedItem) return
  batch(() => {
    combinedItem.target.value = pdf
    newestItem.current = combinedItem
    items.value = [combinedItem, ...items.value.filter((item) => !group.includes(item))]
  })
  void deleteDrafts(group.map(({ key }) => key))
  await convertItem(combinedItem)
}
