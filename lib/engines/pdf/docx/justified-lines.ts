import { type BoundingBox, getWidth } from './geometry.ts'
import { measureGap, type TextLine } from './lines.ts'

/**
 * Maximum width of a narrow column in ems. Lines of wider columns have enough words, so that wide gaps have a meaning.
 */
const maxWidthEm = 26

/** Marks the justified lines of a narrow column. */
export function markJustified(lines: readonly TextLine[], column: BoundingBox): TextLine[] {
  const fullLineFlags = lines.map((line) => fillsColumn(line, column))
  const evenLineFlags = lines.map((line, index) => fullLineFlags[index] === true && hasEvenGaps(line))
  return lines.map((line, index) => {
    // Two words have only one gap, so the neighboring lines decide.
    const isPair = fullLineFlags[index] === true && line.words.length === 2 && !isMostlyNumbers(line)
    const isJustified =
      evenLineFlags[index] || (isPair && (evenLineFlags[index - 1] || evenLineFlags[index + 1]))
    return isJustified ? { ...line, isJustified } : line
  })
}

function fillsColumn({ box, style }: TextLine, column: BoundingBox): boolean {
  const tolerance = Math.max(2, style.size * 0.25)
  const isNarrow = getWidth(column) < style.size * maxWidthEm
  return isNarrow && box[0] - column[0] < tolerance && column[2] - box[2] < tolerance
}

/**
 * Whether the gaps between words are even, except in rows of numbers. Between other table cells, gaps are even only by
 * chance.
 */
function hasEvenGaps(line: TextLine): boolean {
  const { words, style } = line
  const gaps = words.slice(1).flatMap((word, index) => {
    const wordBefore = words[index]
    return wordBefore ? [measureGap(wordBefore, word)] : []
  })
  return (
    gaps.length > 1 && Math.max(...gaps) - Math.min(...gaps) < style.size * 0.25 && !isMostlyNumbers(line)
  )
}

const isMostlyNumbers = ({ words }: TextLine) =>
  words.filter(({ text }) => /^[\d.,%€$()+-]+$/.test(text)).length > words.length / 2
