import { defined } from '../../../validation/defined.ts'
import type { ColumnSet, ContentBlock, FlowBlock } from './blocks.ts'
import { isSameColumnSet } from './column-sets.ts'
import { type BoundingBox, getBoundingBox, type Interval } from './geometry.ts'
import type { PageContent } from './page-content.ts'
import { isContinuation, joinParagraphs } from './split-paragraphs.ts'
import { isContinuedTable, joinTables } from './split-tables.ts'
import { measureTop, placeBelow } from './vertical-spacing.ts'

/** Consecutive pages of one size, or a part of them that is set in columns. */
export interface DocxSection {
  readonly width: number
  readonly height: number
  /** Left, top, right, bottom in points. */
  readonly margins: BoundingBox
  readonly blocks: readonly FlowBlock[]
  /** Whether the section continues below the previous one; otherwise it starts on a new page. */
  readonly isContinuous: boolean
  readonly columns?: SectionColumns
}

interface SectionColumns {
  readonly count: number
  /** Points between two columns. */
  readonly space: number
  readonly isRuled: boolean
  /** Whether all columns end at about the same height. */
  readonly isBalanced: boolean
}

export interface PageFlow {
  readonly page: PageContent
  readonly blocks: readonly FlowBlock[]
}

/** Splits the pages into sections where their size or columns change. */
export function buildSections(
  flows: readonly PageFlow[],
  column: readonly [number, number],
  pitch: number,
): DocxSection[] {
  const groups: PageFlow[][] = []
  for (const flow of flows) {
    const group = groups.at(-1)
    const lastFlow = group?.at(-1)
    if (group && lastFlow && isSameSize(lastFlow.page, flow.page)) group.push(flow)
    else groups.push([flow])
  }
  return groups.flatMap((group) => {
    const [firstFlow] = group
    if (!firstFlow) return []
    const { width, height } = firstFlow.page
    const margins = computeMargins(group, column, pitch)
    const blocks = joinPageFlows(group, { top: margins[1], bottom: height - margins[3], pitch })
    return splitByColumns(blocks, { width, height, margins })
  })
}

type PageSetup = Pick<DocxSection, 'width' | 'height' | 'margins'>

/** Creates a section for each run of blocks in the same columns. */
function splitByColumns(blocks: readonly FlowBlock[], setup: PageSetup): DocxSection[] {
  const parts: FlowBlock[][] = []
  for (const block of blocks) {
    const lastPart = parts.at(-1)
    const lastBlock = lastPart?.at(-1)
    // A page break also ends the columns of the page.
    if (
      lastPart &&
      lastBlock &&
      isSameColumnSet(lastBlock.columnSet, block.columnSet) &&
      !(block.columnSet && block.startsNewPage)
    )
      lastPart.push(block)
    else parts.push([block])
  }
  return parts.map((sectionBlocks, index): DocxSection => {
    const columnsBefore = parts[index - 1]?.at(-1)?.columnSet
    const [firstBlock] = sectionBlocks
    // Columns before a page break are filled one by one. Columns above another section on the same page are balanced.
    const isContinuous =
      index > 0 && (firstBlock?.startsNewPage !== true || columnsBefore?.isBalanced === true)
    const columnSet = firstBlock?.columnSet
    const [left, top, right, bottom] = setup.margins
    // Widens the last column of ragged text, because another program may make its lines wider.
    const partSetup =
      columnSet && !isJustified(sectionBlocks)
        ? { ...setup, margins: [left, top, right - columnTolerance, bottom] as const }
        : setup
    const columns = columnSet && toSectionColumns(columnSet, partSetup)
    return {
      ...partSetup,
      isContinuous,
      blocks: isContinuous
        ? sectionBlocks
        : sectionBlocks.map((block) => (block === firstBlock ? { ...block, startsNewPage: false } : block)),
      ...defined({ columns }),
    }
  })
}

/** Returns the columns of a section. The gutters take the width that is not used by the columns. */
function toSectionColumns(
  { count, pitch, isRuled, isBalanced }: ColumnSet,
  { width, margins }: PageSetup,
): SectionColumns {
  const space = count * pitch - (width - margins[0] - margins[2])
  return { count, space: Math.min(pitch * 0.3, Math.max(6, space)), isRuled, isBalanced }
}

function isSameSize(a: PageContent, b: PageContent): boolean {
  return Math.abs(a.width - b.width) < 6 && Math.abs(a.height - b.height) < 6
}

/** Points that other programs may add to the width of a full line, the height of a page, the width of a ragged line. */
const [fontTolerance, heightTolerance, columnTolerance] = [0.4, 4, 1.4]

/** Justified lines show exactly how wide their column is. */
const isJustified = (blocks: readonly FlowBlock[]) =>
  blocks.some((block) => block.kind === 'paragraph' && block.alignment === 'both')

