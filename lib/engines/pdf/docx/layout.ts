import { setImmediate } from 'node:timers/promises'
import type { FloatingImage } from './blocks.ts'
import { anchorImages } from './floating-images.ts'
import { type BoundingBox, computeMedian, getBoundingBox, getWidth } from './geometry.ts'
import { findHeadersFooters, type HeaderFooterRow } from './headers-footers.ts'
import { joinTitleLines, markHeadings } from './headings.ts'
import type { PageImages } from './images.ts'
import { groupIntoLines } from './lines.ts'
import { assignLists } from './lists.ts'
import { buildBlocks } from './page-blocks.ts'
import type { PageContent, Word } from './page-content.ts'
import { findBodyStyle } from './paragraph-styles.ts'
import { buildSections, type DocxSection, type PageFlow } from './sections.ts'
import type { PdfStructure } from './structure.ts'
import type { Grid } from './table-grids.ts'
import { setBlockSpacing } from './vertical-spacing.ts'

export interface DocxLayout {
  readonly sections: readonly DocxSection[]
  readonly header: readonly HeaderFooterRow[]
  readonly footer: readonly HeaderFooterRow[]
  /** Font size of the body text in points. */
  readonly bodySize: number
  /** Line pitch in ems. */
  readonly pitch: number
}

export interface PageParts extends PageImages {
  readonly grids: readonly Grid[]
  /** Images behind the text. */
  readonly floatingImages?: readonly FloatingImage[]
}

/** Reconstructs the layout of the document that the pages were printed from. */
export async function buildLayout(
  { pages, outline }: PdfStructure,
  partsByPage: ReadonlyMap<PageContent, PageParts>,
  signal: AbortSignal,
): Promise<DocxLayout> {
  const headersFooters = findHeadersFooters(pages)
  const column = findTextColumn(pages, headersFooters.words)
  const pitch = measurePitch(pages)
  const hyphenatedWords = findHyphenatedWords(pages)
  const pageCenters = [(column[0] + column[1]) / 2]
  const pageFlows: PageFlow[] = []
  for (const page of pages) {
    // Lets timers and cancellation run between pages.
    await setImmediate()
    signal.throwIfAborted()
    const { grids = [], images = [], labels = new Set<Word>() } = partsByPage.get(page) ?? {}
    const pageColumn = findPageColumn(page, column, headersFooters.words)
    const settings = {
      pitch,
      hyphenatedWords,
      images,
      labels,
      headerFooterWords: headersFooters.words,
      column: pageColumn,
      pageCenters,
    }
    const blocks = buildBlocks(page, grids, settings)
    pageFlows.push({ page, blocks })
  }
  const bodyStyle = findBodyStyle(pageFlows.flatMap(({ blocks }) => blocks))
  const flowsWithTitles = pageFlows.map(({ page, blocks }) => ({
    page,
    blocks: joinTitleLines(blocks, bodyStyle),
  }))
  const blocksWithHeadings = markHeadings(
    flowsWithTitles.flatMap(({ blocks }) => blocks),
    outline,
  )
  let listCount = 0
  const blocksWithLists = assignLists(blocksWithHeadings, () => listCount++)
  let at = 0
  const finishedFlows = flowsWithTitles.map(({ page, blocks }) => {
    const pageBlocks = blocksWithLists.slice(at, at + blocks.length)
    at += blocks.length
    const floatingImages = partsByPage.get(page)?.floatingImages ?? []
    const pageColumn = findPageColumn(page, column, headersFooters.words)
    return {
      page,
      blocks: anchorImages(page, setBlockSpacing(pageBlocks, pitch), floatingImages, pageColumn),
    }
  })
  return {
    sections: buildSections(finishedFlows, column, pitch),
    header: headersFooters.header,
    footer: headersFooters.footer,
    bodySize: bodyStyle.size,
    pitch,
  }
}

/** How far the longest line of a page may extend beyond the usual right edge, in points. Longer lines are ignored. */
const maxRaggedEdge = 18

/**
 * Returns the left and right edge of the text, measured on the pages whose text is wide enough. The left edge is the
 * median of their left edges; the right edge is the one furthest to the right, without outliers.
 */
function findTextColumn(
  pages: readonly PageContent[],
  headerFooterWords: ReadonlySet<Word>,
): readonly [number, number] {
  const textExtents = pages.flatMap((page) => {
    const extent = findTextExtent(page, headerFooterWords)
    return extent && getWidth(extent) > page.width * 0.4 ? [extent] : []
  })
  const width = pages[0]?.width ?? 595
  if (textExtents.length === 0) return [Math.min(72, width * 0.12), width - Math.min(72, width * 0.12)]
  const rightEdges = textExtents.map((box) => box[2])
  const usualRight = computeMedian(rightEdges)
  // Only a few pages have a line that fills the column, but the column must be wide enough for such a line.
  const right = Math.max(...rightEdges.filter((edge) => edge < usualRight + maxRaggedEdge))
  return [computeMedian(textExtents.map((box) => box[0])), right]
}

/**
 * Returns the box around the text of a page, without headers, footers and words at the very top and bottom of the page.
 */
function findTextExtent(page: PageContent, headerFooterWords: ReadonlySet<Word>): BoundingBox | undefined {
  const words = page.textSegments.flat().filter((word) => !headerFooterWords.has(word))
  const innerWords = words.filter(({ box }) => box[1] > page.height * 0.06 && box[3] < page.height * 0.94)
  const countedWords = innerWords.length >= 3 ? innerWords : words
  return countedWords.length > 0 ? getBoundingBox(countedWords.map(({ box }) => box)) : undefined
}

function findPageColumn(
  page: PageContent,
  [left, right]: readonly [number, number],
  headerFooterWords: ReadonlySet<Word>,
): BoundingBox {
  const extent = findTextExtent(page, headerFooterWords)
  if (right > page.width) return extent ?? [0, 0, page.width, page.height]
  return [Math.min(left, extent?.[0] ?? left), 0, Math.max(right, extent?.[2] ?? right), page.height]
}

/** Measures the line pitch only after full lines, because a paragraph continues there. */
function measurePitch(pages: readonly PageContent[]): number {
  const ratios = pages.slice(0, 50).flatMap((page) =>
    page.textSegments.flatMap((segment, index) => {
      const nextSegment = page.textSegments[index + 1]
      const [line] = groupIntoLines(segment)
      const [below] = nextSegment ? groupIntoLines(nextSegment) : []
      if (!line || !below || Math.abs(line.style.size - below.style.size) > 0.5) return []
      const ratio = (below.baseline - line.baseline) / line.style.size
      const isFull = getWidth(line.box) > page.width * 0.2
      return isFull && ratio > 0.8 && ratio < 2.6 ? [ratio] : []
    }),
  )
  if (ratios.length === 0) return 1.2
  const median = computeMedian(ratios)
  // Some programs round the position of each line, so that no single pitch is the right one.
  const usualRatios = ratios.filter((ratio) => Math.abs(ratio - median) < median * 0.08)
  return usualRatios.reduce((sum, ratio) => sum + ratio, 0) / usualRatios.length
}

function findHyphenatedWords(pages: readonly PageContent[]): Set<string> {
  const texts = pages.flatMap((page) => page.textSegments.flat().map(({ text }) => text))
  return new Set(
    texts.flatMap((text) => text.toLowerCase().match(/(?<!\p{L})\p{L}{1,100}-\p{L}{1,100}/gu) ?? []),
  )
}
