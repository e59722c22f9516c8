import { type BoundingBox, getBoundingBox } from '../docx/geometry.ts'
import { groupIntoLines, splitAtGaps, type TextLine, toLine } from '../docx/lines.ts'
import type { PageContent } from '../docx/page-content.ts'

/** Lines that form one text box. */
export interface TextBox {
  readonly box: BoundingBox
  readonly lines: readonly TextLine[]
  /** Distance between baselines, in points. */
  readonly pitch: number
}

/** Minimum gap in ems between segments of a line. */
const minGapEms = 0.7
/** Maximum pitch in ems within a paragraph. */
const maxPitchEms = 1.6
/** Number of most recent text boxes that are compared with the next line. */
const maxOpenBoxes = 1000
/** Pitch of a single line in ems, as in most fonts. */
const defaultPitch = 1.2

/** Groups lines with the same size and left edge into text boxes. */
export function findTextBoxes(page: PageContent): TextBox[] {
  const lines = page.textSegments
    .flatMap((segment) =>
      groupIntoLines(segment).flatMap((line) => splitAtGaps(line, minGapEms).map((words) => toLine(words))),
    )
    .sort((a, b) => a.baseline - b.baseline)
  const groups: TextLine[][] = []
  for (const line of lines) {
    const boxLines = groups.slice(-maxOpenBoxes).findLast((boxLines) => continuesBox(boxLines, line))
    if (boxLines) boxLines.push(line)
    else groups.push([line])
  }
  return groups.map((boxLines) => {
    const [firstLine, lastLine] = [boxLines[0], boxLines.at(-1)]
    const size = firstLine?.style.size ?? 10
    const pitch =
      firstLine && lastLine && boxLines.length > 1
        ? (lastLine.baseline - firstLine.baseline) / (boxLines.length - 1)
        : size * defaultPitch
    return { box: getBoundingBox(boxLines.map(({ box }) => box)), lines: boxLines, pitch }
  })
}

function continuesBox(boxLines: readonly TextLine[], line: TextLine): boolean {
  const lastLine = boxLines.at(-1)
  if (!lastLine || lastLine.isRtl !== line.isRtl) return false
  const { size } = lastLine.style
  const lineDistance = line.baseline - lastLine.baseline
  const edgeIndex = line.isRtl ? 2 : 0
  const [spaceBefore] =
    boxLines.length > 1
      ? [lastLine.baseline - (boxLines.at(-2)?.baseline ?? lastLine.baseline)]
      : [lineDistance]
  return (
    Math.abs(size - line.style.size) < 0.5 &&
    Math.abs(lastLine.box[edgeIndex] - line.box[edgeIndex]) < 2 &&
    lineDistance > size * 0.8 &&
    lineDistance < size * maxPitchEms &&
    Math.abs(lineDistance - (spaceBefore ?? lineDistance)) < size * 0.15
  )
}
