import { around, type Box, type Interval, median, without } from './geometry.ts'
import { isWithin } from './horizontal-rules.ts'
import { isPreformatted, type Line, segmentsOf } from './lines.ts'
import { markOf } from './list-markers.ts'
import type { Word } from './page-content.ts'

/** Lines that stand as a table without being drawn as one: cells by row, then by column. */
export interface AlignedTable {
  readonly lines: readonly Line[]
  readonly box: Box
  /** Left edge of each column, and the right edge of the last. */
  readonly xs: readonly number[]
  readonly rows: readonly (readonly (readonly Word[])[])[]
}

/** Points. */
const mostRoom = 12
/** In units of the size of the letters: what a row must have once, and what then separates columns. */
const wideGap = 1.1
const closeGap = 0.8
const columnGap = 0.42
/** What it must have beside the gaps within its pieces. */
const widened = 2.5

/**
 * Finds runs of lines whose words leave the same strips empty.
 *
 * @param ruled where lines are drawn between rows: what stands there is a table, and its columns may be closer together
 */
export function alignedTables(lines: readonly Line[], ruled: readonly Box[] = []): AlignedTable[] {
  const gapOf = (line: Line) => (isWithin(line, ruled) ? closeGap : wideGap)
  const tables: AlignedTable[] = []
  let at = 0
  while (at < lines.length) {
    const run = runFrom(lines, at, gapOf)
    const head = run && headOf(run, lines[at - 1], tables.at(-1)?.lines.at(-1))
    const table = (head && tableOf([head, ...run])) ?? (run && tableOf(run))
    if (table) tables.push(table)
    at += table && run ? run.length : 1
  }
  return tables
}

function runFrom(lines: readonly Line[], start: number, gapOf: (line: Line) => number): Line[] | undefined {
  const isRow = (line: Line) => isRowOf(line, gapOf(line))
  const first = lines[start]
  if (!first || !isRow(first)) return undefined
  const run = [first]
  let free = freeOf([first])
  // Lines of one piece, which belong to the table only if another row comes after them.
  let waiting: Line[] = []
  for (const line of lines.slice(start + 1)) {
    const before = waiting.at(-1) ?? run.at(-1) ?? first
    if (line.base - before.base > Math.max(line.style.size, before.style.size) * 2.6) break
    const left = without(free, intervalsOf(line))
    const whole = around([...run, line].map(({ box }) => box))
    const gaps = gapsWithin(left, run, line.style.size * 0.9)
    if (gaps.length === 0 || line.spread || isText(line, whole, gapOf(line)) || isPreformatted(line)) break
    free = left
    const goesOn = line.box[0] > (gaps[0]?.from ?? 0) && line.base - before.base < line.style.size * 1.5
    if (isRow(line) || goesOn) {
      run.push(...waiting, line)
      waiting = []
    } else if (waiting.length > 0) break
    else waiting = [line]
  }
  return run
}

/** The heads of narrow columns stand closer together than what is below them. */
function headOf(run: readonly Line[], line: Line | undefined, last: Line | undefined): Line | undefined {
  const [first] = run
  if (!first || !line || line === last || isPreformatted(line) || markOf(line.words)) return undefined
  if (first.base - line.base > first.style.size * 2.6) return undefined
  const columns = gapsWithin(freeOf(run), run, line.style.size * 0.9).length
  const left = gapsWithin(freeOf([line, ...run]), [line, ...run], line.style.size * columnGap).length
  return columns > 0 && left >= columns && segmentsOf(line, columnGap).length > columns ? line : undefined
}

/** Several pieces, and not just the mark of a list before its text. */
function isRowOf(line: Line, least: number): boolean {
  if (isPreformatted(line) || line.spread) return false
  const pieces = segmentsOf(line, Math.max(least, widened * usualGap(line, least))).length
  return pieces >= (markOf(line.words) ? 3 : 2)
}

/** Between the words of a piece, in sizes of the letters: lines that are set wide have wider ones after a sentence. */
function usualGap({ words, style }: Line, least: number): number {
  const visual = [...words].sort((a, b) => a.box[0] - b.box[0])
  const gaps = visual.slice(1).map(({ box }, index) => (box[0] - (visual[index]?.box[2] ?? 0)) / style.size)
  return median(gaps.filter((gap) => gap < least))
}

/** A line of prose ends a table even where a gap happens to fit. */
function isText(line: Line, whole: Box, gap: number): boolean {
  const [only, ...more] = segmentsOf(line, gap)
  return more.length === 0 && !!only && line.box[2] - line.box[0] > (whole[2] - whole[0]) * 0.6
}

function freeOf(lines: readonly Line[]): Interval[] {
  return without([{ from: -10_000, to: 100_000 }], lines.flatMap(intervalsOf))
}

const intervalsOf = (line: Line): Interval[] => line.words.map(({ box }) => ({ from: box[0], to: box[2] }))

/** Empty strips between the outermost words. */
function gapsWithin(free: readonly Interval[], lines: readonly Line[], width: number): Interval[] {
  const [left, , right] = around(lines.map(({ box }) => box))
  return free.filter(({ from, to }) => from >= left && to <= right && to - from >= width)
}

function tableOf(run: readonly Line[]): AlignedTable | undefined {
  const size = run[0]?.style.size ?? 10
  const gaps = gapsWithin(freeOf(run), run, size * columnGap)
  const box = around(run.map((line) => line.box))
  const middles = gaps.map(({ from, to }) => (from + to) / 2)
  // The last column has as much room as the others, or a font that is a little wider breaks its words.
  const room = Math.min(mostRoom, ...gaps.map(({ from, to }) => (to - from) / 2))
  const xs = [box[0], ...middles, box[2] + (gaps.length > 0 ? room : 0)]
  const rows = run.map((line) =>
    xs
      .slice(1)
      .map((right, column) =>
        line.words.filter(
          (word) => (word.box[0] + word.box[2]) / 2 < right && middle(word) >= (xs[column] ?? 0),
        ),
      ),
  )
  const columns = xs.length - 1
  const full = rows.filter((row) => row.filter((words) => words.length > 0).length >= 2).length
  const whole = rows.every((row) => row.every((words) => words.length > 0))
  if (columns < 2 || full < (columns > 2 && whole ? 2 : 3) || full < rows.length * 0.5) return undefined
  if (run.filter((line) => markOf(line.words) !== undefined).length > run.length * 0.4) return undefined
  return { lines: run, box, xs, rows: joined(rows, run) }
}

const middle = ({ box }: Word) => (box[0] + box[2]) / 2

/** A line that leaves the first column empty goes on with the cells above. */
function joined(rows: readonly (readonly Word[][])[], run: readonly Line[]): Word[][][] {
  const out: Word[][][] = []
  for (const [index, row] of rows.entries()) {
    const last = out.at(-1)
    const [line, before] = [run[index], run[index - 1]]
    const near = line && before && line.base - before.base < line.style.size * 1.5
    const firstColumn = line?.rtl ? row.at(-1) : row[0]
    if (last && near && firstColumn?.length === 0) {
      for (const [column, words] of row.entries()) last[column]?.push(...words)
    } else out.push(row.map((words) => [...words]))
  }
  return out
}