function computeMargins(
  group: readonly PageFlow[],
  column: readonly [number, number],
  pitch: number,
): BoundingBox {
  const { width, height } = group[0]?.page ?? { width: 595, height: 842 }
  const boxes = group.flatMap(({ blocks }) => blocks.map(({ box }) => box))
  const clampPoints = (value: number, max: number) => Math.min(max, Math.max(18, value))
  if (boxes.length === 0) return [36, 36, 36, 36]
  const bounds = getBoundingBox(boxes)
  let top = bounds[1]
  for (const { blocks } of group) for (const block of blocks) top = Math.min(top, measureTop(block, pitch))
  const fits = column[1] < width
  const spaceBelow = height - bounds[3]
  return [
    clampPoints(fits ? column[0] : bounds[0], width * 0.3),
    clampPoints(top, height * 0.2),
    clampPoints(width - (fits ? column[1] : bounds[2]) - fontTolerance, width * 0.3),
    // A single page may have free space below its text: it must not become two pages when the text grows by a line.
    clampPoints(
      group.length === 1 ? Math.min(spaceBelow, bounds[1]) : spaceBelow - heightTolerance,
      height * 0.12,
    ),
  ]
}

/** The top and bottom of the text on the pages, and the usual pitch of lines in ems. */
interface PageText {
  readonly top: number
  readonly bottom: number
  readonly pitch: number
}

/**
 * Joins the blocks of pages. A new page starts after a page that ended early and before a chapter; other text flows on.
 */
function joinPageFlows(group: readonly PageFlow[], { top, bottom, pitch }: PageText): FlowBlock[] {
  const result: FlowBlock[] = []
  const extent = findExtent(group.flatMap(({ blocks }) => blocks))
  for (const [index, { blocks }] of group.entries()) {
    const previousFlow = group[index - 1]
    const [firstBlock, ...rest] = blocks
    if (!firstBlock) continue
    const lastBlock = result.at(-1)
    if (
      lastBlock &&
      previousFlow &&
      isSameColumnSet(lastBlock.columnSet, firstBlock.columnSet) &&
      isContinuation(lastBlock, firstBlock) &&
      (!firstBlock.floatingImages || rest.length > 0)
    ) {
      result[result.length - 1] = joinParagraphs(lastBlock, firstBlock)
      result.push(...moveImages(firstBlock, rest))
      continue
    }
    if (
      lastBlock &&
      previousFlow &&
      !endsEarly(previousFlow, extent) &&
      isContinuedTable(lastBlock, firstBlock) &&
      !firstBlock.floatingImages
    ) {
      result[result.length - 1] = joinTables(lastBlock, firstBlock)
      result.push(...rest)
      continue
    }
    const startsNewPage =
      previousFlow !== undefined &&
      (endsEarly(previousFlow, extent) ||
        (!firstBlock.columnSet && hasRoomFor(firstBlock, previousFlow, bottom)) ||
        isLevel1Heading(firstBlock) ||
        firstBlock.isOverBackground === true)
    const placedBlock = placeAtTop(firstBlock, { top, pitch }, startsNewPage || !previousFlow)
    result.push({ ...placedBlock, ...(startsNewPage && { startsNewPage }) }, ...rest)
  }
  return result
}

/** Places the first block of a page. @param keepsSpace whether space above it is kept, as it is after a break. */
function placeAtTop(
  block: FlowBlock,
  { top, pitch }: Pick<PageText, 'top' | 'pitch'>,
  keepsSpace: boolean,
): FlowBlock {
  if (block.kind !== 'paragraph' || block.columnSet) return block
  const placedBlock = placeBelow(block, top, pitch)
  if (keepsSpace || placedBlock.lineCount > 1 || placedBlock.lineHeight === undefined) return placedBlock
  return { ...placedBlock, lineHeight: placedBlock.lineHeight + placedBlock.spaceBefore, spaceBefore: 0 }
}

/** Moves the images of a page to the first block that starts on it, where they are anchored. */
function moveImages({ floatingImages }: FlowBlock, [nextBlock, ...rest]: readonly FlowBlock[]): FlowBlock[] {
  if (!nextBlock) return []
  return [{ ...nextBlock, ...defined({ floatingImages }) }, ...rest]
}

/** Whether two lines of a block would have fit on the page before it, so that the page break was intended. */
function hasRoomFor(block: ContentBlock, { blocks }: PageFlow, maxBottom: number): boolean {
  const room = maxBottom - findExtent(blocks).to
  if (block.kind !== 'paragraph') return room > block.box[3] - block.box[1] + 20
  const { size } = block.style
  // A heading needs room for text below it.
  return room > size * 1.4 * (block.heading === undefined ? 3 : 5) + Math.max(0, block.spaceBefore)
}

const isLevel1Heading = (block: ContentBlock) => block.kind === 'paragraph' && block.heading === 1

function endsEarly({ blocks }: PageFlow, extent: Interval): boolean {
  return extent.to - findExtent(blocks).to > (extent.to - extent.from) * 0.15
}

/** Returns the vertical extent of the blocks. */
function findExtent(blocks: readonly FlowBlock[]): Interval {
  let [from, to] = [Number.POSITIVE_INFINITY, 0]
  for (const { box } of blocks) {
    from = Math.min(from, box[1])
    to = Math.max(to, box[3])
  }
  return { from, to }
}
