import type { Block, Cell, Table } from '../docx/blocks.ts'
import { textOf } from '../docx/blocks.ts'
import { linesOf, segmentsOf } from '../docx/lines.ts'
import type { Page } from '../docx/page-content.ts'
import { numberOf, pointOf, type SheetNumber } from './numbers.ts'

export interface SheetCell {
  readonly row: number
  readonly column: number
  readonly rowSpan: number
  readonly columnSpan: number
  readonly text: string
  readonly number?: SheetNumber
  readonly bold?: true
  /** Six hexadecimal digits. */
  readonly fill?: string
}

/** What `layers/pdf/write_sheets.py` makes a sheet of. */
export interface Sheet {
  readonly name: string
  /** Points. */
  readonly widths: readonly number[]
  readonly ruled: boolean
  readonly cells: readonly SheetCell[]
}

/** A sheet for each table, and one for a table that goes on over several pages. */
export function sheetsOf(blocks: readonly Block[]): Sheet[] {
  const tables: Table[] = []
  let last: Block | undefined
  for (const block of blocks) {
    const before = tables.at(-1)
    if (block.kind === 'table' && before && last?.kind === 'table' && goesOn(before, block)) {
      tables[tables.length - 1] = { ...before, rows: [...before.rows, ...withoutHead(block, before)] }
    } else if (block.kind === 'table') tables.push(block)
    last = block
  }
  return tables.map((table, index) => sheetOf(table, `Table ${index + 1}`))
}

/** The next page begins with a table of the same columns. */
function goesOn({ widths, ruled, box }: Table, next: Table): boolean {
  return (
    ruled === next.ruled &&
    widths.length === next.widths.length &&
    // Below each other on one page they are two.
    next.box[1] < box[3] &&
    widths.every((width, index) => Math.abs(width - (next.widths[index] ?? 0)) < Math.max(4, width * 0.1))
  )
}

/** Its head is printed again on each page. */
function withoutHead({ rows }: Table, before: Table): Table['rows'] {
  const said = (row: Table['rows'][number] | undefined) => row?.map(textIn).join('\n')
  return said(rows[0]) === said(before.rows[0]) ? rows.slice(1) : rows
}

const textIn = ({ blocks }: Cell) =>
  blocks.flatMap((block) => (block.kind === 'paragraph' ? [textOf(block).trim()] : [])).join('\n')

function sheetOf({ rows, widths, ruled }: Table, name: string): Sheet {
  const point = pointOf(rows.flat().map(textIn))
  const taken = new Set<string>()
  const cells: SheetCell[] = []
  for (const [row, members] of rows.entries()) {
    let column = 0
    for (const cell of members) {
      while (taken.has(`${row} ${column}`)) column++
      const { rowSpan, columnSpan } = cell
      for (let down = 0; down < rowSpan; down++)
        for (let across = 0; across < columnSpan; across++) taken.add(`${row + down} ${column + across}`)
      cells.push({ row, column, rowSpan, columnSpan, ...contentOf(cell, point) })
      column += columnSpan
    }
  }
  return { name, widths, ruled, cells }
}

function contentOf(cell: Cell, point: ReturnType<typeof pointOf>) {
  const text = textIn(cell)
  const number = numberOf(text, point)
  const styles = cell.blocks.flatMap((block) => (block.kind === 'paragraph' ? [block.style] : []))
  return {
    text,
    ...(number && { number }),
    ...(styles.length > 0 && styles.every(({ bold }) => bold) && { bold: true as const }),
    ...(cell.shading !== undefined && { fill: cell.shading }),
  }
}

/** In units of the size of the letters: what parts two cells of a line. */
const wideGap = 1.1

/** For a document without a table: its lines, in rows, parted where there are wide gaps. */
export function textSheet(pages: readonly Page[]): Sheet {
  const lines = pages.flatMap((page) => linesOf(page.pieces.flat()))
  const cells = lines.flatMap((line, row) =>
    segmentsOf(line, wideGap).map((words, column): SheetCell => {
      const text = words.map((word) => word.text).join(' ')
      return { row, column, rowSpan: 1, columnSpan: 1, text }
    }),
  )
  return { name: 'Text', widths: [], ruled: false, cells }
}
