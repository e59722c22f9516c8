import { defined } from '../../../validation/defined.ts'
import type { Alignment, ListMarker, Paragraph } from './blocks.ts'
import { type BoundingBox, getBoundingBox } from './geometry.ts'
import { findDominantStyle, isMostlyRtl, isPreformatted, splitAtGaps, type TextLine } from './lines.ts'
import { findListMarker } from './list-markers.ts'
import { buildRuns } from './runs.ts'

export interface ParagraphSettings {
  /** The column that contains the lines. */
  readonly column: BoundingBox
  /**
   * Further x coordinates on which lines may be centered: the center of the page, and the center of the text on other
   * pages.
   */
  readonly centers?: readonly number[]
  /** Usual pitch of the lines of a paragraph, in ems. */
  readonly pitch: number
  /** Lowercase words that are written with a hyphen elsewhere. */
  readonly hyphenatedWords: ReadonlySet<string>
}

/** Joins lines into paragraphs. */
export function groupIntoParagraphs(lines: readonly TextLine[], settings: ParagraphSettings): Paragraph[] {
  const groups: { readonly lines: TextLine[]; readonly settings: ParagraphSettings }[] = []
  for (const [at, line] of lines.entries()) {
    const group = groups.at(-1)
    if (group && continuesParagraph(group.lines, line, group.settings)) group.lines.push(line)
    else groups.push({ lines: [line], settings: { ...settings, column: narrowColumn(lines, at, settings) } })
  }
  return groups.map((group) => {
    const rightIndent = settings.column[2] - group.settings.column[2]
    return { ...toParagraph(group.lines, group.settings), ...(rightIndent > 0 && { rightIndent }) }
  })
}

/** Minimum points by which text is indented on both sides, as an abstract or a quotation is. */
const minIndent = 12
/**
 * Number of lines that determine the width of an indented paragraph. A page may have too many lines to compare all of
 * them.
 */
const maxIndentedLines = 100

/** Returns the column, which is narrowed if this line and the following lines are indented on both sides. */
function narrowColumn(
  lines: readonly TextLine[],
  start: number,
  { column, pitch }: ParagraphSettings,
): BoundingBox {
  const [line, ...following] = lines.slice(start, start + maxIndentedLines)
  if (!line || line.isRtl || line.box[0] - column[0] < minIndent) return column
  const run = [line]
  for (const next of following) {
    const { box, baseline, style } = run.at(-1) ?? line
    const continuesRun =
      Math.abs(next.box[0] - box[0]) < 2 &&
      next.baseline - baseline < style.size * pitch * 1.28 &&
      Math.abs(next.style.size - style.size) < 0.5 &&
      !findListMarker(next.words)
    if (!continuesRun) break
    run.push(next)
  }
  const right = Math.max(...run.map(({ box }) => box[2]))
  const isFull = ({ box }: TextLine) => right - box[2] < (right - line.box[0]) * 0.15
  // All lines but the last fill a paragraph.
  const isIndented = column[2] - right >= minIndent && run.length >= 3 && run.slice(0, -1).every(isFull)
  return isIndented ? [column[0], column[1], right, column[3]] : column
}

function continuesParagraph(
  group: readonly TextLine[],
  line: TextLine,
  settings: ParagraphSettings,
): boolean {
  const [firstLine] = group
  const lineBefore = group.at(-1)
  if (!firstLine || !lineBefore || lineBefore.isRtl !== line.isRtl) return false
  const size = line.style.size
  if (Math.abs(lineBefore.style.size - size) > size * 0.08) return false
  if (
    line.baseline - lineBefore.baseline > size * settings.pitch * 1.28 ||
    line.baseline <= lineBefore.baseline
  )
    return false
  if (isBold(lineBefore) !== isBold(line) || isPreformatted(line)) return false
  if (hasWideGap(lineBefore) || hasWideGap(line)) return false
  if (findListMarker(line.words)) return false
  const marker = findListMarker(firstLine.words)
  if (startsWithCheckbox(line)) return false
  const lineStart = line.isRtl ? -line.box[2] : line.box[0]
  if (marker) return lineStart > marker.x + size * 0.4 && !endsEarly(lineBefore, line, settings.column)
  if (isCentered(lineBefore, settings) && isCentered(line, settings)) return isSameStyle(lineBefore, line)
  return !endsEarly(lineBefore, line, settings.column) && !isIndented(group, line)
}

const startsWithCheckbox = ({ words: [firstWord] }: TextLine) =>
  firstWord !== undefined && /^[☐☑☒]/u.test(firstWord.text)
const hasWideGap = (line: TextLine) => !line.isJustified && splitAtGaps(line, 2).length > 1
const isBold = (line: TextLine) => line.words.every(({ style }) => style.bold)
const isSameStyle = (a: TextLine, b: TextLine) =>
  a.style.font === b.style.font && a.style.color === b.style.color

