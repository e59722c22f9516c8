import { around, type Box, median, merged, widthOf } from './geometry.ts'

/** Something that stands on a page and has to be read before or after something else. */
export interface Atom {
  readonly box: Box
  /** Letters in it; none for tables and pictures. */
  readonly letters: number
  readonly rtl: boolean
}

interface Gutter {
  readonly x: number
  readonly top: number
  readonly bottom: number
  readonly letters: number
}

const minLines = 3
const maxCandidates = 40
/** Pages with more are no prose, and each is held against all others. */
const maxAtoms = 1500

export interface Region<T extends Atom> {
  readonly atoms: readonly T[]
  /** The column that its lines fill. */
  readonly column: Box
}

/** Regions of running text in the order in which they are read: what is above columns, each column, what is below. */
export function readingOrder<T extends Atom>(atoms: readonly T[], column: Box): Region<T>[] {
  const gutter = bestGutter(atoms)
  if (!gutter) return atoms.length > 0 ? [{ atoms, column }] : []
  const { x, top, bottom } = gutter
  const middle = ({ box }: Atom) => (box[1] + box[3]) / 2
  const above = atoms.filter((atom) => middle(atom) < top)
  const below = atoms.filter((atom) => middle(atom) > bottom)
  const between = atoms.filter((atom) => !above.includes(atom) && !below.includes(atom))
  const left = between.filter(({ box }) => (box[0] + box[2]) / 2 < x)
  const right = between.filter((atom) => !left.includes(atom))
  const sides = lettersOf(between, true) > lettersOf(between, false) ? [right, left] : [left, right]
  return [
    ...readingOrder(above, column),
    ...sides.flatMap((side) =>
      side.length > 0 ? readingOrder(side, around(side.map(({ box }) => box))) : [],
    ),
    ...readingOrder(below, column),
  ]
}

function lettersOf(atoms: readonly Atom[], rtl: boolean): number {
  return atoms.filter((atom) => atom.rtl === rtl).reduce((sum, { letters }) => sum + letters, 0)
}

/** The empty strip with the most text to both sides, where both sides are prose and no cells of a table. */
function bestGutter(atoms: readonly Atom[]): Gutter | undefined {
  const texts = atoms.filter(({ letters }) => letters > 0)
  if (texts.length < minLines * 2 || atoms.length > maxAtoms) return undefined
  const whole = around(atoms.map(({ box }) => box))
  const [from, to] = [whole[0] + widthOf(whole) * 0.15, whole[2] - widthOf(whole) * 0.15]
  const edges = merged(
    texts.map(({ box }) => box[0]).filter((x) => x > from && x < to),
    2,
  )
  const counted = edges
    .map((x) => ({ x, lines: texts.filter(({ box }) => Math.abs(box[0] - x) < 3).length }))
    .filter(({ lines }) => lines >= minLines)
    .sort((a, b) => b.lines - a.lines)
    .slice(0, maxCandidates)
  const gutters = counted.flatMap(({ x }) => guttersAt(x - 1.5, atoms, whole))
  return gutters.sort((a, b) => b.letters - a.letters)[0]
}

/** Strips at `x` between things that cross it. */
function guttersAt(x: number, atoms: readonly Atom[], whole: Box): Gutter[] {
  const crossing = atoms.filter(({ box }) => box[0] < x - 1 && box[2] > x).sort((a, b) => a.box[1] - b.box[1])
  const found: Gutter[] = []
  let top = whole[1] - 1
  for (const bottom of [...crossing.map(({ box }) => box[1]), whole[3] + 1]) {
    const inside = atoms.filter(({ box }) => box[1] >= top - 2 && box[3] <= bottom + 2)
    const left = inside.filter(({ box }) => box[2] <= x)
    const right = inside.filter(({ box }) => box[0] >= x - 1)
    if (isProse(left) && isProse(right) && separate(left, right)) {
      found.push({ x, top, bottom, letters: inside.reduce((sum, { letters }) => sum + letters, 0) })
    }
    top = Math.max(top, ...crossing.filter(({ box }) => box[1] === bottom).map(({ box }) => box[3]))
  }
  return found
}

function separate(left: readonly Atom[], right: readonly Atom[]): boolean {
  const gap = Math.min(...right.map(({ box }) => box[0])) - Math.max(...left.map(({ box }) => box[2]))
  return gap >= 6
}

/** Most lines fill their column. */
function isProse(side: readonly Atom[]): boolean {
  const texts = side.filter(({ letters }) => letters > 0)
  if (texts.length < minLines) return false
  const width = widthOf(around(texts.map(({ box }) => box)))
  const fill = median(texts.map(({ box }) => widthOf(box) / width))
  const letters = median(texts.map((atom) => atom.letters))
  return fill >= 0.6 && letters >= 14
}
