import { defined } from '../../../validation/defined.ts'
import type { ImageBlock, Paragraph, TableBlock, TableCell } from './blocks.ts'
import { type BorderlessTable, cellPadding } from './borderless-tables.ts'
import { type BoundingBox, getBoundingBox, isCenterInside } from './geometry.ts'
import { groupIntoLines, isMostlyRtl } from './lines.ts'
import type { Vector, Word } from './page-content.ts'
import { groupIntoParagraphs, type ParagraphSettings } from './paragraphs.ts'
import type { Grid, GridCell } from './table-grids.ts'

/** Reverses the columns of right-to-left tables, so that the first column to read comes first. */
function orderTableColumns(table: Omit<TableBlock, 'isRtl'>, words: readonly Word[]): TableBlock {
  const isRtl = isMostlyRtl(words.map(({ text }) => text).join(''))
  if (!isRtl) return { ...table, isRtl }
  return {
    ...table,
    isRtl,
    widths: table.widths.toReversed(),
    rows: table.rows.map((row) => row.toReversed()),
  }
}

/** Builds a table without rules, in which each column of numbers is right-aligned. */
export function buildBorderlessTable(
  { box, xs, rows }: BorderlessTable,
  fills: readonly Vector[],
  settings: ParagraphSettings,
): TableBlock {
  // The first column is padded like any other cell.
  const edges = [(xs[0] ?? 0) - cellPadding, ...xs.slice(1)]
  const columns = edges.slice(1).map((_, column) => rows.flatMap((row) => [row[column] ?? []]))
  const rightAlignedFlags = columns.map(isRightAligned)
  const textRights = columns.map((cells) => Math.max(...cells.flat().map((word) => word.box[2])))
  const rowTops = rows.map((row) => measureRowTop(row.flat(), settings.pitch) ?? box[1])
  const top = Math.min(box[1], rowTops[0] ?? box[1])
  const table = {
    kind: 'table',
    box: [box[0] - cellPadding, top, box[2], box[3]] as const,
    rowTops,
    padding: [cellPadding, 0] as const,
    widths: toWidths(edges),
    rows: rows.map((row) =>
      row.map((words, index): TableCell => {
        const [left, right] = [edges[index] ?? 0, edges[index + 1] ?? 0]
        const column: BoundingBox = [left + cellPadding, box[1], right, box[3]]
        const blocks = buildCellBlocks(words, column, settings).map((paragraph) =>
          rightAlignedFlags[index] ? alignRight(paragraph, right - (textRights[index] ?? right)) : paragraph,
        )
        const cell = { blocks, width: right - left, columnSpan: 1, rowSpan: 1 }
        const textBox = getBoundingBox((words.length > 0 ? words : row.flat()).map((word) => word.box))
        const background = fills.findLast((fill) => isCenterInside(textBox, fill.box))
        return background ? { ...cell, shading: background.color } : cell
      }),
    ),
  } as const
  return orderTableColumns(table, rows.flat(2))
}

/**
 * Returns the y coordinate at which the first line of a row starts in Word, which puts extra line height above the
 * characters.
 */
function measureRowTop(words: readonly Word[], pitch: number): number | undefined {
  const [firstLine] = groupIntoLines(words)
  return firstLine && firstLine.box[3] - firstLine.style.size * pitch
}

function buildCellBlocks(
  words: readonly Word[],
  column: BoundingBox,
  settings: ParagraphSettings,
): Paragraph[] {
  return words.length === 0 ? [] : groupIntoParagraphs(groupIntoLines(words), { ...settings, column })
}

const toWidths = (edges: readonly number[]) => edges.slice(1).map((edge, index) => edge - (edges[index] ?? 0))

/** Whether the texts of a column end at the same place but start at different ones, as numbers do. */
function isRightAligned(column: readonly (readonly Word[])[]): boolean {
  const boxes = column.flatMap((words) =>
    words.length > 0 ? [getBoundingBox(words.map(({ box }) => box))] : [],
  )
  const computeSpread = (values: readonly number[]) => Math.max(...values) - Math.min(...values)
  return (
    boxes.length > 1 &&
    computeSpread(boxes.map((box) => box[2])) < 1 &&
    computeSpread(boxes.map((box) => box[0])) > 2
  )
}

const alignRight = (paragraph: Paragraph, rightIndent: number): Paragraph => ({
  ...paragraph,
  alignment: 'right',
  indent: 0,
  firstIndent: 0,
  rightIndent,
})

/** Maximum padding in points. Text that starts further from the edge of its cell is centered or right-aligned. */
const maxPadding = 14
/** Points by which another program may make the longest line of a cell wider. */
const maxWidening = 0.65

/** Returns the smallest distances between the text of a cell and its left and right edges, in all cells. */
function measurePadding({ cells }: Grid, words: readonly Word[]): readonly [left: number, right: number] {
  const gaps = cells.flatMap(({ box }) => {
    const boxesInside = words.filter((word) => isCenterInside(word.box, box)).map((word) => word.box)
    if (boxesInside.length === 0) return []
    const usedBox = getBoundingBox(boxesInside)
    return [[usedBox[0] - box[0], box[2] - usedBox[2]] as const]
  })
  const getSmallestGap = (values: readonly number[]) => Math.min(maxPadding, Math.max(0, Math.min(...values)))
  const left = getSmallestGap(gaps.map(([gap]) => gap))
  return [left, Math.max(0, Math.min(left, getSmallestGap(gaps.map(([, gap]) => gap)) - maxWidening))]
}

export function buildRuledTable(
  grid: Grid,
  words: readonly Word[],
  settings: ParagraphSettings & { readonly images: readonly ImageBlock[] },
): TableBlock {
  const { xs, ys } = grid
  const padding = measurePadding(grid, words)
  const createCell = ({ box, columnSpan, rowSpan, shading }: GridCell): TableCell => {
    const wordsInside = words.filter((word) => isCenterInside(word.box, box))
    const column: BoundingBox = [box[0] + padding[0], box[1], box[2] - padding[1], box[3]]
    const blocks = buildCellBlocks(wordsInside, column, settings).map((paragraph) => ({
      ...paragraph,
      indent: paragraph.marker ? paragraph.indent : 0,
      firstIndent: paragraph.marker ? paragraph.firstIndent : 0,
    }))
    const images = settings.images.filter((image) => isCenterInside(image.box, box))
    const allBlocks = [...images, ...blocks].sort((a, b) => a.box[1] - b.box[1])
    const width = box[2] - box[0]
    return { blocks: allBlocks, width, columnSpan, rowSpan, ...defined({ shading }) }
  }
  const table = {
    kind: 'table',
    box: grid.box,
    border: grid.border,
    padding,
    widths: toWidths(xs),
    rowTops: ys.slice(0, -1),
    rows: ys.slice(1).map((_, row) => grid.cells.filter((cell) => cell.row === row).map(createCell)),
  } as const
  return orderTableColumns(
    table,
    words.filter((word) => isCenterInside(word.box, grid.box)),
  )
}
