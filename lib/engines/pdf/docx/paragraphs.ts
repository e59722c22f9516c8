import type { Alignment, ListMark, Paragraph } from './blocks.ts'
import { around, type Box } from './geometry.ts'
import { isPreformatted, isRightToLeft, type Line, mainStyle, segmentsOf } from './lines.ts'
import { markOf } from './list-markers.ts'
import { runsOf } from './runs.ts'

export interface ParagraphRules {
  /** The column that the lines stand in. */
  readonly column: Box
  /** Other middles that lines may be centered on: that of the page, and of the text of other pages. */
  readonly centers?: readonly number[]
  /** Usual distance of two lines of a paragraph, in sizes of the letters. */
  readonly pitch: number
  /** Words that are written with a hyphen elsewhere, in small letters. */
  readonly hyphenated: ReadonlySet<string>
}

/** Joins lines into paragraphs, as a reader would. */
export function paragraphsOf(lines: readonly Line[], rules: ParagraphRules): Paragraph[] {
  const groups: Line[][] = []
  for (const line of lines) {
    const group = groups.at(-1)
    if (group && goesOn(group, line, rules)) group.push(line)
    else groups.push([line])
  }
  return groups.map((group) => paragraphOf(group, rules))
}

function goesOn(group: readonly Line[], line: Line, rules: ParagraphRules): boolean {
  const [first] = group
  const before = group.at(-1)
  if (!first || !before || before.rtl !== line.rtl) return false
  const size = line.style.size
  if (Math.abs(before.style.size - size) > size * 0.08) return false
  if (line.base - before.base > size * rules.pitch * 1.28 || line.base <= before.base) return false
  if (isBold(before) !== isBold(line) || isPreformatted(line)) return false
  if (hasWideGap(before) || hasWideGap(line)) return false
  if (markOf(line.words)) return false
  const mark = markOf(first.words)
  if (mark) return line.box[0] > mark.at + size * 0.4 && !endsEarly(before, line, rules.column)
  if (isCentered(before, rules) && isCentered(line, rules)) return isSameLook(before, line)
  return !endsEarly(before, line, rules.column) && !isIndented(group, line)
}

const hasWideGap = (line: Line) => !line.spread && segmentsOf(line, 2).length > 1
const isBold = (line: Line) => line.words.every(({ style }) => style.bold)
const isSameLook = (a: Line, b: Line) => a.style.font === b.style.font && a.style.color === b.style.color

/** The first word of the next line would have found room at the end. */
function endsEarly(before: Line, line: Line, column: Box): boolean {
  const [word] = line.words
  if (!word) return true
  const room = line.rtl ? before.box[0] - column[0] : column[2] - before.box[2]
  return room > word.box[2] - word.box[0] + line.style.size * 0.7
}

/** A first line is set in, or out where the whole is set in. */
function isIndented(group: readonly Line[], line: Line): boolean {
  const before = group.at(-1)
  if (!before || line.rtl) return false
  const step = line.box[0] - before.box[0]
  if (step > line.style.size * 0.8) return true
  return group.length > 1 && step < -line.style.size * 0.8
}

function isCentered({ box, style }: Line, { column, centers = [] }: ParagraphRules): boolean {
  const slack = Math.max(style.size * 0.6, 4)
  const [left, right] = [box[0] - column[0], column[2] - box[2]]
  if (left < style.size || right < style.size) return false
  const middle = (box[0] + box[2]) / 2
  return Math.abs(left - right) < slack || centers.some((center) => Math.abs(middle - center) < slack / 2)
}

function alignmentOf(lines: readonly Line[], rules: ParagraphRules, rtl: boolean): Alignment {
  const { column } = rules
  if (lines.every((line) => isCentered(line, rules))) return 'center'
  const slack = Math.max(2, (lines[0]?.style.size ?? 10) * 0.15)
  const atRight = lines.every(({ box }) => Math.abs(column[2] - box[2]) < slack)
  const far = lines.every(({ box }) => box[0] - column[0] > (column[2] - column[0]) * 0.3)
  if (!rtl && atRight && far) return 'right'
  const inner = lines.slice(0, -1)
  const full = inner.every(({ box }) => Math.abs(column[2] - box[2]) < slack)
  return !rtl && inner.length >= 2 && full ? 'both' : 'left'
}

function paragraphOf(lines: readonly Line[], rules: ParagraphRules): Paragraph {
  const words = lines.flatMap((line) => line.words)
  const mark = markOf(words)
  const box = around(lines.map((line) => line.box))
  const rtl = isRightToLeft(words.map(({ text }) => text).join(''))
  const alignment = mark ? 'left' : alignmentOf(lines, rules, rtl)
  return {
    kind: 'paragraph',
    box,
    runs: runsOf(lines, mark !== undefined, rules.hyphenated),
    alignment,
    style: mainStyle(words),
    lineCount: lines.length,
    open: reachesEnd(lines.at(-1), rules.column),
    spaceBefore: 0,
    ...indents(lines, alignment, mark, rules.column, rtl),
    rtl,
    ...(mark && { mark }),
  }
}

function reachesEnd(line: Line | undefined, column: Box): boolean {
  if (!line) return false
  const room = line.rtl ? line.box[0] - column[0] : column[2] - line.box[2]
  return room < (column[2] - column[0]) * 0.12
}

function indents(
  lines: readonly Line[],
  alignment: Alignment,
  mark: ListMark | undefined,
  column: Box,
  rtl: boolean,
): Pick<Paragraph, 'indent' | 'firstIndent'> {
  const [first, ...rest] = lines
  if (!first || alignment === 'center' || alignment === 'right' || rtl) return { indent: 0, firstIndent: 0 }
  if (mark) return { indent: mark.textAt - column[0], firstIndent: mark.at - mark.textAt }
  const left = rest.length > 0 ? Math.min(...rest.map(({ box }) => box[0])) : first.box[0]
  const quiet = (points: number) => (Math.abs(points) < 2.5 ? 0 : points)
  return { indent: quiet(left - column[0]), firstIndent: quiet(first.box[0] - left) }
}
