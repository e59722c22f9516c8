import {
  type BoundingBox,
  computeMedian,
  getBoundingBox,
  type Interval,
  subtractIntervals,
} from './geometry.ts'
import { isInRuledRegion } from './horizontal-rules.ts'
import { isPreformatted, splitAtGaps, type TextLine } from './lines.ts'
import { findListMarker } from './list-markers.ts'
import type { Word } from './page-content.ts'

/** Lines that form a table without rules; cells are grouped by row, then by column. */
export interface BorderlessTable {
  readonly lines: readonly TextLine[]
  readonly box: BoundingBox
  /** Left edge of each column, and right edge of the last one. */
  readonly xs: readonly number[]
  readonly rows: readonly (readonly (readonly Word[])[])[]
}

/** Maximum extra width of a column in points. */
const maxExtraWidth = 12
/** Gap in ems that each row must have at least once. */
const defaultMinGap = 1.1
/** Like `defaultMinGap`, for rows in a ruled region. */
const minGapInRuledRegion = 0.8
/** Minimum gap between two columns, in ems. */
const minColumnGap = 0.42
/** A gap separates two cells only if it is at least this many times as wide as the usual gap between words. */
const minGapRatio = 2.5
/** Points between the edge of a cell and its text. */
export const cellPadding = 2
/** A line whose font is larger than that of the rows above it by more than this ratio does not belong to the table. */
const maxFontRatio = 1.15

/**
 * Finds consecutive lines whose words leave the same vertical strips empty.
 * @param ruledRegions areas between horizontal rules: they contain tables, whose columns may be closer together.
 */
export function findBorderlessTables(
  lines: readonly TextLine[],
  ruledRegions: readonly BoundingBox[] = [],
): BorderlessTable[] {
  const chooseMinGap = (line: TextLine) =>
    isInRuledRegion(line, ruledRegions) ? minGapInRuledRegion : defaultMinGap
  const tables: BorderlessTable[] = []
  let at = 0
  while (at < lines.length) {
    const run = collectRows(lines, at, chooseMinGap)
    const headerLine = run && findHeaderRow(run, lines[at - 1], tables.at(-1)?.lines.at(-1))
    const table = (headerLine && toTable([headerLine, ...run])) ?? (run && toTable(run))
    if (table) tables.push(table)
    at += table && run ? run.length : 1
  }
  return tables
}

function collectRows(
  lines: readonly TextLine[],
  start: number,
  chooseMinGap: (line: TextLine) => number,
): TextLine[] | undefined {
  const isRow = (line: TextLine) => isTableRow(line, chooseMinGap(line))
  const firstLine = lines[start]
  if (!firstLine || !isRow(firstLine)) return undefined
  const run = [firstLine]
  let emptyStrips = findEmptyStrips([firstLine])
  // Lines without a gap, which belong to the table only if another table row follows.
  let pendingRows: TextLine[] = []
  for (const line of lines.slice(start + 1)) {
    const lineBefore = pendingRows.at(-1) ?? run.at(-1) ?? firstLine
    if (line.baseline - lineBefore.baseline > Math.max(line.style.size, lineBefore.style.size) * 2.6) break
    const remainingStrips = subtractIntervals(emptyStrips, toWordIntervals(line))
    const bounds = getBoundingBox([...run, line].map(({ box }) => box))
    const gaps = findColumnGaps(remainingStrips, run, line.style.size * 0.9)
    if (
      gaps.length === 0 ||
      line.isJustified ||
      isProse(line, bounds, chooseMinGap(line)) ||
      isPreformatted(line)
    )
      break
    emptyStrips = remainingStrips
    const continuesCell =
      line.box[0] > (gaps[0]?.from ?? 0) && line.baseline - lineBefore.baseline < line.style.size * 1.5
    const isHeading = !isRow(line) && line.style.size > firstLine.style.size * maxFontRatio
    if (isHeading) break
    if (isRow(line) || continuesCell) {
      run.push(...pendingRows, line)
      pendingRows = []
    } else if (pendingRows.length > 0) break
    else pendingRows = [line]
  }
  return run
}

/** Finds the header row: headers of narrow columns are closer together than the cells below them. */
function findHeaderRow(
  run: readonly TextLine[],
  line: TextLine | undefined,
  lastLine: TextLine | undefined,
): TextLine | undefined {
  const [firstLine] = run
  if (!firstLine || !line || line === lastLine || isPreformatted(line) || findListMarker(line.words))
    return undefined
  if (firstLine.baseline - line.baseline > firstLine.style.size * 2.6) return undefined
  const columnCount = findColumnGaps(findEmptyStrips(run), run, line.style.size * 0.9).length
  const leftGapCount = findColumnGaps(
    findEmptyStrips([line, ...run]),
    [line, ...run],
    line.style.size * minColumnGap,
  ).length
  return columnCount > 0 &&
    leftGapCount >= columnCount &&
    splitAtGaps(line, minColumnGap).length > columnCount
    ? line
    : undefined
}

/** Whether the line has several segments, apart from a list marker and its text. */
function isTableRow(line: TextLine, minGap: number): boolean {
  if (isPreformatted(line) || line.isJustified) return false
  const segmentCount = splitAtGaps(line, Math.max(minGap, minGapRatio * measureWordGap(line, minGap))).length
  return segmentCount >= (findListMarker(line.words) ? 3 : 2)
}

/**
 * Returns the median gap between the words of a segment, in ems. Widely spaced lines have even wider gaps after a
 * sentence.
 */
