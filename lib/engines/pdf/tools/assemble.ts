import { join } from 'node:path'
import type { Tools } from '../../engine.ts'
import { runQpdf } from '../qpdf.ts'
import { attachTags, joinTags } from './join-tags.ts'
import {
  type Destination,
  type Navigation,
  type OutlineItem,
  readNavigation,
  writeOutline,
} from './navigation.ts'
import { isPdfRef, PdfObjects } from './objects.ts'

/** Pages to take from a file, counted from 1, in output order. */
export interface PdfPageSource {
  /** Path of a file without a password. */
  readonly path: string
  readonly pages: readonly number[]
}

export type ComposeOutline = (sources: readonly (readonly OutlineItem[])[]) => readonly OutlineItem[]

/**
 * Assembles pages into one PDF. Links and outline items lead to the new positions of their pages, or are dropped if a
 * page is missing. Documents that are joined keep their structure tags. Everything else in the document, such as its
 * title and layers, comes from the first file.
 */
export async function assemblePdf(
  sources: readonly [PdfPageSource, ...PdfPageSource[]],
  tools: Tools,
  composeOutline: ComposeOutline = (outlines) => outlines.flat(),
): Promise<string> {
  const navigationByPath = new Map<string, Navigation>()
  const taggedPaths = new Map<string, string>()
  const [{ path: firstSource }] = sources
  for (const [index, { path }] of sources.entries()) {
    if (navigationByPath.has(path)) continue
    const objects = await PdfObjects.load(path, tools)
    navigationByPath.set(path, readNavigation(objects))
    if (path !== firstSource && attachTags(objects)) {
      const taggedPath = join(tools.workDir, `tagged-${index}.pdf`)
      await objects.save(taggedPath, tools)
      taggedPaths.set(path, taggedPath)
    }
    tools.signal.throwIfAborted()
  }
  const joinedPath = join(tools.workDir, 'joined.pdf')
  const pages = sources.map(({ path, pages }) => ({
    file: path === firstSource ? '.' : (taggedPaths.get(path) ?? path),
    range: pages.join(','),
  }))
  await runQpdf({ inputFile: firstSource, pages, outputFile: joinedPath }, tools)
  tools.progress(0.6)

  const objects = await PdfObjects.load(joinedPath, tools)
  const navigations = sources.map(({ path }) => navigationByPath.get(path) ?? { outline: [], links: [] })
  removeUnusedPages(objects)
  const hasTags = joinsDocuments(sources)
    ? joinTags(
        objects,
        sources.map(({ pages }) => pages.length),
      )
    : keepsAllPages(sources, navigations)
  removeStaleEntries(objects, hasTags)
  updateLinks(objects, sources, navigations)
  const pageRefs = objects.pages().map(({ ref }) => ref)
  const outlines = sources.map((source, index) => {
    const mapDestination = createDestinationMapper(source, countPagesBefore(sources, index))
    return filterItems(navigations[index]?.outline ?? [], mapDestination)
  })
  writeOutline(objects, composeOutline(outlines), (page) => pageRefs[page])
  const path = join(tools.workDir, 'assembled.pdf')
  await objects.save(path, tools)
  return path
}

const countPagesBefore = (sources: readonly PdfPageSource[], index: number) =>
  sources.slice(0, index).reduce((sum, { pages }) => sum + pages.length, 0)

/** Returns a function that maps a destination to its new page, or to undefined if the page was not selected. */
function createDestinationMapper(
  { pages }: Pick<PdfPageSource, 'pages'>,
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

/** Returns the part of the outline that leads to these pages. */
export const filterOutline = (items: readonly OutlineItem[], pages: readonly number[]): OutlineItem[] =>
  filterItems(items, createDestinationMapper({ pages }, 0))

function filterItems(
  items: readonly OutlineItem[],
  mapDestination: (destination: Destination | undefined) => Destination | undefined,
): OutlineItem[] {
  return items.flatMap((item) => {
    const children = filterItems(item.children, mapDestination)
    const destination = mapDestination(item.destination) ?? (item.destination && children[0]?.destination)
    const hasTarget = destination !== undefined || item.uri !== undefined || children.length > 0
    return hasTarget ? [{ ...item, destination, children }] : []
  })
}

/**
 * Removes pages that were not selected. The outline, links and form of the first file still refer to these pages, which
 * would otherwise be included.
 */
function removeUnusedPages(objects: PdfObjects): void {
  const usedRefs = new Set(objects.pages().map(({ ref }) => ref))
  const unusedPageRefs = objects.refs.filter(
    (ref) => objects.dict(ref)?.['/Type'] === '/Page' && !usedRefs.has(ref),
  )
  for (const ref of unusedPageRefs) objects.set(ref, null)
}

/** Whether several documents are joined, each with all of its pages. */
export const joinsDocuments = (sources: readonly Pick<PdfPageSource, 'path'>[]): boolean =>
  sources.length > 1 && new Set(sources.map(({ path }) => path)).size === sources.length

/** Whether the result has all pages of one document, possibly in another order. */
function keepsAllPages(sources: readonly PdfPageSource[], navigations: readonly Navigation[]): boolean {
  return sources.length === 1 && new Set(sources[0]?.pages).size === navigations[0]?.links.length
}

/** Removes entries of the catalog that are only valid for the original document. */
function removeStaleEntries(objects: PdfObjects, hasTags: boolean): void {
  const { root } = objects
  // The structure tree contains text of removed pages.
  const tags = hasTags ? [] : ['/StructTreeRoot', '/MarkInfo']
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
  sources: readonly PdfPageSource[],
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
      // The annotation, or the list of annotations, may be stored inline in its parent.
      const containingRef = [annotation, page?.dict['/Annots'], page?.ref].find(isPdfRef)
      if (containingRef) objects.markChanged(containingRef)
    }
  }
  for (const [index, source] of sources.entries()) {
    const offset = countPagesBefore(sources, index)
    const mapDestination = createDestinationMapper(source, offset)
    for (const [at, page] of source.pages.entries()) {
      updatePageLinks(offset + at, navigations[index]?.links[page - 1] ?? new Map(), mapDestination)
    }
  }
}
