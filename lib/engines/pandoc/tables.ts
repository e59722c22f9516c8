import * as z from 'zod'
import { type Element, noAttributes, type Tree } from './tree.ts'

/** pandoc-types: a cell is attributes, alignment, rows that it spans, columns that it spans, blocks. */
const Cell = z.tuple([z.unknown(), z.unknown(), z.int(), z.int(), z.array(z.unknown())])
const Row = z.tuple([z.unknown(), z.array(Cell)])
const Rows = z.array(Row)
const Body = z.tuple([z.unknown(), z.unknown(), Rows, Rows])
const Part = z.tuple([z.unknown(), Rows])
const Table = z.tuple([
  z.unknown(),
  z.tuple([z.unknown(), z.array(z.unknown())]),
  z.unknown(),
  Part,
  z.array(Body),
  Part,
])
type Row = z.infer<typeof Row>
type Table = z.infer<typeof Table>

/** A row of a table becomes a line, with a tab between its cells, as spreadsheets and editors take it. */
export function tablesAsLines(tree: Tree): void {
  const open: unknown[] = [tree.blocks]
  while (open.length > 0) {
    const node = open.pop()
    if (typeof node !== 'object' || node === null) continue
    const table = isTable(node) ? Table.safeParse(node.c).data : undefined
    if (table) {
      const [, [, caption]] = table
      const lines = { t: 'LineBlock', c: linesOf(rowsOf(table)) }
      Object.assign(node, { t: 'Div', c: [noAttributes, [...caption, lines]] })
      for (const block of caption) open.push(block)
    } else for (const child of Object.values(node)) open.push(child)
  }
}

/**
 * Cells say what they say on one line, as in tables of Markua: of one with a paragraph in it, pandoc writes no more than
 * `[TABLE]`.
 */
export function cellsAsLines(tree: Tree): void {
  const open: unknown[] = [tree.blocks]
  while (open.length > 0) {
    const node = open.pop()
    if (typeof node !== 'object' || node === null) continue
    const table = isTable(node) ? Table.safeParse(node.c).data : undefined
    if (table) Object.assign(node, { c: withPlainCells(table) })
    else for (const child of Object.values(node)) open.push(child)
  }
}

function withPlainCells([look, caption, columns, head, bodies, foot]: Table): Table {
  const plain = (rows: readonly Row[]): Row[] =>
    rows.map(([about, cells]) => [
      about,
      cells.map(([look, alignment, rowSpan, columnSpan, blocks]) => {
        const line = inlinesOf(blocks)
        return [look, alignment, rowSpan, columnSpan, line.length > 0 ? [{ t: 'Plain', c: line }] : []]
      }),
    ])
  return [
    look,
    caption,
    columns,
    [head[0], plain(head[1])],
    bodies.map(([about, heads, top, rows]) => [about, heads, plain(top), plain(rows)]),
    [foot[0], plain(foot[1])],
  ]
}

const rowsOf = ([, , , [, head], bodies, [, foot]]: Table): Row[] => [
  ...head,
  ...bodies.flatMap(([, , heads, lines]) => [...heads, ...lines]),
  ...foot,
]

const isTable = (node: object): node is Element => 't' in node && node.t === 'Table'

/** Where a cell spans more, the fields that it takes are empty. */
function linesOf(rows: readonly Row[]): unknown[][] {
  const taken: number[] = []
  return rows.map(([, cells]) => {
    const fields: unknown[][] = []
    const skipTaken = () => {
      while ((taken[fields.length] ?? 0) > 0) {
        taken[fields.length] = (taken[fields.length] ?? 1) - 1
        fields.push([])
      }
    }
    for (const [, , rowSpan, columnSpan, blocks] of cells) {
      skipTaken()
      for (let column = 0; column < Math.min(columnSpan, 1000); column++) {
        taken[fields.length] = rowSpan - 1
        fields.push(column === 0 ? inlinesOf(blocks) : [])
      }
    }
    skipTaken()
    return fields.flatMap((inlines, index) => (index === 0 ? inlines : [tab, ...inlines]))
  })
}

const tab = { t: 'Str', c: '\t' }
const space = { t: 'Space' }

/** What a cell says, on one line. */
function inlinesOf(blocks: readonly unknown[]): unknown[] {
  const parts = blocks.map(inlinesIn).filter((part) => part.length > 0)
  return parts.flatMap((part, index) => (index === 0 ? part : [space, ...part]))
}

function inlinesIn(part: unknown): unknown[] {
  if (typeof part !== 'object' || part === null) return []
  if (Array.isArray(part)) return part.some(isInline) ? part.map(unbroken) : inlinesOf(part)
  const { t, c } = part as Element // anything else of pandoc is one
  if (t === 'CodeBlock')
    return [{ t: 'Str', c: Array.isArray(c) ? String(c[1]).replaceAll(/\s+/g, ' ') : '' }]
  const table = t === 'Table' ? Table.safeParse(c).data : undefined
  if (table) return inlinesOf(rowsOf(table).map(([, cells]) => cells.map(([, , , , blocks]) => blocks)))
  // Paragraphs, headings, lists, quotations and boxes: what is in them, beside attributes.
  if (t === 'Plain' || t === 'Para') return inlinesIn(c)
  // First comes how it is counted.
  if (t === 'OrderedList') return Array.isArray(c) ? inlinesIn(c[1]) : []
  return Array.isArray(c) ? inlinesOf(c) : []
}

const blocks =
  /^(Plain|Para|LineBlock|CodeBlock|RawBlock|BlockQuote|OrderedList|BulletList|DefinitionList|Header|HorizontalRule|Table|Div|Null)$/

const isInline = (part: unknown): part is Element =>
  typeof part === 'object' &&
  part !== null &&
  't' in part &&
  typeof part.t === 'string' &&
  !blocks.test(part.t)

const unbroken = (inline: unknown) =>
  isInline(inline) && (inline.t === 'LineBreak' || inline.t === 'SoftBreak') ? space : inline
