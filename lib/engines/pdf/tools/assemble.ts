import { join } from 'node:path'
import type { Tools } from '../../engine.ts'
import { qpdf } from '../qpdf.ts'
import { type Navigation, navigationOf, type OutlineItem, type Place, writeOutline } from './navigation.ts'
import { isRef, PdfObjects } from './objects.ts'

/** Pages to take from a file, counted from 1, in the order wanted. */
export interface Part {
  /** Needs no password. */
  readonly path: string
  readonly pages: readonly number[]
}

export type ComposeOutline = (parts: readonly (readonly OutlineItem[])[]) => readonly OutlineItem[]

/**
 * Puts pages together into one PDF. Links and outline items lead to where their pages are now; those whose pages
 * are gone are gone too. All else of the document, as its title and its layers, comes from the first file.
 */
export async function assemble(
  parts: readonly [Part, ...Part[]],
  tools: Tools,
  compose: ComposeOutline = (outlines) => outlines.flat(),
): Promise<string> {
  const sources = new Map<string, Navigation>()
  for (const { path } of parts) {
    if (!sources.has(path)) sources.set(path, navigationOf(await PdfObjects.load(path, tools)))
    tools.signal.throwIfAborted()
  }
  const [{ path: first }] = parts
  const joined = join(tools.workDir, 'joined.pdf')
  const pages = parts.map(({ path, pages }) => ({
    file: path === first ? '.' : path,
    range: pages.join(','),
  }))
  await qpdf({ inputFile: first, pages, outputFile: joined }, tools)
  tools.progress(0.6)

  const objects = await PdfObjects.load(joined, tools)
  const navigations = parts.map(({ path }) => sources.get(path) ?? { outline: [], links: [] })
  dropOtherPages(objects)
  forgetOldPlaces(objects, hasAllPages(parts, navigations))
  relink(objects, parts, navigations)
  const refs = objects.pages().map(({ ref }) => ref)
  const outlines = parts.map((part, index) => {
    const moved = movedBy(part, offsetOf(parts, index))
    return kept(navigations[index]?.outline ?? [], moved)
  })
  writeOutline(objects, compose(outlines), (page) => refs[page])
  const path = join(tools.workDir, 'assembled.pdf')
  await objects.save(path, tools)
  return path
}

const offsetOf = (parts: readonly Part[], index: number) =>
  parts.slice(0, index).reduce((sum, { pages }) => sum + pages.length, 0)

/** Where a place of the source is now, if it is there at all. */
function movedBy(
  { pages }: Pick<Part, 'pages'>,
  offset: number,
): (place: Place | undefined) => Place | undefined {
  const positions = new Map<number, number>()
  for (const [index, page] of pages.entries()) {
    if (!positions.has(page - 1)) positions.set(page - 1, offset + index)
  }
  return (place) => {
    const page = place && positions.get(place.page)
    return page === undefined || !place ? undefined : { page, view: place.view }
  }
}

/** The outline of a file of these pages alone. */
export const keptOutline = (items: readonly OutlineItem[], pages: readonly number[]): OutlineItem[] =>
  kept(items, movedBy({ pages }, 0))

function kept(
  items: readonly OutlineItem[],
  moved: (place: Place | undefined) => Place | undefined,
): OutlineItem[] {
  return items.flatMap((item) => {
    const children = kept(item.children, moved)
    const place = moved(item.place) ?? (item.place && children[0]?.place)
    const leads = place !== undefined || item.uri !== undefined || children.length > 0
    return leads ? [{ ...item, place, children }] : []
  })
}

/** The outline, links and form of the first file still refer to pages that were not taken, and would carry them along. */
function dropOtherPages(objects: PdfObjects): void {
  const taken = new Set(objects.pages().map(({ ref }) => ref))
  const others = objects.refs.filter((ref) => objects.dict(ref)?.['/Type'] === '/Page' && !taken.has(ref))
  for (const ref of others) objects.set(ref, null)
}

/** The document in another order, at most. */
function hasAllPages(parts: readonly Part[], navigations: readonly Navigation[]): boolean {
  return parts.length === 1 && new Set(parts[0]?.pages).size === navigations[0]?.links.length
}

/** What was only true of the document as it was. */
function forgetOldPlaces(objects: PdfObjects, samePages: boolean): void {
  const { root } = objects
  // The tree of tags holds the words of pages that are gone, and knows nothing of pages that came.
  const tags = samePages ? [] : ['/StructTreeRoot', '/MarkInfo']
  for (const key of [...tags, '/Dests', '/OpenAction', '/Threads', '/Perms']) delete root[key]
  const names = objects.dict(root['/Names'])
  if (names) {
    const { '/Dests': _, ...others } = names
    root['/Names'] = others
  }
  const form = objects.dict(root['/AcroForm'])
  if (form) {
    const { '/XFA': _, ...others } = form
    root['/AcroForm'] = others
  }
  objects.touchRoot()
}

function relink(objects: PdfObjects, parts: readonly Part[], navigations: readonly Navigation[]): void {
  const pages = objects.pages()
  const relinkPage = (
    at: number,
    links: ReadonlyMap<number, Place>,
    moved: (place: Place) => Place | undefined,
  ) => {
    const page = pages[at]
    const annotations = objects.list(page?.dict['/Annots'])
    for (const [number, place] of links) {
      const annotation = annotations[number]
      const link = objects.dict(annotation)
      if (link?.['/Subtype'] !== '/Link') continue
      const target = moved(place)
      const ref = target && pages[target.page]?.ref
      delete link['/A']
      delete link['/Dest']
      if (target && ref) link['/Dest'] = [ref, ...target.view]
      // An annotation may stand in the list itself, and that in the page.
      const holder = [annotation, page?.dict['/Annots'], page?.ref].find(isRef)
      if (holder) objects.touch(holder)
    }
  }
  for (const [index, part] of parts.entries()) {
    const offset = offsetOf(parts, index)
    const moved = movedBy(part, offset)
    for (const [at, page] of part.pages.entries()) {
      relinkPage(offset + at, navigations[index]?.links[page - 1] ?? new Map(), moved)
    }
  }
}
