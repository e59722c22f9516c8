import { type ContentBlock, getParagraphText, type TableBlock, type TableCell } from './blocks.ts'

/**
 * Maximum difference in points between the columns of two parts of a table. Without rules, columns depend on the text.
 */
const tolerance = 4

/** Whether a table continues in the table at the top of the next page. */
export function isContinuedTable(lastBlock: ContentBlock, firstBlock: ContentBlock): lastBlock is TableBlock {
  return (
    lastBlock.kind === 'table' &&
    firstBlock.kind === 'table' &&
    (lastBlock.border === undefined) === (firstBlock.border === undefined) &&
    lastBlock.isRtl === firstBlock.isRtl &&
    lastBlock.widths.length === firstBlock.widths.length &&
    Math.abs(lastBlock.box[0] - firstBlock.box[0]) < tolerance &&
    lastBlock.widths
      .slice(0, -1)
      .every((width, index) => Math.abs(width - (firstBlock.widths[index] ?? 0)) < tolerance)
  )
}

/**
 * Joins both parts of a table in the place of the first part. If the second part repeats the header row, it is left
 * out.
 */
export function joinTables<First extends TableBlock>(lastTable: First, firstBlock: ContentBlock): First {
  if (firstBlock.kind !== 'table') return lastTable
  const [header = []] = lastTable.rows
  const hasHeader = getRowText(header) === getRowText(firstBlock.rows[0] ?? [])
  const firstRowIndex = hasHeader ? 1 : 0
  const tops = firstBlock.rowTops?.slice(firstRowIndex) ?? []
  const bottom = lastTable.box[3]
  const offset = bottom - (tops[0] ?? firstBlock.box[1])
  const [left, top, right] = lastTable.box
  return {
    ...lastTable,
    box: [left, top, right, firstBlock.box[3] + offset],
    rows: [...lastTable.rows, ...firstBlock.rows.slice(firstRowIndex)],
    ...(lastTable.rowTops && { rowTops: [...lastTable.rowTops, ...tops.map((y) => y + offset)] }),
    ...(hasHeader && { repeatsHeader: true }),
  }
}

const getRowText = (row: readonly TableCell[]) =>
  row
    .map(({ blocks }) =>
      blocks.map((block) => (block.kind === 'paragraph' ? getParagraphText(block) : '')).join('\n'),
    )
    .join('\t')
