import type { ContentBlock, FlowBlock, ImageBlock, Paragraph } from './blocks.ts'
import { findBorderlessTables } from './borderless-tables.ts'
import { buildBorderlessTable, buildRuledTable } from './build-tables.ts'
import { flowThroughColumns, toColumnSet } from './column-sets.ts'
import { type BoundingBox, computeMedian, getBoundingBox, isCenterInside } from './geometry.ts'
import { findRuledRegions } from './horizontal-rules.ts'
import { markJustified } from './justified-lines.ts'
import { groupIntoLines, isMostlyRtl, type TextLine, toLineInOrder } from './lines.ts'
import type { PageContent, Vector, Word } from './page-content.ts'
import { groupIntoParagraphs, type ParagraphSettings } from './paragraphs.ts'
import { type Band, type PageItem, sortIntoReadingOrder } from './reading-order.ts'
import { findFills, findGrids, type Grid } from './table-grids.ts'
import { measureTop } from './vertical-spacing.ts'

interface PageSettings extends Omit<ParagraphSettings, 'column'> {
  /** Left and right edge of the text in the whole document. */
  readonly column: BoundingBox
  readonly images: readonly ImageBlock[]
  /** Words that only images show. */
  readonly labels: ReadonlySet<Word>
  /** Words of headers and footers. */
  readonly headerFooterWords: ReadonlySet<Word>
}

/** Filled backgrounds, and areas between rules. */
interface PageDrawings {
  readonly fills: readonly Vector[]
  readonly ruledRegions: readonly BoundingBox[]
}

interface BlockItem extends PageItem {
  readonly words: readonly Word[]
  readonly block?: ContentBlock
}

/** Tables are not searched for on pages with more words than this. */
const maxWords = 20_000
/** Tables are not searched for in columns with more lines than this. */
const maxLines = 1000

/** Finds ruled tables that contain words; a grid without words is the background of a chart. */
export function findRuledTables(page: PageContent): Grid[] {
  const words = page.textSegments.flat()
  if (words.length > maxWords) return []
  return findGrids(page.vectors, page.width * page.height).filter((grid) => {
    const filledCells = grid.cells.filter(({ box }) => words.some((word) => isCenterInside(word.box, box)))
    const columns = new Set(filledCells.map(({ column }) => column))
    const hasSharedRow = filledCells.some((cell) =>
      filledCells.some(({ row, column }) => row === cell.row && column > cell.column),
    )
    return columns.size >= 2 && hasSharedRow && filledCells.length >= grid.cells.length * 0.3
  })
}

/** Returns the blocks of a page in reading order. */
export function buildBlocks(page: PageContent, grids: readonly Grid[], settings: PageSettings): FlowBlock[] {
  const textSegments = page.textSegments
    .map((segment) =>
      segment.filter((word) => !settings.headerFooterWords.has(word) && !settings.labels.has(word)),
    )
    .filter((segment) => segment.length > 0)
  const words = textSegments.flat()
  const isInTable = (word: Word) => grids.some(({ box }) => isCenterInside(word.box, box))
  const items: BlockItem[] = [
    ...textSegments.flatMap((segment) => toTextItem(segment.filter((word) => !isInTable(word)))),
    ...grids.map((grid) => toBlockItem(buildRuledTable(grid, words, settings))),
    ...settings.images
      .filter((image) => !grids.some(({ box }) => isCenterInside(image.box, box)))
      .map(toBlockItem),
  ]
  const drawings = {
    fills: findFills(page.vectors, page.width * page.height),
    ruledRegions: findRuledRegions(page.vectors),
  }
  const bands = sortIntoReadingOrder(items, settings.column).map((band) =>
    buildBand(band, page, drawings, settings),
  )
  const flow = addSpaceBetweenBands(bands, settings.pitch)
  return [
    ...flow,
    ...toRotatedParagraphs(page, settings).map((block) => ({ ...block, column: settings.column })),
  ]
}

function buildBand(
  band: Band<BlockItem>,
  page: PageContent,
  drawings: PageDrawings,
  settings: PageSettings,
): FlowBlock[] {
  const { columns } = band
  const centers = [...(settings.centers ?? []), page.width / 2]
  const blocksByColumn = columns.map(({ items, box: column }) =>
    // The page center is also the center of the text only if there are no columns.
    buildColumn(items, drawings, { ...settings, column, centers: column === settings.column ? centers : [] }),
  )
  const columnSet = toColumnSet(band, settings.column, page.vectors)
  if (!columnSet) return blocksByColumn.flat().map((block) => ({ ...block, column: settings.column }))
  return flowThroughColumns(
    blocksByColumn,
    columns.map(({ box: column }) => column),
    columnSet,
  )
}

