import { batch, signal } from '@preact/signals'
import { setTool } from './choose-target.ts'
import { toolsFor } from './file-tools.ts'
import { commonTargets, type FormatCatalog, suggestTargets } from './format-catalog.ts'
import { Item, type Origin } from './item.ts'
import { catalog, items, maxCards, newestItem } from './item-list.ts'
import { preferredTarget } from './local-storage.ts'
import { saveItemDraft } from './persist-drafts.ts'
import type { TargetChoice } from './preset-links.ts'
import { Semaphore } from './semaphore.ts'
import { forEachInSlices } from './time-slices.ts'
import { hasAlpha, isOpaque } from './transparency.ts'

/** Files that come into the list, and what each is to become without being asked. */

/** What the next files are to become, as a link has it. */
export const linkedChoice = signal<TargetChoice | undefined>(undefined)

export async function createItems(
  origins: readonly Origin[],
  catalog: FormatCatalog,
): Promise<readonly Item[]> {
  const made: Item[] = []
  // A browser looks at the disk for each file.
  await forEachInSlices(origins, (origin) => {
    const item = new Item(origin, catalog)
    chooseDefault(item, catalog)
    made.push(item)
  })
  return made
}

export function addItems(added: readonly Item[]): void {
  batch(() => {
    // What was chosen before a reload holds.
    useCommonTarget(added.filter(({ draft }) => !draft))
    items.value = [...added, ...items.value]
  })
  void finishAdding(added)
}

function chooseDefault(item: Item, catalog: FormatCatalog): void {
  const link = linkedChoice.value
  if (link) item.values.value = { ...link.values, ...item.values.value }
  if (item.target.value || !item.source) return
  const linkedTarget = link?.to && catalog.byId(link.to)
  const preferred = preferredTarget(item.source.id)
  const first =
    item.targets.find(({ id }) => id === preferred) ?? suggestTargets(item.source, item.targets)[0]
  item.target.value = linkedTarget && item.targets.includes(linkedTarget) ? linkedTarget : first
}

/** Of a kind all get one target, which none of them is already: in a mix the formats would only swap. */
function useCommonTarget(added: readonly Item[]): void {
  for (const same of Map.groupBy(added, ({ source }) => source?.category).values()) {
    const sources = new Set(same.map(({ source }) => source?.id))
    const first = same[0]
    if (sources.size < 2 || !first?.source) continue
    const common = commonTargets(same.map(({ targets }) => targets)).filter(({ id }) => !sources.has(id))
    const target = suggestTargets(first.source, common)[0]
    if (target) for (const item of same) item.target.value = target
  }
}

/** A few at a time, so that five hundred files do not keep the page from answering. */
const inspectionSlots = new Semaphore(4)

async function finishAdding(added: readonly Item[]): Promise<void> {
  const tool = linkedChoice.value?.tool
  const defaults = new Map(added.map((item) => [item, item.target.value]))
  const transparent = await Promise.all(added.map((item) => hasTransparency(item, added.length <= maxCards)))
  // At once: what is said of all files is made anew with each change.
  batch(() => {
    for (const [at, item] of added.entries()) {
      item.hasAlpha.value = transparent[at] ?? false
      // Meanwhile somebody may have chosen.
      if (transparent[at] && !item.draft && item.target.value === defaults.get(item))
        preferTransparentTarget(item)
    }
  })
  for (const item of added) {
    if (tool && toolsFor(item.source).some(({ id, hasOwnPage }) => id === tool && !hasOwnPage))
      void setTool(item, tool)
    else void saveItemDraft(item)
  }
}

async function hasTransparency(item: Item, isExact: boolean): Promise<boolean> {
  const file = item.file.value
  if (item.source?.category !== 'image' || !file) return false
  const release = await inspectionSlots.acquire(new AbortController().signal)
  try {
    return await hasAlpha(item.source.id, file, isExact)
  } catch {
    return false
  } finally {
    release()
  }
}

/** What is chosen without being asked for never fills what is transparent. */
function preferTransparentTarget(item: Item): void {
  const target = item.target.value
  if (!target || !isOpaque(target.id) || linkedChoice.value?.to === target.id) return
  const kind = `${item.source?.id} with transparency`
  const preferred = preferredTarget(kind)
  const transparent = suggestTargets(
    item.source,
    item.targets.filter(({ id }) => !isOpaque(id) && id !== 'pdf'),
  )
  const better =
    item.targets.find(({ id }) => id === preferred) ??
    transparent.find(({ id }) => id === 'webp') ??
    transparent[0]
  if (better) item.target.value = better
}

/** A second one beside the first, so that the result of the first stays: from the file, else from the stored source. */
export function convertAgain(item: Item, file: File | undefined = item.file.value): Item | undefined {
  const known = catalog.value
  const job = item.job.value
  if (!known) return undefined
  const origin: Origin | undefined = file
    ? { kind: 'file', file, folder: item.folder }
    : item.url !== undefined
      ? { kind: 'url', url: item.url, name: item.name }
      : job && { kind: 'again', job, folder: item.folder }
  if (!origin) return undefined
  const added = new Item(origin, known)
  chooseDefault(added, known)
  const target = known.byId(job?.target?.format ?? '')
  if (target && added.targets.includes(target)) added.target.value = target
  added.values.value = item.values.value
  added.hasAlpha.value = item.hasAlpha.value
  newestItem.current = added
  items.value = items.value.flatMap((other) => (other === item ? [added, other] : [other]))
  void saveItemDraft(added)
  return added
}
