import { setImmediate } from 'node:timers/promises'
import { around, type Box, median, widthOf } from './geometry.ts'
import { type FurnitureRow, furnitureOf } from './headers-footers.ts'
import { withHeadings, withWholeTitles } from './headings.ts'
import type { PagePictures } from './images.ts'
import { linesOf } from './lines.ts'
import { withLists } from './lists.ts'
import { blocksOf } from './page-blocks.ts'
import type { Page, Word } from './page-content.ts'
import { bodyLook } from './paragraph-styles.ts'
import { type PageFlow, type Section, sectionsOf } from './sections.ts'
import type { Structure } from './structure.ts'
import type { Grid } from './table-grids.ts'

export interface Layout {
  readonly sections: readonly Section[]
  readonly header: readonly FurnitureRow[]
  readonly footer: readonly FurnitureRow[]
  /** Points. */
  readonly bodySize: number
  /** Distance of lines in sizes of the letters. */
  readonly pitch: number
}

export interface PageParts extends PagePictures {
  readonly grids: readonly Grid[]
}

/** The document that the pages were printed from, as far as it can be told. */
export async function layoutOf(
  { pages, outline }: Structure,
  parts: ReadonlyMap<Page, PageParts>,
  signal: AbortSignal,
): Promise<Layout> {
  const furniture = furnitureOf(pages)
  const column = textColumn(pages, furniture.words)
  const pitch = usualPitch(pages)
  const hyphenated = hyphenatedWords(pages)
  const centers = [(column[0] + column[1]) / 2]
  const found: PageFlow[] = []
  for (const page of pages) {
    // Gives way to the clock and to a cancel between pages.
    await setImmediate()
    signal.throwIfAborted()
    const { grids = [], pictures = [], labels = new Set<Word>() } = parts.get(page) ?? {}
    const own = columnOf(page, column, furniture.words)
    const rules = { pitch, hyphenated, pictures, labels, furniture: furniture.words, column: own, centers }
    const blocks = blocksOf(page, grids, rules)
    found.push({ page, blocks })
  }
  const body = bodyLook(found.flatMap(({ blocks }) => blocks))
  const perPage = found.map(({ page, blocks }) => ({ page, blocks: withWholeTitles(blocks, body) }))
  const titled = withHeadings(
    perPage.flatMap(({ blocks }) => blocks),
    outline,
  )
  let lists = 0
  const marked = withLists(titled, () => lists++)
  let at = 0
  const finished = perPage.map(({ page, blocks }) => {
    const own = marked.slice(at, at + blocks.length)
    at += blocks.length
    return { page, blocks: own }
  })
  return {
    sections: sectionsOf(finished, column),
    header: furniture.header,
    footer: furniture.footer,
    bodySize: body.size,
    pitch,
  }
}

/** Left and right edge of the text: the median of the pages that are filled. */
function textColumn(pages: readonly Page[], furniture: ReadonlySet<Word>): readonly [number, number] {
  const extents = pages.flatMap((page) => {
    const extent = textExtent(page, furniture)
    return extent && widthOf(extent) > page.width * 0.4 ? [extent] : []
  })
  const width = pages[0]?.width ?? 595
  if (extents.length === 0) return [Math.min(72, width * 0.12), width - Math.min(72, width * 0.12)]
  return [median(extents.map((box) => box[0])), median(extents.map((box) => box[2]))]
}

/** Around the text of a page, but for what stands at its very top and bottom. */
function textExtent(page: Page, furniture: ReadonlySet<Word>): Box | undefined {
  const words = page.pieces.flat().filter((word) => !furniture.has(word))
  const inner = words.filter(({ box }) => box[1] > page.height * 0.06 && box[3] < page.height * 0.94)
  const counted = inner.length >= 3 ? inner : words
  return counted.length > 0 ? around(counted.map(({ box }) => box)) : undefined
}

function columnOf(page: Page, [left, right]: readonly [number, number], furniture: ReadonlySet<Word>): Box {
  const own = textExtent(page, furniture)
  if (right > page.width) return own ?? [0, 0, page.width, page.height]
  return [Math.min(left, own?.[0] ?? left), 0, Math.max(right, own?.[2] ?? right), page.height]
}

/** Measured between lines that follow a full one: there a paragraph goes on. */
function usualPitch(pages: readonly Page[]): number {
  const ratios = pages.slice(0, 50).flatMap((page) =>
    page.pieces.flatMap((piece, index) => {
      const next = page.pieces[index + 1]
      const [line] = linesOf(piece)
      const [below] = next ? linesOf(next) : []
      if (!line || !below || Math.abs(line.style.size - below.style.size) > 0.5) return []
      const ratio = (below.base - line.base) / line.style.size
      const isFull = widthOf(line.box) > page.width * 0.25
      return isFull && ratio > 0.8 && ratio < 2.6 ? [ratio] : []
    }),
  )
  return ratios.length > 0 ? median(ratios) : 1.2
}

function hyphenatedWords(pages: readonly Page[]): Set<string> {
  const texts = pages.flatMap((page) => page.pieces.flat().map(({ text }) => text))
  return new Set(texts.flatMap((text) => text.toLowerCase().match(/\p{L}+-\p{L}+/gu) ?? []))
}
