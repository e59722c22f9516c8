import type { ContentBlock, FlowBlock, Paragraph, TableBlock, TableCell } from './blocks.ts'

/** Points that Word adds below an image for descenders on the same line. */
const imageDescent = 3

interface LinePositions {
  readonly lineHeight: number
  /** Y coordinate at which Word starts the first line: all extra line height is above the characters. */
  readonly top: number
}

/** Returns the line height of a paragraph, and where its first line starts. */
function placeLines(paragraph: Paragraph, pitch: number): LinePositions {
  const { box, style, firstLineBottom = box[3] } = paragraph
  const lineHeight = paragraph.lineHeight ?? style.size * Math.min(2.5, pitch)
  return { lineHeight, top: firstLineBottom - lineHeight }
}

/** Returns the y coordinate at which a block starts in Word. */
export const measureTop = (block: ContentBlock, pitch: number): number =>
  block.kind === 'paragraph' ? placeLines(block, pitch).top : block.box[1]

const measureBottom = ({ kind, box }: ContentBlock) => (kind === 'image' ? box[3] + imageDescent : box[3])

/** Sets the space above a paragraph so that its first line is as far below `y` as on the page. */
export function placeBelow<P extends Paragraph>(paragraph: P, y: number, pitch: number): P {
  const { lineHeight, top } = placeLines(paragraph, pitch)
  if (top >= y) return { ...paragraph, lineHeight, spaceBefore: top - y }
  // The lines are closer together than usual.
  const reducedHeight = paragraph.lineHeight ?? lineHeight - (y - top)
  return { ...paragraph, lineHeight: Math.max(paragraph.style.size, reducedHeight), spaceBefore: 0 }
}

/** Gives blocks the spacing that they have on the page. The first block keeps its own spacing. */
export function setBlockSpacing(blocks: readonly FlowBlock[], pitch: number): FlowBlock[] {
  return blocks.map((block, index) => {
    const placedBlock = block.kind === 'table' ? { ...block, ...setCellSpacing(block, pitch) } : block
    const previousBlock = blocks[index - 1]
    if (placedBlock.kind === 'image')
      return previousBlock && !placedBlock.columnSet
        ? { ...placedBlock, spaceBefore: Math.max(0, placedBlock.box[1] - measureBottom(previousBlock)) }
        : placedBlock
    if (placedBlock.kind === 'table') return placedBlock
    const isBelow = previousBlock && placedBlock.box[1] >= previousBlock.box[3] - placedBlock.style.size * 0.5
    if (placedBlock.columnSet)
      return setColumnSpacing(
        placedBlock,
        isBelow && previousBlock.columnSet ? previousBlock : undefined,
        pitch,
      )
    // The spacing below columns has been set before.
    if (!isBelow || previousBlock.columnSet)
      return { ...placedBlock, lineHeight: placeLines(placedBlock, pitch).lineHeight }
    return placeBelow(placedBlock, measureBottom(previousBlock), pitch)
  })
}

/**
 * Sets the space above a paragraph in a column, and resets its line height: text moves from column to column, where the
 * usual height keeps lines level.
 */
function setColumnSpacing(
  { lineHeight: _, ...paragraph }: FlowBlock & Paragraph,
  blockAbove: ContentBlock | undefined,
  pitch: number,
): FlowBlock {
  if (!blockAbove) return paragraph
  const space = placeLines(paragraph, pitch).top - measureBottom(blockAbove)
  return { ...paragraph, spaceBefore: Math.max(0, space) }
}

function setCellSpacing(table: TableBlock, pitch: number): Pick<TableBlock, 'rows'> {
  const { rowTops, rows } = table
  if (!rowTops) return { rows }
  return {
    rows: rows.map((row, at) => row.map((cell) => setSpacingInCell(cell, rowTops[at] ?? 0, pitch))),
  }
}

function setSpacingInCell(cell: TableCell, top: number, pitch: number): TableCell {
  let bottom = top
  const blocks = cell.blocks.map((block) => {
    const placedBlock = block.kind === 'paragraph' ? placeBelow(block, bottom, pitch) : block
    bottom = measureBottom(block)
    return placedBlock
  })
  return { ...cell, blocks }
}
