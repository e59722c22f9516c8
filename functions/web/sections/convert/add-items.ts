import { batch, signal } from '@preact/signals'
import { holdsAlpha, isOpaque } from './transparency.ts'
import { type Catalogue, commonTargets, likelyTargets } from './format-catalog.ts'
import { setTool } from './choose-target.ts'
import { Item, type Origin } from './item.ts'
import type { Choice } from './preset-links.ts'
import { catalogue, items, mostCards, newest } from './item-list.ts'
import { keep } from './persist-drafts.ts'
import { preferredTarget } from './local-storage.ts'
import { inSlices } from './time-slices.ts'
import { Slots } from './semaphore.ts'
import { toolsFor } from './file-tools.ts'

/** Files that come into the list, and what each is to become without being asked. */

/** What the next files are to become, as a link has it. */
export const linked = signal<Choice | undefined>(undefined)

export async function itemsOf(origins: readonly Origin[], known: Catalogue): Promise<readonly Item[]> {
  const made: Item[] = []
  // A browser looks at the disk for each file.
  await inSlices(origins, (origin) => {
    const item = new Item(origin, known)
    chooseDefault(item, known)
    made.push(item)
  })
  return made
}

export function add(added: readonly Item[]): void {
  batch(() => {
    // What was chosen before a reload holds.
    agree(added.filter(({ draft }) => !draft))
    items.value = [...added, ...items.value]
  })
  void settleIn(added)
}

function chooseDefault(item: Item, known: Catalogue): void {
  const wished = linked.value
  if (wished) item.values.value = { ...wished.values, ...item.values.value }
  if (item.target.value || !item.source) return
  const named = wished?.to && known.byId(wished.to)
  const preferred = preferredTarget(item.source.id)
  const first = item.targets.find(({ id }) => id === preferred) ?? likelyTargets(item.source, item.targets)[0]
  item.target.value = named && item.targets.includes(named) ? named : first
}

/** Of a kind all get one target, which none of them is already: in a mix the formats would only swap. */
function agree(added: readonly Item[]): void {
  for (const same of Map.groupBy(added, ({ source }) => source?.category).values()) {
    const sources = new Set(same.map(({ source }) => source?.id))
    const first = same[0]
    if (sources.size < 2 || !first?.source) continue
    const common = commonTargets(same.map(({ targets }) => targets)).filter(({ id }) => !sources.has(id))
    const target = likelyTargets(first.source, common)[0]
    if (target) for (const item of same) item.target.value = target
  }
}

/** A few at a time, so that five hundred files do not keep the page from answering. */
const lookSlots = new Slots(4)

async function settleIn(added: readonly Item[]): Promise<void> {
  const tool = linked.value?.tool
  const usual = new Map(added.map((item) => [item, item.target.value]))
  const clear = await Promise.all(added.map((item) => isSeeThrough(item, added.length <= mostCards)))
  // At once: what is said of all files is made anew with each change.
  batch(() => {
    for (const [at, item] of added.entries()) {
      item.holdsAlpha.value = clear[at] ?? false
      // Meanwhile somebody may have chosen.
      if (clear[at] && !item.draft && item.target.value === usual.get(item)) keepTransparency(item)
    }
  })
  for (const item of added) {
    if (tool && toolsFor(item.source).some(({ id, hasOwnPage }) => id === tool && !hasOwnPage))
      void setTool(item, tool)
    else void keep(item)
  }
}

async function isSeeThrough(item: Item, isExact: boolean): Promise<boolean> {
  const file = item.file.value
  if (item.source?.category !== 'image' || !file) return false
  const release = await lookSlots.take(new AbortController().signal)
  try {
    return await holdsAlpha(item.source.id, file, isExact)
  } catch {
    return false
  } finally {
    release()
  }
}

/** What is chosen without being asked for never fills what is transparent. */
function keepTransparency(item: Item): void {
  const target = item.target.value
  if (!target || !isOpaque(target.id) || linked.value?.to === target.id) return
  const kind = `${item.source?.id} with transparency`
  const preferred = preferredTarget(kind)
  const clear = likelyTargets(
    item.source,
    item.targets.filter(({ id }) => !isOpaque(id) && id !== 'pdf'),
  )
  const better =
    item.targets.find(({ id }) => id === preferred) ?? clear.find(({ id }) => id === 'webp') ?? clear[0]
  if (better) item.target.value = better
}

/** A second one beside the first, so that the result of the first stays: from the file, else from the stored source. */
export function again(item: Item, file: File | undefined = item.file.value): Item | undefined {
  const known = catalogue.value
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
  added.holdsAlpha.value = item.holdsAlpha.value
  newest.current = added
  items.value = items.value.flatMap((other) => (other === item ? [added, other] : [other]))
  void keep(added)
  return added
}
