import type { Block, Cell, FlowBlock, Paragraph, Picture, Table } from './blocks.ts'
import { type AlignedTable, alignedTables } from './borderless-tables.ts'
import { columnSetOf, setInColumns } from './column-sets.ts'
import { around, type Box, centerIn, median } from './geometry.ts'
import { ruledRegions } from './horizontal-rules.ts'
import { withSpread } from './justified-lines.ts'
import { isRightToLeft, type Line, lineInOrder, linesOf } from './lines.ts'
import type { Page, Vector, Word } from './page-content.ts'
import { type ParagraphRules, paragraphsOf } from './paragraphs.ts'
import { type Atom, type Band, readingOrder } from './reading-order.ts'
import { fillsOf, type Grid, type GridCell, gridsOf } from './table-grids.ts'

export interface PageRules extends Omit<ParagraphRules, 'column'> {
  /** Left and right edge of the text of the whole document. */
  readonly column: Box
  readonly pictures: readonly Picture[]
  /** Words that the pictures show, and nobody else. */
  readonly labels: ReadonlySet<Word>
  /** Words that stand on every page. */
  readonly furniture: ReadonlySet<Word>
}

/** What is drawn behind words, and between them. */
interface Drawn {
  readonly fills: readonly Vector[]
  readonly ruled: readonly Box[]
}

interface PageAtom extends Atom {
  readonly words: readonly Word[]
  readonly block?: Block
}

/** Pages with more words, or columns with more lines, are taken as plain text: nobody wrote them as tables. */
const maxWords = 20_000
const maxLines = 1000

/** Tables that are drawn around words; a grid without them is the ground of a chart. */
export function tablesOf(page: Page): Grid[] {
  const words = page.pieces.flat()
  if (words.length > maxWords) return []
  return gridsOf(page.vectors, page.width * page.height).filter((grid) => {
    const filled = grid.cells.filter(({ box }) => words.some((word) => centerIn(word.box, box)))
    const columns = new Set(filled.map(({ column }) => column))
    const shared = filled.some((cell) =>
      filled.some(({ row, column }) => row === cell.row && column > cell.column),
    )
    return columns.size >= 2 && shared && filled.length >= grid.cells.length * 0.3
  })
}

/** What stands on a page, in the order in which it is read. */
export function blocksOf(page: Page, grids: readonly Grid[], rules: PageRules): FlowBlock[] {
  const pieces = page.pieces
    .map((piece) => piece.filter((word) => !rules.furniture.has(word) && !rules.labels.has(word)))
    .filter((piece) => piece.length > 0)
  const words = pieces.flat()
  const inTable = (word: Word) => grids.some(({ box }) => centerIn(word.box, box))
  const atoms: PageAtom[] = [
    ...pieces.flatMap((piece) => textAtom(piece.filter((word) => !inTable(word)))),
    ...grids.map((grid) => blockAtom(ruledTable(grid, words, rules))),
    ...rules.pictures
      .filter((picture) => !grids.some(({ box }) => centerIn(picture.box, box)))
      .map(blockAtom),
  ]
  const drawn = {
    fills: fillsOf(page.vectors, page.width * page.height),
    ruled: ruledRegions(page.vectors),
  }
  const bands = readingOrder(atoms, rules.column).map((band) => bandOf(band, page, drawn, rules))
  const flow = bandsApart(bands, rules.pitch)
  return [...flow, ...turnedText(page, rules).map((block) => ({ ...block, column: rules.column }))]
}

function bandOf(band: Band<PageAtom>, page: Page, drawn: Drawn, rules: PageRules): FlowBlock[] {
  const { columns } = band
  const centers = [...(rules.centers ?? []), page.width / 2]
  const flows = columns.map(({ atoms, column }) =>
    // The middle of the page is that of its text only where there are no columns.
    flowOf(atoms, drawn, { ...rules, column, centers: column === rules.column ? centers : [] }),
  )
  const set = columnSetOf(band, rules.column, page.vectors)
  if (!set) return flows.flat().map((block) => ({ ...block, column: rules.column }))
  return setInColumns(
    flows,
    columns.map(({ column }) => column),
    set,
  )
}

/** Keeps the distances above and below columns. */
function bandsApart(bands: readonly (readonly FlowBlock[])[], pitch: number): FlowBlock[] {
  const out: FlowBlock[] = []
  for (const [first, ...rest] of bands) {
    const last = out.at(-1)
    if (!first) continue
    if (!last || (!first.set && !last.set)) {
      out.push(first, ...rest)
      continue
    }
    const size = first.kind === 'paragraph' ? first.style.size : 0
    const gap = first.box[1] - Math.max(...out.map(({ box }) => box[3])) - size * (pitch - 1)
    const space = Math.min(40, Math.max(0, gap))
    const start = first.kind === 'paragraph' ? { ...first, spaceBefore: first.set ? 0 : space } : first
    if (first.set) out[out.length - 1] = { ...last, spaceAfter: space }
    out.push(start, ...rest)
  }
  return out
}

/** Text that does not stand upright, a paragraph for each of its lines. */
function turnedText(page: Page, rules: PageRules): Paragraph[] {
  return page.turned.flatMap((words) => {
    const box = around(words.map((word) => word.box))
    const [paragraph] = paragraphsOf([lineInOrder(words)], rules)
    return paragraph ? [{ ...paragraph, box, alignment: 'left' as const, indent: 0, firstIndent: 0 }] : []
  })
}