/** Keeps the spacing above and below columns. */
function addSpaceBetweenBands(bands: readonly (readonly FlowBlock[])[], pitch: number): FlowBlock[] {
  const result: FlowBlock[] = []
  for (const band of bands) {
    const [firstItem, ...rest] = band
    const lastBlock = result.at(-1)
    if (!firstItem) continue
    if (!lastBlock || (!firstItem.columnSet && !lastBlock.columnSet)) {
      result.push(firstItem, ...rest)
      continue
    }
    // Columns start together, at the highest of their first lines.
    const top = Math.min(...band.map((block) => measureTop(block, pitch)))
    const space = Math.max(0, top - Math.max(...result.map(({ box }) => box[3])))
    const start =
      firstItem.kind === 'paragraph'
        ? { ...firstItem, spaceBefore: firstItem.columnSet ? 0 : space }
        : firstItem
    if (firstItem.columnSet) result[result.length - 1] = { ...lastBlock, spaceAfter: space }
    result.push(start, ...rest)
  }
  return result
}

/** Converts rotated text to a paragraph per line. */
function toRotatedParagraphs(page: PageContent, settings: PageSettings): Paragraph[] {
  return page.rotatedText.flatMap((words) => {
    const box = getBoundingBox(words.map((word) => word.box))
    const [paragraph] = groupIntoParagraphs([toLineInOrder(words)], settings)
    return paragraph ? [{ ...paragraph, box, alignment: 'left' as const, indent: 0, firstIndent: 0 }] : []
  })
}

function toTextItem(words: readonly Word[]): BlockItem[] {
  if (words.length === 0) return []
  const text = words.map((word) => word.text).join('')
  return [
    {
      words,
      box: getBoundingBox(words.map(({ box }) => box)),
      characters: text.length,
      isRtl: isMostlyRtl(text),
    },
  ]
}

const toBlockItem = (block: ContentBlock): BlockItem => ({
  words: [],
  box: block.box,
  characters: 0,
  isRtl: false,
  block,
})

/** Builds the blocks of one column, from top to bottom. */
function buildColumn(
  items: readonly BlockItem[],
  { fills, ruledRegions }: PageDrawings,
  settings: ParagraphSettings,
): ContentBlock[] {
  const lines = markJustified(groupIntoLines(items.flatMap(({ words }) => words)), settings.column)
  const otherBlocks = items.flatMap(({ block }) => block ?? [])
  const tables = lines.length > maxLines ? [] : findBorderlessTables(lines, ruledRegions)
  const tableLines = new Set(tables.flatMap((table) => table.lines))
  const blocks: ContentBlock[] = [...otherBlocks]
  let pendingLines: TextLine[] = []
  const flush = () => {
    if (pendingLines.length > 0) blocks.push(...groupIntoParagraphs(pendingLines, settings))
    pendingLines = []
  }
  for (const line of lines) {
    const lineBefore = pendingLines.at(-1)
    const isSeparated =
      lineBefore &&
      otherBlocks.some(({ box }) => box[1] >= lineBefore.baseline - 3 && box[3] <= line.baseline)
    if (tableLines.has(line) || isSeparated) flush()
    if (!tableLines.has(line)) pendingLines.push(line)
  }
  flush()
  blocks.push(...tables.map((table) => buildBorderlessTable(table, fills, settings)))
  return addSpacing(
    blocks.sort((a, b) => a.box[1] - b.box[1]),
    settings.pitch,
  )
}

/** Keeps the spacing between blocks where it is larger than the line spacing. */
function addSpacing(blocks: readonly ContentBlock[], pitch: number): ContentBlock[] {
  const spacedBlocks = blocks.map((block, index) => {
    const blockBefore = blocks[index - 1]
    if (block.kind !== 'paragraph' || !blockBefore) return block
    const defaultSpace = block.style.size * (pitch - 1)
    return {
      ...block,
      spaceBefore: Math.min(40, Math.max(0, block.box[1] - blockBefore.box[3] - defaultSpace)),
    }
  })
  // The first block has nothing above it on its page; it may be placed below the last block of another column or page.
  const [firstBlock, ...rest] = spacedBlocks
  if (firstBlock?.kind !== 'paragraph') return spacedBlocks
  const defaultSpace = computeMedian(
    rest.flatMap((block) => (block.kind === 'paragraph' ? [block.spaceBefore] : [])),
  )
  return [{ ...firstBlock, spaceBefore: defaultSpace }, ...rest]
}
