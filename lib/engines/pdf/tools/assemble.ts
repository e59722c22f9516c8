import { join } from 'node:path'
import type { Tools } from '../../engine.ts'
import { runQpdf } from '../qpdf.ts'
import {
  type Destination,
  type Navigation,
  type OutlineItem,
  readNavigation,
  writeOutline,
} from './navigation.ts'
import { isPdfRef, PdfObjects } from './objects.ts'

/** Pages to take from a file, counted from 1, in the order wanted. */
export interface PageSource {
  /** Needs no password. */
  readonly path: string
  readonly pages: readonly number[]
}

export type ComposeOutline = (sources: readonly (readonly OutlineItem[])[]) => readonly OutlineItem[]

/**
 * Puts pages together into one PDF. Links and outline items lead to where their pages are now; those whose pages
 * are gone are gone too. All else of the document, as its title and its layers, comes from the first file.
 */
export async function assemble(
  sources: readonly [PageSource, ...PageSource[]],
  tools: Tools,
  compose: ComposeOutline = (outlines) => outlines.flat(),
): Promise<string> {
  const navigationByPath = new Map<string, Navigation>()
  for (const { path } of sources) {
    if (!navigationByPath.has(path))
      navigationByPath.set(path, readNavigation(await PdfObjects.load(path, tools)))
    tools.signal.throwIfAborted()
  }
  const [{ path: first }] = sources
  const joinedPath = join(tools.workDir, 'joined.pdf')
  const pages = sources.map(({ path, pages }) => ({
    file: path === first ? '.' : path,
    range: pages.join(','),
  }))
  await runQpdf({ inputFile: first, pages, outputFile: joinedPath }, tools)
  tools.progress(0.6)

  const objects = await PdfObjects.load(joinedPath, tools)
  const navigations = sources.map(({ path }) => navigationByPath.get(path) ?? { outline: [], links: [] })
  removeUnusedPages(objects)
  removeStaleEntries(objects, keepsAllPages(sources, navigations))
  updateLinks(objects, sources, navigations)
  const refs = objects.pages().map(({ ref }) => ref)
  const outlines = sources.map((source, index) => {
    const mapDestination = createDestinationMapper(source, pageOffset(sources, index))
    return filterItems(navigations[index]?.outline ?? [], mapDestination)
  })
  writeOutline(objects, compose(outlines), (page) => refs[page])
  const path = join(tools.workDir, 'assembled.pdf')
  await objects.save(path, tools)
  return path
}

const pageOffset = (sources: readonly PageSource[], index: number) =>
  sources.slice(0, index).reduce((sum, { pages }) => sum + pages.length, 0)

/** Where a place of the source is now, if it is there at all. */
function createDestinationMapper(
  { pages }: Pick<PageSource, 'pages'>,
  offset: number,
): (destination: Destination | undefined) => Destination | undefined {
  const positions = new Map<number, number>()
  for (const [index, page] of pages.entries()) {
    if (!positions.has(page - 1)) positions.set(page - 1, offset + index)
  }
  return (destination) => {
    const page = destination && positions.get(destination.page)
    return page === undefined || !destination ? undefined : { page, view: destination.view }
  }
}

/** The outline of a file of these pages alone. */
export const filterOutline = (items: readonly OutlineItem[], pages: readonly number[]): OutlineItem[] =>
  filterItems(items, createDestinationMapper({ pages }, 0))

function filterItems(
  items: readonly OutlineItem[],
  mapDestination: (destination: Destination | undefined) => Destination | undefined,
): OutlineItem[] {
  return items.flatMap((item) => {
    const children = filterItems(item.children, mapDestination)
    const destination = mapDestination(item.destination) ?? (item.destination && children[0]?.destination)
    const leadsSomewhere = destination !== undefined || item.uri !== undefined || children.length > 0
    return leadsSomewhere ? [{ ...item, destination, children }] : []
  })
}

/** The outline, links and form of the first file still refer to pages that were not taken, and would carry them along. */
function removeUnusedPages(objects: PdfObjects): void {
  const usedRefs = new Set(objects.pages().map(({ ref }) => ref))
  const rest = objects.refs.filter((ref) => objects.dict(ref)?.['/Type'] === '/Page' && !usedRefs.has(ref))
  for (const ref of rest) objects.set(ref, null)
}

/** The document in another order, at most. */
function keepsAllPages(sources: readonly PageSource[], navigations: readonly Navigation[]): boolean {
  return sources.length === 1 && new Set(sources[0]?.pages).size === navigations[0]?.links.length
}

/** What was only true of the document as it was. */
function removeStaleEntries(objects: PdfObjects, hasSamePages: boolean): void {
  const { root } = objects
  // The tree of tags holds the words of pages that are gone, and knows nothing of pages that came.
  const tags = hasSamePages ? [] : ['/StructTreeRoot', '/MarkInfo']
  for (const key of [...tags, '/Dests', '/OpenAction', '/Threads', '/Perms']) delete root[key]
  const names = objects.dict(root['/Names'])
  if (names) {
    const { '/Dests': _, ...rest } = names
    root['/Names'] = rest
  }
  const form = objects.dict(root['/AcroForm'])
  if (form) {
    const { '/XFA': _, ...rest } = form
    root['/AcroForm'] = rest
  }
  objects.markRootChanged()
}

function updateLinks(
  objects: PdfObjects,
  sources: readonly PageSource[],
  navigations: readonly Navigation[],
): void {
  const pages = objects.pages()
  const updatePageLinks = (
    at: number,
    links: ReadonlyMap<number, Destination>,
    mapDestination: (destination: Destination) => Destination | undefined,
  ) => {
    const page = pages[at]
    const annotations = objects.list(page?.dict['/Annots'])
    for (const [number, destination] of links) {
      const annotation = annotations[number]
      const link = objects.dict(annotation)
      if (link?.['/Subtype'] !== '/Link') continue
      const target = mapDestination(destination)
      const ref = target && pages[target.page]?.ref
      delete link['/A']
      delete link['/Dest']
      if (target && ref) link['/Dest'] = [ref, ...target.view]
      // An annotation may stand in the list itself, and that in the page.
      const holder = [annotation, page?.dict['/Annots'], page?.ref].find(isPdfRef)
      if (holder) objects.markChanged(holder)
    }
  }
  for (const [index, source] of sources.entries()) {
    const offset = pageOffset(sources, index)
    const mapDestination = createDestinationMapper(source, offset)
    for (const [at, page] of source.pages.entries()) {
      updatePageLinks(offset + at, navigations[index]?.links[page - 1] ?? new Map(), mapDestination)
    }
  }
}