/** Whether the first word of the next line would have fit at the end of the line. */
function endsEarly(line: TextLine, nextLine: TextLine, column: BoundingBox): boolean {
  const [word] = nextLine.words
  if (!word) return true
  const room = nextLine.isRtl ? line.box[0] - column[0] : column[2] - line.box[2]
  return room > word.box[2] - word.box[0] + nextLine.style.size * 0.7
}

/** Whether a line starts a new paragraph by its first-line or hanging indent. */
function isIndented(group: readonly TextLine[], line: TextLine): boolean {
  const lineBefore = group.at(-1)
  if (!lineBefore || line.isRtl) return false
  const step = line.box[0] - lineBefore.box[0]
  if (step > line.style.size * 0.8) return true
  return group.length > 1 && step < -line.style.size * 0.8
}

function isCentered({ box, style }: TextLine, { column, centers = [] }: ParagraphSettings): boolean {
  const tolerance = Math.max(style.size * 0.6, 4)
  const [left, right] = [box[0] - column[0], column[2] - box[2]]
  if (left < style.size || right < style.size) return false
  const middle = (box[0] + box[2]) / 2
  return (
    Math.abs(left - right) < tolerance || centers.some((center) => Math.abs(middle - center) < tolerance / 2)
  )
}

function chooseAlignment(lines: readonly TextLine[], settings: ParagraphSettings, isRtl: boolean): Alignment {
  const { column } = settings
  if (lines.every((line) => isCentered(line, settings))) return 'center'
  const tolerance = Math.max(2, (lines[0]?.style.size ?? 10) * 0.15)
  const endsAtRightEdge = lines.every(({ box }) => Math.abs(column[2] - box[2]) < tolerance)
  const startsFarRight = lines.every(({ box }) => box[0] - column[0] > (column[2] - column[0]) * 0.3)
  if (!isRtl && endsAtRightEdge && startsFarRight) return 'right'
  const linesBeforeLast = lines.slice(0, -1)
  const isFull = linesBeforeLast.every(({ box }) => Math.abs(column[2] - box[2]) < tolerance)
  return !isRtl && linesBeforeLast.length >= 2 && isFull ? 'both' : 'left'
}

function toParagraph(lines: readonly TextLine[], settings: ParagraphSettings): Paragraph {
  const words = lines.flatMap((line) => line.words)
  const marker = findListMarker(words)
  const box = getBoundingBox(lines.map((line) => line.box))
  const isRtl = isMostlyRtl(words.map(({ text }) => text).join(''))
  const alignment = marker ? 'left' : chooseAlignment(lines, settings, isRtl)
  return {
    kind: 'paragraph',
    box,
    runs: buildRuns(lines, marker !== undefined, settings.hyphenatedWords),
    alignment,
    style: findDominantStyle(words),
    lineCount: lines.length,
    ...measureLines(lines),
    mayContinue: reachesColumnEdge(lines.at(-1), settings.column),
    spaceBefore: 0,
    ...computeIndents(lines, alignment, marker, settings.column, isRtl),
    isRtl,
    ...defined({ marker }),
  }
}

function measureLines(lines: readonly TextLine[]): Pick<Paragraph, 'lineHeight' | 'firstLineBottom'> {
  const [firstLine] = lines
  const lastLine = lines.at(-1)
  if (!firstLine || !lastLine) return {}
  const firstLineBottom = firstLine.box[3]
  if (lines.length === 1) return { firstLineBottom }
  return { firstLineBottom, lineHeight: (lastLine.baseline - firstLine.baseline) / (lines.length - 1) }
}

function reachesColumnEdge(line: TextLine | undefined, column: BoundingBox): boolean {
  if (!line) return false
  const room = line.isRtl ? line.box[0] - column[0] : column[2] - line.box[2]
  return room < (column[2] - column[0]) * 0.12
}

function computeIndents(
  lines: readonly TextLine[],
  alignment: Alignment,
  marker: ListMarker | undefined,
  column: BoundingBox,
  isRtl: boolean,
): Pick<Paragraph, 'indent' | 'firstIndent'> {
  const [firstLine, ...rest] = lines
  if (marker && isRtl) return { indent: column[2] + marker.textX, firstIndent: marker.x - marker.textX }
  if (!firstLine || alignment === 'center' || alignment === 'right' || isRtl)
    return { indent: 0, firstIndent: 0 }
  if (marker) return { indent: marker.textX - column[0], firstIndent: marker.x - marker.textX }
  const left = rest.length > 0 ? Math.min(...rest.map(({ box }) => box[0])) : firstLine.box[0]
  const roundSmallToZero = (points: number) => (Math.abs(points) < 2.5 ? 0 : points)
  return {
    indent: roundSmallToZero(left - column[0]),
    firstIndent: roundSmallToZero(firstLine.box[0] - left),
  }
}
