import { batch, signal } from '@preact/signals'
import { Semaphore } from '../../../../lib/async/semaphore.ts'
import { setTool } from './choose-target.ts'
import { listToolsFor } from './file-tools.ts'
import { type FormatCatalog, suggestTargets } from './format-catalog.ts'
import { ConversionItem, type ItemOrigin } from './item.ts'
import { catalog, items, maxCards, newestItem } from './item-list.ts'
import { loadPreferredTarget } from './local-storage.ts'
import { saveItemDraft } from './persist-drafts.ts'
import type { TargetChoice } from './preset-links.ts'
import { forEachInSlices } from './time-slices.ts'
import { hasTransparentPixels, isOpaque } from './transparency.ts'

/** Creates list items and chooses their default targets. */

/** The target set by a preset link. It applies to the files that are added after it was set. */
export const linkedChoice = signal<TargetChoice | undefined>(undefined)

export async function createItems(
  origins: readonly ItemOrigin[],
  catalog: FormatCatalog,
): Promise<readonly ConversionItem[]> {
  const createdItems: ConversionItem[] = []
  // Creating items is slow, because the browser accesses the disk for each file.
  await forEachInSlices(origins, (origin) => {
    const item = new ConversionItem(origin, catalog)
    chooseDefault(item, catalog)
    createdItems.push(item)
  })
  return createdItems
}

export function addItems(addedItems: readonly ConversionItem[]): void {
  items.value = [...addedItems, ...items.value]
  void finishAdding(addedItems)
}

function chooseDefault(item: ConversionItem, catalog: FormatCatalog): void {
  const link = linkedChoice.value
  if (link) item.values.value = { ...link.values, ...item.values.value }
  if (item.target.value || !item.source) return
  const linkedTarget = link?.to && catalog.findById(link.to)
  const preferredId = loadPreferredTarget(item.source.id)
  const firstTarget =
    item.targets.find(({ id }) => id === preferredId) ?? suggestTargets(item.source, item.targets)[0]
  item.target.value = linkedTarget && item.targets.includes(linkedTarget) ? linkedTarget : firstTarget
}

/** Inspects only a few files at a time, so that hundreds of files do not block the page. */
const inspectionSlots = new Semaphore(4)

async function finishAdding(addedItems: readonly ConversionItem[]): Promise<void> {
  const tool = linkedChoice.value?.tool
  const defaults = new Map(addedItems.map((item) => [item, item.target.value]))
  const transparencies = await Promise.all(
    addedItems.map((item) => hasTransparency(item, addedItems.length <= maxCards)),
  )
  // Updates the items in one batch, because every change re-renders the summary of all files.
  batch(() => {
    for (const [at, item] of addedItems.entries()) {
      item.hasAlpha.value = transparencies[at] ?? false
      // The user may have chosen a target while the transparency was checked.
      if (transparencies[at] && !item.draft && item.target.value === defaults.get(item))
        preferTransparentTarget(item)
    }
  })
  for (const item of addedItems) {
    if (tool && listToolsFor(item.source).some(({ id, hasOwnPage }) => id === tool && !hasOwnPage))
      void setTool(item, tool)
    else void saveItemDraft(item)
  }
}

async function hasTransparency(item: ConversionItem, isExact: boolean): Promise<boolean> {
  const file = item.file.value
  if (item.source?.category !== 'image' || !file) return false
  const release = await inspectionSlots.acquire(new AbortController().signal)
  try {
    return await hasTransparentPixels(item.source.id, file, isExact)
  } catch {
    return false
  } finally {
    release()
  }
}

/** Chooses a default target that supports transparency, if the current target would fill transparent parts. */
function preferTransparentTarget(item: ConversionItem): void {
  const target = item.target.value
  if (!target || !isOpaque(target.id) || linkedChoice.value?.to === target.id) return
  const kind = `${item.source?.id} with transparency`
  const preferredId = loadPreferredTarget(kind)
  const transparentTargets = suggestTargets(
    item.source,
    item.targets.filter(({ id }) => !isOpaque(id) && id !== 'pdf'),
  )
  const transparentTarget =
    item.targets.find(({ id }) => id === preferredId) ??
    transparentTargets.find(({ id }) => id === 'webp') ??
    transparentTargets[0]
  if (transparentTarget) item.target.value = transparentTarget
}

/**
 * Adds another item for the file of a finished item, whose result is kept. Uses the local file, else the stored source.
 */
export function convertAgain(
  item: ConversionItem,
  file: File | undefined = item.file.value,
): ConversionItem | undefined {
  const formatCatalog = catalog.value
  const job = item.job.value
  if (!formatCatalog) return undefined
  const [firstPart] = item.parts ?? []
  const origin: ItemOrigin | undefined = firstPart
    ? {
        kind: 'parts',
        name: item.name,
        parts: item.parts ?? [],
        format: item.source?.id ?? '',
        mergeOptions: item.mergeOptions,
      }
    : file
      ? { kind: 'file', file, folder: item.folder }
      : item.url !== undefined
        ? { kind: 'url', url: item.url, name: item.name }
        : job && { kind: 'again', job, folder: item.folder }
  if (!origin) return undefined
  const addedItem = new ConversionItem(origin, formatCatalog)
  chooseDefault(addedItem, formatCatalog)
  const target = formatCatalog.findById(job?.target?.format ?? '')
  if (target && addedItem.targets.includes(target)) addedItem.target.value = target
  addedItem.values.value = item.values.value
  addedItem.hasAlpha.value = item.hasAlpha.value
  newestItem.current = addedItem
  items.value = items.value.flatMap((other) => (other === item ? [addedItem, other] : [other]))
  void saveItemDraft(addedItem)
  return addedItem
}