function textAtom(words: readonly Word[]): PageAtom[] {
  if (words.length === 0) return []
  const text = words.map((word) => word.text).join('')
  return [{ words, box: around(words.map(({ box }) => box)), letters: text.length, rtl: isRightToLeft(text) }]
}

const blockAtom = (block: Block): PageAtom => ({
  words: [],
  box: block.box,
  letters: 0,
  rtl: false,
  block,
})

/** One column from top to bottom. */
function flowOf(atoms: readonly PageAtom[], { fills, ruled }: Drawn, rules: ParagraphRules): Block[] {
  const lines = withSpread(linesOf(atoms.flatMap(({ words }) => words)), rules.column)
  const solid = atoms.flatMap(({ block }) => block ?? [])
  const tables = lines.length > maxLines ? [] : alignedTables(lines, ruled)
  const inTable = new Set(tables.flatMap((table) => table.lines))
  const blocks: Block[] = [...solid]
  let run: Line[] = []
  const flush = () => {
    if (run.length > 0) blocks.push(...paragraphsOf(run, rules))
    run = []
  }
  for (const line of lines) {
    const before = run.at(-1)
    const parted = before && solid.some(({ box }) => box[1] >= before.base - 3 && box[3] <= line.base)
    if (inTable.has(line) || parted) flush()
    if (!inTable.has(line)) run.push(line)
  }
  flush()
  blocks.push(...tables.map((table) => tableOf(table, fills, rules)))
  return spaced(
    blocks.sort((a, b) => a.box[1] - b.box[1]),
    rules.pitch,
  )
}

/** With its first column at the side where it is read first. */
function inReadingOrder(table: Omit<Table, 'rtl'>, words: readonly Word[]): Table {
  const rtl = isRightToLeft(words.map(({ text }) => text).join(''))
  if (!rtl) return { ...table, rtl }
  return { ...table, rtl, widths: table.widths.toReversed(), rows: table.rows.map((row) => row.toReversed()) }
}

function tableOf({ box, xs, rows }: AlignedTable, fills: readonly Vector[], rules: ParagraphRules): Table {
  const table = {
    kind: 'table',
    box,
    ruled: false,
    widths: xs.slice(1).map((x, index) => x - (xs[index] ?? 0)),
    rows: rows.map((row) =>
      row.map((words, index): Cell => {
        const column: Box = [xs[index] ?? 0, box[1], xs[index + 1] ?? 0, box[3]]
        const width = column[2] - column[0]
        const cell = { blocks: cellBlocks(words, column, rules), width, columnSpan: 1, rowSpan: 1 }
        const own = around((words.length > 0 ? words : row.flat()).map((word) => word.box))
        const ground = fills.findLast((fill) => centerIn(own, fill.box))
        return ground ? { ...cell, shading: ground.color } : cell
      }),
    ),
  } as const
  return inReadingOrder(table, rows.flat(2))
}

/** Keeps the distances between blocks, as far as they are more than between lines. */
function spaced(blocks: readonly Block[], pitch: number): Block[] {
  const apart = blocks.map((block, index) => {
    const before = blocks[index - 1]
    if (block.kind !== 'paragraph' || !before) return block
    const usual = block.style.size * (pitch - 1)
    return { ...block, spaceBefore: Math.min(40, Math.max(0, block.box[1] - before.box[3] - usual)) }
  })
  // The first has nothing above it to tell; it may come to stand below the last of another column or page.
  const [first, ...rest] = apart
  if (first?.kind !== 'paragraph') return apart
  const usual = median(rest.flatMap((block) => (block.kind === 'paragraph' ? [block.spaceBefore] : [])))
  return [{ ...first, spaceBefore: usual }, ...rest]
}

function cellBlocks(words: readonly Word[], column: Box, rules: ParagraphRules): Paragraph[] {
  return words.length === 0 ? [] : paragraphsOf(linesOf(words), { ...rules, column })
}

function ruledTable(grid: Grid, words: readonly Word[], rules: PageRules): Table {
  const { xs, ys } = grid
  const cellOf = ({ box, columnSpan, rowSpan, shading }: GridCell): Cell => {
    const inside = words.filter((word) => centerIn(word.box, box))
    const column: Box = [box[0] + 3, box[1], box[2] - 3, box[3]]
    const blocks = cellBlocks(inside, column, rules).map((paragraph) => ({
      ...paragraph,
      indent: paragraph.mark ? paragraph.indent : 0,
      firstIndent: paragraph.mark ? paragraph.firstIndent : 0,
    }))
    const pictures = rules.pictures.filter((picture) => centerIn(picture.box, box))
    const all = [...pictures, ...blocks].sort((a, b) => a.box[1] - b.box[1])
    const width = box[2] - box[0]
    return { blocks: all, width, columnSpan, rowSpan, ...(shading !== undefined && { shading }) }
  }
  const table = {
    kind: 'table',
    box: grid.box,
    ruled: true,
    widths: xs.slice(1).map((x, index) => x - (xs[index] ?? 0)),
    rows: ys.slice(1).map((_, row) => grid.cells.filter((cell) => cell.row === row).map(cellOf)),
  } as const
  return inReadingOrder(
    table,
    words.filter((word) => centerIn(word.box, grid.box)),
  )
}