function measureWordGap({ words, style }: TextLine, minGap: number): number {
  const wordsFromLeft = [...words].sort((a, b) => a.box[0] - b.box[0])
  const gaps = wordsFromLeft
    .slice(1)
    .map(({ box }, index) => (box[0] - (wordsFromLeft[index]?.box[2] ?? 0)) / style.size)
  return computeMedian(gaps.filter((gap) => gap < minGap))
}

/** Whether a line is prose, which ends a table even if a gap between its words matches a column by chance. */
function isProse(line: TextLine, bounds: BoundingBox, gap: number): boolean {
  const [onlySegment, ...otherSegments] = splitAtGaps(line, gap)
  return (
    otherSegments.length === 0 && !!onlySegment && line.box[2] - line.box[0] > (bounds[2] - bounds[0]) * 0.6
  )
}

function findEmptyStrips(lines: readonly TextLine[]): Interval[] {
  return subtractIntervals([{ from: -10_000, to: 100_000 }], lines.flatMap(toWordIntervals))
}

const toWordIntervals = (line: TextLine): Interval[] =>
  line.words.map(({ box }) => ({ from: box[0], to: box[2] }))

/** Returns the empty strips between the outermost words. */
function findColumnGaps(
  emptyStrips: readonly Interval[],
  lines: readonly TextLine[],
  width: number,
): Interval[] {
  const [left, , right] = getBoundingBox(lines.map(({ box }) => box))
  return emptyStrips.filter(({ from, to }) => from >= left && to <= right && to - from >= width)
}

function toTable(run: readonly TextLine[]): BorderlessTable | undefined {
  const size = run[0]?.style.size ?? 10
  const gaps = findColumnGaps(findEmptyStrips(run), run, size * minColumnGap)
  const box = getBoundingBox(run.map((line) => line.box))
  const boundaries = gaps.map((gap) => chooseBoundary(gap, run))
  // The last column gets extra width like the other columns; otherwise a slightly wider font would wrap its words.
  const extraWidth = Math.min(maxExtraWidth, ...gaps.map(({ from, to }) => (to - from) / 2))
  const xs = [box[0], ...boundaries, box[2] + (gaps.length > 0 ? extraWidth : 0)]
  const rows = run.map((line) =>
    xs
      .slice(1)
      .map((right, column) =>
        line.words.filter(
          (word) => (word.box[0] + word.box[2]) / 2 < right && getCenterX(word) >= (xs[column] ?? 0),
        ),
      ),
  )
  const columnCount = xs.length - 1
  const multiCellRowCount = rows.filter((row) => row.filter((words) => words.length > 0).length >= 2).length
  const isComplete = rows.every((row) => row.every((words) => words.length > 0))
  if (
    columnCount < 2 ||
    multiCellRowCount < (columnCount > 2 && isComplete ? 2 : 3) ||
    multiCellRowCount < rows.length * 0.5
  )
    return undefined
  if (run.filter((line) => findListMarker(line.words) !== undefined).length > run.length * 0.4)
    return undefined
  return { lines: run, box, xs, rows: joinContinuedRows(rows, run) }
}

/**
 * Returns the x coordinate at which a column starts: just before its text if most cells start at the same place, so
 * that the text keeps its place; otherwise in the middle of the gap.
 */
function chooseBoundary({ from, to }: Interval, run: readonly TextLine[]): number {
  const starts = run.flatMap(
    ({ words }) =>
      words
        .map(({ box }) => box[0])
        .filter((x) => x >= to - 0.1)
        .sort((a, b) => a - b)[0] ?? [],
  )
  const alignedStartCount = starts.filter((x) => x < to + 1).length
  return alignedStartCount > 1 && alignedStartCount >= starts.length * 0.7
    ? Math.max((from + to) / 2, to - cellPadding)
    : (from + to) / 2
}

const getCenterX = ({ box }: Word) => (box[0] + box[2]) / 2

/**
 * Minimum width in characters of cells with text that wraps; narrower cells hold values, such as the lines of an
 * address.
 */
const minWrappedCharacters = 20

/**
 * Whether words continue the text above them: that text is long enough to wrap, or the words start with neither an
 * upper-case character nor a digit.
 */
function continuesCell(words: readonly Word[], wordsAbove: readonly Word[]): boolean {
  const [firstWord] = words
  if (!firstWord || wordsAbove.length === 0) return false
  const characterCount = wordsAbove.reduce((sum, { text }) => sum + text.length + 1, 0)
  return characterCount > minWrappedCharacters || /^[^\p{Lu}\p{N}]/u.test(firstWord.text)
}

/** Joins rows: a line with an empty first column continues the cells above. */
function joinContinuedRows(rows: readonly (readonly Word[][])[], run: readonly TextLine[]): Word[][][] {
  const result: Word[][][] = []
  for (const [index, row] of rows.entries()) {
    const lastSegment = result.at(-1)
    const [line, lineBefore] = [run[index], run[index - 1]]
    const isNear = line && lineBefore && line.baseline - lineBefore.baseline < line.style.size * 1.5
    const firstColumn = line?.isRtl ? row.at(-1) : row[0]
    const isWrapped = row.some((words, column) => continuesCell(words, lastSegment?.[column] ?? []))
    if (lastSegment && isNear && firstColumn?.length === 0 && isWrapped) {
      for (const [column, words] of row.entries()) lastSegment[column]?.push(...words)
    } else result.push(row.map((words) => [...words]))
  }
  return result
}
