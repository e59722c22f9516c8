import { defined } from '../../../validation/defined.ts'
import { isPdfDict, isPdfRef, type PdfDict, type PdfObjects, type PdfValue } from './objects.ts'

/** A destination in a document: a page, counted from 0, and its view, such as [/XYZ, 0, 700, null]. */
export interface Destination {
  readonly page: number
  readonly view: readonly PdfValue[]
}

export interface OutlineItem {
  /** A string in the notation of qpdf's JSON. */
  readonly title: PdfValue
  readonly destination?: Destination | undefined
  readonly uri?: PdfValue | undefined
  readonly isOpen: boolean
  readonly children: readonly OutlineItem[]
}

/** Internal navigation of a document. */
export interface Navigation {
  readonly outline: readonly OutlineItem[]
  /** Destinations by page, then by the index of the annotation on the page. */
  readonly links: readonly ReadonlyMap<number, Destination>[]
}

const maxItems = 50_000
const maxDepth = 64

/** Reads the outline, links and named destinations (ISO 32000-1, 12.3 and 12.5.6.5). */
export function readNavigation(objects: PdfObjects): Navigation {
  const pages = objects.pages()
  const pageIndexByRef = new Map(pages.map(({ ref }, index) => [ref, index]))
  const namedDestinations = readNamedDestinations(objects)
  const findDestination = (holder: PdfDict): Destination | undefined => {
    const action = objects.dict(holder['/A'])
    const actionTarget = action?.['/S'] === '/GoTo' ? action['/D'] : undefined
    return resolveDestination(objects, holder['/Dest'] ?? actionTarget, namedDestinations, pageIndexByRef)
  }
  const links = pages.map(({ dict }) => {
    const foundDestinations = new Map<number, Destination>()
    for (const [index, annotation] of objects.list(dict['/Annots']).entries()) {
      const link = objects.dict(annotation)
      const destination = link?.['/Subtype'] === '/Link' ? findDestination(link) : undefined
      if (destination) foundDestinations.set(index, destination)
    }
    return foundDestinations
  })
  return { outline: readOutline(objects, findDestination), links }
}

function readOutline(
  objects: PdfObjects,
  findDestination: (item: PdfDict) => Destination | undefined,
): OutlineItem[] {
  const seenItems = new Set<PdfDict>()
  const readSiblings = (firstItem: PdfValue | undefined, depth: number): OutlineItem[] => {
    const items: OutlineItem[] = []
    let nextItem = objects.dict(firstItem)
    while (nextItem && !seenItems.has(nextItem) && seenItems.size < maxItems && depth < maxDepth) {
      seenItems.add(nextItem)
      const action = objects.dict(nextItem['/A'])
      const { '/Count': count } = nextItem
      items.push({
        title: objects.resolve(nextItem['/Title']) ?? 'u:',
        destination: findDestination(nextItem),
        uri: action?.['/S'] === '/URI' ? objects.resolve(action['/URI']) : undefined,
        isOpen: typeof count === 'number' && count > 0,
        children: readSiblings(nextItem['/First'], depth + 1),
      })
      nextItem = objects.dict(nextItem['/Next'])
    }
    return items
  }
  return readSiblings(objects.dict(objects.root['/Outlines'])?.['/First'], 0)
}

/** Returns the named destinations, from the name tree and from the dictionary of PDF 1.1. */
function readNamedDestinations(objects: PdfObjects): ReadonlyMap<string, PdfValue> {
  const destinations = new Map<string, PdfValue>(
    Object.entries(objects.dict(objects.root['/Dests']) ?? {}).map(([name, destination]) => [
      name,
      destination,
    ]),
  )
  const seenItems = new Set<PdfDict>()
  const walk = (node: PdfValue | undefined) => {
    const dict = objects.dict(node)
    if (!dict || seenItems.has(dict)) return
    seenItems.add(dict)
    const names = objects.list(dict['/Names'])
    for (let at = 0; at + 1 < names.length; at += 2) {
      const name = objects.resolve(names[at])
      if (typeof name === 'string') destinations.set(name, names[at + 1] ?? null)
    }
    for (const kid of objects.list(dict['/Kids'])) walk(kid)
  }
  walk(objects.dict(objects.root['/Names'])?.['/Dests'])
  return destinations
}

function resolveDestination(
  objects: PdfObjects,
  destination: PdfValue | undefined,
  namedDestinations: ReadonlyMap<string, PdfValue>,
  pageIndexByRef: ReadonlyMap<string, number>,
): Destination | undefined {
  let foundValue = objects.resolve(destination)
  if (typeof foundValue === 'string') foundValue = objects.resolve(namedDestinations.get(foundValue))
  if (isPdfDict(foundValue)) foundValue = objects.resolve(foundValue['/D'])
  if (!Array.isArray(foundValue)) return undefined
  const [target, ...view] = foundValue
  // Some programs write a page number, which the specification allows only for links to other files.
  const page = isPdfRef(target) ? pageIndexByRef.get(target) : typeof target === 'number' ? target : undefined
  return page === undefined ? undefined : { page, view: view.map((part) => objects.resolve(part)) }
}

/** The parts of a document that are needed to write an outline into it. */
type OutlineTarget = Pick<PdfObjects, 'root' | 'markRootChanged' | 'add' | 'set'>

/** Replaces the outline of a document. `getPageRef` returns the reference of a page. */
export function writeOutline(
  objects: OutlineTarget,
  items: readonly OutlineItem[],
  getPageRef: (page: number) => string | undefined,
): void {
  const { root } = objects
  delete root['/Outlines']
  if (root['/PageMode'] === '/UseOutlines' && items.length === 0) delete root['/PageMode']
  objects.markRootChanged()
  if (items.length === 0) return
  const holder: PdfDict = { '/Type': '/Outlines' }
  const ref = objects.add(holder)
  root['/Outlines'] = ref
  addItems(objects, items, { ref, dict: holder }, getPageRef)
}

/** Adds items to the outline. @returns the number of items that are visible below the parent if it is open. */
function addItems(
  objects: OutlineTarget,
  items: readonly OutlineItem[],
  parent: { readonly ref: string; readonly dict: PdfDict },
  getPageRef: (page: number) => string | undefined,
): number {
  const refs = items.map(() => objects.add({}))
  let visibleCount = items.length
  for (const [index, item] of items.entries()) {
    const ref = refs[index] ?? ''
    const dict = toItemDict(item, { parent: parent.ref, previous: refs[index - 1], next: refs[index + 1] })
    const page = item.destination && getPageRef(item.destination.page)
    if (page && item.destination) dict['/Dest'] = [page, ...item.destination.view]
    if (item.children.length > 0) {
      const childItems = addItems(objects, item.children, { ref, dict }, getPageRef)
      dict['/Count'] = item.isOpen ? childItems : -childItems
      if (item.isOpen) visibleCount += childItems
    }
    objects.set(ref, dict)
  }
  const [firstRef = null] = refs
  Object.assign(parent.dict, { '/First': firstRef, '/Last': refs.at(-1) ?? null, '/Count': visibleCount })
  return visibleCount
}

interface SiblingRefs {
  readonly parent: string
  readonly previous: string | undefined
  readonly next: string | undefined
}

function toItemDict(
  { title, destination, uri }: OutlineItem,
  { parent, previous, next }: SiblingRefs,
): PdfDict {
  return {
    '/Title': title,
    '/Parent': parent,
    ...defined({ '/Prev': previous, '/Next': next }),
    ...(!destination && uri !== undefined && { '/A': { '/S': '/URI', '/URI': uri } }),
  }
}
