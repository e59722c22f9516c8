import * as z from 'zod'
import { isElement, noAttributes, type PandocElement, type Tree, visitNodes } from './tree.ts'

/** Content of pandoc's `Cell`: attributes, alignment, row span, column span, blocks. */
const Cell = z.tuple([z.unknown(), z.unknown(), z.int(), z.int(), z.array(z.unknown())])
const PandocRow = z.tuple([z.unknown(), z.array(Cell)])
const Rows = z.array(PandocRow)
const Body = z.tuple([z.unknown(), z.unknown(), Rows, Rows])
const TableSection = z.tuple([z.unknown(), Rows])
export const PandocTable = z.tuple([
  z.unknown(),
  z.tuple([z.unknown(), z.array(z.unknown())]),
  // Alignment and width of each column.
  z.array(z.tuple([z.unknown(), z.unknown()])),
  TableSection,
  z.array(Body),
  TableSection,
])
export type Cell = z.infer<typeof Cell>
export type PandocRow = z.infer<typeof PandocRow>
export type PandocTable = z.infer<typeof PandocTable>

/** Leaves the width of a column to the writer. */
export const resetColumnWidth = ([alignment]: PandocTable[2][number]): PandocTable[2][number] => [
  alignment,
  { t: 'ColWidthDefault' },
]

/** Turns each table row into a line with tabs between the cells, which spreadsheets and editors accept. */
export function convertTablesToLines(tree: Tree): void {
  const stack: unknown[] = [tree.blocks]
  while (stack.length > 0) {
    const node = stack.pop()
    if (typeof node !== 'object' || node === null) continue
    const table = isTable(node) ? PandocTable.safeParse(node.c).data : undefined
    if (table) {
      const [, [, caption]] = table
      const lines = { t: 'LineBlock', c: joinRows(listRows(table)) }
      Object.assign(node, { t: 'Div', c: [noAttributes, [...caption, lines]] })
      for (const block of caption) stack.push(block)
    } else for (const child of Object.values(node)) stack.push(child)
  }
}

/**
 * Reduces each cell to a single line, as Markua requires: for a table with paragraphs in its cells, pandoc writes only
 * `[TABLE]`.
 */
export function convertCellsToLines(tree: Tree): void {
  const stack: unknown[] = [tree.blocks]
  while (stack.length > 0) {
    const node = stack.pop()
    if (typeof node !== 'object' || node === null) continue
    const table = isTable(node) ? PandocTable.safeParse(node.c).data : undefined
    if (table) Object.assign(node, { c: mapCells(table, toLine) })
    else for (const child of Object.values(node)) stack.push(child)
  }
}

function toLine(blocks: readonly unknown[]): unknown[] {
  const line = collectInlines(blocks)
  return line.length > 0 ? [{ t: 'Plain', c: line }] : []
}

/**
 * Replaces quotations in cells with their paragraphs: pandoc reads indented paragraphs of office documents as
 * quotations, for which Markdown would need an HTML table.
 */
export function unwrapQuotationsInCells(tree: Tree): void {
  visitNodes(tree, (element) => {
    const table = isTable(element) ? PandocTable.safeParse(element.c).data : undefined
    if (table) element.c = mapCells(table, unwrapQuotations)
  })
}

const unwrapQuotations = (blocks: readonly unknown[]): unknown[] =>
  blocks.flatMap((block): unknown => (isElement(block) && block.t === 'BlockQuote' ? block.c : [block]))

function mapCells(
  [attributes, caption, columns, head, bodies, foot]: PandocTable,
  convertBlocks: (blocks: readonly unknown[]) => unknown[],
): PandocTable {
  const mapRows = (rows: readonly PandocRow[]): PandocRow[] =>
    rows.map(([attributes, cells]) => [
      attributes,
      cells.map(([attributes, alignment, rowSpan, columnSpan, blocks]) => [
        attributes,
        alignment,
        rowSpan,
        columnSpan,
        convertBlocks(blocks),
      ]),
    ])
  return [
    attributes,
    caption,
    columns,
    [head[0], mapRows(head[1])],
    bodies.map(([attributes, heads, top, rows]) => [attributes, heads, mapRows(top), mapRows(rows)]),
    [foot[0], mapRows(foot[1])],
  ]
}

export const listRows = ([, , , [, head], bodies, [, foot]]: PandocTable): PandocRow[] => [
  ...head,
  ...bodies.flatMap(([, , heads, lines]) => [...heads, ...lines]),
  ...foot,
]

const isTable = (node: object): node is PandocElement => 't' in node && node.t === 'Table'

/** Joins cells with tabs; a spanning cell is followed by empty fields. */
function joinRows(rows: readonly PandocRow[]): unknown[][] {
  const rowsLeftByColumn: number[] = []
  return rows.map(([, cells]) => {
    const fields: unknown[][] = []
    const skipCoveredColumns = () => {
      while ((rowsLeftByColumn[fields.length] ?? 0) > 0) {
        rowsLeftByColumn[fields.length] = (rowsLeftByColumn[fields.length] ?? 1) - 1
        fields.push([])
      }
    }
    for (const [, , rowSpan, columnSpan, blocks] of cells) {
      skipCoveredColumns()
      for (let column = 0; column < Math.min(columnSpan, 1000); column++) {
        rowsLeftByColumn[fields.length] = rowSpan - 1
        fields.push(column === 0 ? collectInlines(blocks) : [])
      }
    }
    skipCoveredColumns()
    return fields.flatMap((inlines, index) => (index === 0 ? inlines : [tab, ...inlines]))
  })
}

const tab = { t: 'Str', c: '\t' }
const space = { t: 'Space' }

/** Returns the inline content of a cell as one line. */
function collectInlines(blocks: readonly unknown[]): unknown[] {
  const inlineGroups = blocks.map(findInlines).filter((inlines) => inlines.length > 0)
  return inlineGroups.flatMap((inlines, index) => (index === 0 ? inlines : [space, ...inlines]))
}

function findInlines(node: unknown): unknown[] {
  if (typeof node !== 'object' || node === null) return []
  if (Array.isArray(node)) return node.some(isInline) ? node.map(joinLines) : collectInlines(node)
  const { t, c } = node as PandocElement // Every other object in pandoc's AST is an element.
  if (t === 'CodeBlock')
    return [{ t: 'Str', c: Array.isArray(c) ? String(c[1]).replaceAll(/\s+/g, ' ') : '' }]
  const table = t === 'Table' ? PandocTable.safeParse(c).data : undefined
  if (table)
    return collectInlines(listRows(table).map(([, cells]) => cells.map(([, , , , blocks]) => blocks)))
  // Returns the content of paragraphs, headings, lists, quotations and containers without their attributes.
  if (t === 'Plain' || t === 'Para') return findInlines(c)
  // The first element of an ordered list describes the numbering.
  if (t === 'OrderedList') return Array.isArray(c) ? findInlines(c[1]) : []
  return Array.isArray(c) ? collectInlines(c) : []
}

const blockTypePattern =
  /^(Plain|Para|LineBlock|CodeBlock|RawBlock|BlockQuote|OrderedList|BulletList|DefinitionList|Header|HorizontalRule|Table|Div|Null)$/

const isInline = (node: unknown): node is PandocElement =>
  typeof node === 'object' &&
  node !== null &&
  't' in node &&
  typeof node.t === 'string' &&
  !blockTypePattern.test(node.t)

const joinLines = (inline: unknown) =>
  isInline(inline) && (inline.t === 'LineBreak' || inline.t === 'SoftBreak') ? space : inline
