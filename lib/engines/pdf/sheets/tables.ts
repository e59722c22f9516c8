import { defined } from '../../../validation/defined.ts'
import type { ContentBlock, TableBlock, TableCell } from '../docx/blocks.ts'
import { getParagraphText } from '../docx/blocks.ts'
import { groupIntoLines, splitAtGaps } from '../docx/lines.ts'
import type { PageContent } from '../docx/page-content.ts'
import { findDecimalSeparator, parseSheetNumber, type SheetNumber } from './numbers.ts'

interface SheetCell {
  readonly row: number
  readonly column: number
  readonly rowSpan: number
  readonly columnSpan: number
  readonly text: string
  readonly number?: SheetNumber
  readonly bold?: true
  /** Background color as six hexadecimal digits. */
  readonly fill?: string
}

/** Input of `layers/pdf/write_sheets.py` for one sheet. */
export interface Worksheet {
  readonly name: string
  /** Column widths in points. */
  readonly widths: readonly number[]
  readonly ruled: boolean
  readonly cells: readonly SheetCell[]
}

/** Creates a sheet per table; a table that continues on the following pages becomes one sheet. */
export function toWorksheets(blocks: readonly ContentBlock[]): Worksheet[] {
  const tables: TableBlock[] = []
  let lastBlock: ContentBlock | undefined
  for (const block of blocks) {
    const tableBefore = tables.at(-1)
    if (
      block.kind === 'table' &&
      tableBefore &&
      lastBlock?.kind === 'table' &&
      continuesTable(tableBefore, block)
    ) {
      tables[tables.length - 1] = {
        ...tableBefore,
        rows: [...tableBefore.rows, ...dropRepeatedHeader(block, tableBefore)],
      }
    } else if (block.kind === 'table') tables.push(block)
    lastBlock = block
  }
  return tables.map((table, index) => toWorksheet(table, `Table ${index + 1}`))
}

/** Whether the next page begins with a table of the same columns. */
function continuesTable({ widths, border, box }: TableBlock, nextTable: TableBlock): boolean {
  return (
    (border === undefined) === (nextTable.border === undefined) &&
    widths.length === nextTable.widths.length &&
    // Two tables on the same page are separate.
    nextTable.box[1] < box[3] &&
    widths.every(
      (width, index) => Math.abs(width - (nextTable.widths[index] ?? 0)) < Math.max(4, width * 0.1),
    )
  )
}

/** Drops the header row if it repeats the header row of the page before. */
function dropRepeatedHeader({ rows }: TableBlock, tableBefore: TableBlock): TableBlock['rows'] {
  const getRowText = (row: TableBlock['rows'][number] | undefined) => row?.map(getCellText).join('\n')
  return getRowText(rows[0]) === getRowText(tableBefore.rows[0]) ? rows.slice(1) : rows
}

const getCellText = ({ blocks }: TableCell) =>
  blocks.flatMap((block) => (block.kind === 'paragraph' ? [getParagraphText(block).trim()] : [])).join('\n')

function toWorksheet({ rows, widths, border }: TableBlock, name: string): Worksheet {
  const separator = findDecimalSeparator(rows.flat().map(getCellText))
  const occupiedCells = new Set<string>()
  const cells: SheetCell[] = []
  for (const [row, rowCells] of rows.entries()) {
    let column = 0
    for (const cell of rowCells) {
      while (occupiedCells.has(`${row} ${column}`)) column++
      const { rowSpan, columnSpan } = cell
      for (let rowOffset = 0; rowOffset < rowSpan; rowOffset++)
        for (let columnOffset = 0; columnOffset < columnSpan; columnOffset++)
          occupiedCells.add(`${row + rowOffset} ${column + columnOffset}`)
      cells.push({ row, column, rowSpan, columnSpan, ...toCellContent(cell, separator) })
      column += columnSpan
    }
  }
  return { name, widths, ruled: border !== undefined, cells }
}

function toCellContent(cell: TableCell, separator: ReturnType<typeof findDecimalSeparator>) {
  const text = getCellText(cell)
  const number = parseSheetNumber(text, separator)
  const styles = cell.blocks.flatMap((block) => (block.kind === 'paragraph' ? [block.style] : []))
  return {
    text,
    ...defined({ number }),
    ...(styles.length > 0 && styles.every(({ bold }) => bold) && { bold: true as const }),
    ...defined({ fill: cell.shading }),
  }
}

/** Gap in ems that separates two cells of a line. */
const wideGap = 1.1

/** Returns the lines of a document without tables as rows, split into cells at wide gaps. */
export function createTextWorksheet(pages: readonly PageContent[]): Worksheet {
  const lines = pages.flatMap((page) => groupIntoLines(page.textSegments.flat()))
  const cells = lines.flatMap((line, row) =>
    splitAtGaps(line, wideGap).map((words, column): SheetCell => {
      const text = words.map((word) => word.text).join(' ')
      return { row, column, rowSpan: 1, columnSpan: 1, text }
    }),
  )
  return { name: 'Text', widths: [], ruled: false, cells }
}
