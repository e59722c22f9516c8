import { around, type Box } from '../docx/geometry.ts'
import { type Line, lineOf, linesOf, segmentsOf } from '../docx/lines.ts'
import type { Page } from '../docx/page-content.ts'

/** Lines that are edited together. */
export interface TextBox {
  readonly box: Box
  readonly lines: readonly Line[]
  /** Points from line to line. */
  readonly pitch: number
}

/** In units of the size of the letters: what parts pieces of a line, and what parts paragraphs. */
const wideGap = 0.7
const farthest = 1.6
/** Of a line alone, as most fonts have it. */
const usualPitch = 1.2

/** Lines below each other, of one size, that begin at the same place. */
export function textBoxesOf(page: Page): TextBox[] {
  const lines = page.pieces
    .flatMap((piece) =>
      linesOf(piece).flatMap((line) => segmentsOf(line, wideGap).map((words) => lineOf(words))),
    )
    .sort((a, b) => a.base - b.base)
  const groups: Line[][] = []
  for (const line of lines) {
    const group = groups.findLast((members) => goesOn(members, line))
    if (group) group.push(line)
    else groups.push([line])
  }
  return groups.map((group) => {
    const [first, last] = [group[0], group.at(-1)]
    const size = first?.style.size ?? 10
    const pitch =
      first && last && group.length > 1 ? (last.base - first.base) / (group.length - 1) : size * usualPitch
    return { box: around(group.map(({ box }) => box)), lines: group, pitch }
  })
}

function goesOn(members: readonly Line[], line: Line): boolean {
  const last = members.at(-1)
  if (!last || last.rtl !== line.rtl) return false
  const { size } = last.style
  const step = line.base - last.base
  const edge = line.rtl ? 2 : 0
  const [before] = members.length > 1 ? [last.base - (members.at(-2)?.base ?? last.base)] : [step]
  return (
    Math.abs(size - line.style.size) < 0.5 &&
    Math.abs(last.box[edge] - line.box[edge]) < 2 &&
    step > size * 0.8 &&
    step < size * farthest &&
    Math.abs(step - (before ?? step)) < size * 0.15
  )
}
