import { type Cell, listRows, type PandocRow, PandocTable, resetColumnWidth } from './tables.ts'
import { isElement, noAttributes, type PandocElement, type Tree, visitNodes } from './tree.ts'

/**
 * Converts tables of a spreadsheet for Markdown, whose tables have a header and no spans. LibreOffice writes a sheet
 * without a header row and with a line break in each blank cell, so pandoc would write an HTML table.
 */

/** Sheets with more cells stay HTML tables: a span could describe billions of cells. */
const maxCells = 2_000_000

export function simplifySheetTables(tree: Tree): void {
  visitNodes(tree, (element) => {
    const table = element.t === 'Table' ? PandocTable.safeParse(element.c).data : undefined
    if (!table || !isSheet(table)) return
    const rows = readCells(table)
    if (!rows) return
    const headerRowIndex = rows.findIndex((cells) => cells.filter(hasContent).length > 1)
    const titleRows = rows.slice(0, Math.max(headerRowIndex, 0))
    const [header, ...lines] = rows.slice(
      Math.max(headerRowIndex, 0),
      rows.findLastIndex((cells) => cells.some(hasContent)) + 1,
    )
    if (!header) return
    const titles = titleRows.flatMap((cells) => cells.filter(hasContent)).map((c) => ({ t: 'Para', c }))
    replaceTable(element, table, titles, header, lines)
  })
}

/** Whether a table has the attributes that LibreOffice writes for each sheet. */
function isSheet([attributes, , , [, head]]: PandocTable): boolean {
  const attributesJson = JSON.stringify(attributes)
  return (
    head.length === 0 &&
    attributesJson.includes('["cellspacing","0"]') &&
    attributesJson.includes('["border","0"]')
  )
}

type Inlines = readonly unknown[]
const hasContent = (inlines: Inlines) => inlines.length > 0

/** Returns the cells of each row, with blank cells in place of spans; undefined if a cell contains more than text. */
function readCells(table: PandocTable): Inlines[][] | undefined {
  const columnCount = table[2].length
  const rows = listRows(table)
  if (columnCount * rows.length > maxCells) return undefined
  const grid = rows.map(() => new Array<Inlines | undefined>(columnCount).fill(undefined))
  for (const [y, [, cells]] of rows.entries()) {
    let x = 0
    for (const [, , rowSpan, columnSpan, blocks] of cells) {
      while (grid[y]?.[x] !== undefined) x++
      const inlines = getInlines(blocks)
      if (!inlines) return undefined
      for (const row of grid.slice(y, y + rowSpan)) row.fill([], x, x + columnSpan)
      if (grid[y] && x < columnCount) grid[y][x] = inlines
    }
  }
  return grid.map((row) => row.map((inlines) => inlines ?? []))
}

/** Returns the content of a cell in one line; undefined if the cell contains blocks other than paragraphs. */
function getInlines(blocks: readonly unknown[]): Inlines | undefined {
  const lines: unknown[][] = []
  for (const block of blocks) {
    if (!isElement(block) || !(block.t === 'Plain' || block.t === 'Para') || !Array.isArray(block.c))
      return undefined
    lines.push(block.c)
  }
  const inlines = lines.flatMap((line, index) => (index === 0 ? line : [{ t: 'LineBreak' }, ...line]))
  const firstIndex = inlines.findIndex((inline) => !isBlank(inline))
  const lastIndex = inlines.findLastIndex((inline) => !isBlank(inline))
  return inlines
    .slice(Math.max(firstIndex, 0), lastIndex + 1)
    .map((inline) => (isElement(inline) && inline.t === 'LineBreak' ? rawLineBreak : inline))
}

const rawLineBreak = { t: 'RawInline', c: ['html', '<br>'] }
const isBlank = (inline: unknown) =>
  isElement(inline) && (inline.t === 'LineBreak' || inline.t === 'SoftBreak' || inline.t === 'Space')

function replaceTable(
  element: PandocElement,
  [, caption, columns, [headAttributes], , foot]: PandocTable,
  titles: readonly PandocElement[],
  header: readonly Inlines[],
  lines: readonly (readonly Inlines[])[],
): void {
  const body = [noAttributes, 0, [], lines.map(createRow)]
  const parts = [
    caption,
    columns.map(resetColumnWidth),
    [headAttributes, [createRow(header)]],
    [body],
    [foot[0], []],
  ]
  element.t = 'Div'
  element.c = [noAttributes, [...titles, { t: 'Table', c: [noAttributes, ...parts] }]]
}

const createRow = (cells: readonly Inlines[]): PandocRow => [noAttributes, cells.map(createCell)]
const createCell = (inlines: Inlines): Cell => [
  noAttributes,
  { t: 'AlignDefault' },
  1,
  1,
  inlines.length > 0 ? [{ t: 'Plain', c: inlines }] : [],
]
