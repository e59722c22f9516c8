import { type Box, widthOf } from './geometry.ts'
import { gapBetween, type Line } from './lines.ts'

/** In sizes of the letters: wider columns have room for enough words, and gaps that wide mean something in them. */
const narrow = 26

/** Marks the lines of a narrow column whose words were moved apart to fill it. */
export function withSpread(lines: readonly Line[], column: Box): Line[] {
  const full = lines.map((line) => fills(line, column))
  const even = lines.map((line, index) => full[index] === true && hasEvenGaps(line))
  return lines.map((line, index) => {
    // Two words have but one gap; it is told by the lines around it.
    const isPair = full[index] === true && line.words.length === 2 && !hasNumber(line)
    const spread = even[index] || (isPair && (even[index - 1] || even[index + 1]))
    return spread ? { ...line, spread } : line
  })
}

function fills({ box, style }: Line, column: Box): boolean {
  const slack = Math.max(2, style.size * 0.25)
  const isNarrow = widthOf(column) < style.size * narrow
  return isNarrow && box[0] - column[0] < slack && column[2] - box[2] < slack
}

/** Cells of a row have even gaps only by chance, or where all are numbers. */
function hasEvenGaps(line: Line): boolean {
  const { words, style } = line
  const gaps = words.slice(1).flatMap((word, index) => {
    const before = words[index]
    return before ? [gapBetween(before, word)] : []
  })
  return gaps.length > 1 && Math.max(...gaps) - Math.min(...gaps) < style.size * 0.25 && !hasNumber(line)
}

const hasNumber = ({ words }: Line) =>
  words.filter(({ text }) => /^[\d.,%€$()+-]+$/.test(text)).length > words.length / 2
