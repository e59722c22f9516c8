import { around, type Box, heightOf, median, merged, widthOf } from './geometry.ts'
import { hasRows } from './row-alignment.ts'

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
/** Points between two columns. */
const minGap = 6
/** Of the lines of a column, those that run into that gap. */
const mostOverfull = 0.1
/** Heights of a line between two pieces of it. */
const farthestPiece = 1.8
/** Lines of a text that stands beside another one, and the points that both go down together. */
const [leastApart, leastHeight] = [8, 100]
const maxColumns = 4
const maxCandidates = 40
/** Pages with more are no prose, and each is held against all others. */
const maxAtoms = 1500

interface Region<T extends Atom> {
  readonly atoms: readonly T[]
  /** The column that its lines fill. */
  readonly column: Box
}

/** Text between two heights of a page: in one column, or in several that stand side by side. */
export interface Band<T extends Atom> {
  /** In the order in which they are read. */
  readonly columns: readonly Region<T>[]
}

/** Running text in the order in which it is read: what is above columns, each column, what is below. */
export function readingOrder<T extends Atom>(atoms: readonly T[], column: Box): Band<T>[] {
  const gutter = bestGutter(atoms)
  if (!gutter) return atoms.length > 0 ? [{ columns: [{ atoms, column }] }] : []
  const { x } = gutter
  const { top, bottom } = betweenTitles(gutter, atoms)
  const above = atoms.filter((atom) => middleOf(atom) < top)
  const below = atoms.filter((atom) => middleOf(atom) > bottom)
  const between = atoms.filter((atom) => !above.includes(atom) && !below.includes(atom))
  const left = between.filter((atom) => isLeftOf(atom, x))
  const right = between.filter((atom) => !left.includes(atom))
  const sides = lettersOf(between, true) > lettersOf(between, false) ? [right, left] : [left, right]
  const inner = sides
    .filter((side) => side.length > 0)
    .map((side) => readingOrder(side, around(side.map(({ box }) => box))))
  // Where a column is parted at some height, what stands side by side is no longer plain.
  const isPlain = inner.every((bands) => bands.length === 1)
  return [
    ...readingOrder(above, column),
    ...(isPlain
      ? [{ columns: inner.flatMap((bands) => bands.flatMap(({ columns }) => columns)) }]
      : inner.flat()),
    ...readingOrder(below, column),
  ]
}

const isLeftOf = ({ box }: Atom, x: number) => (box[0] + box[2]) / 2 < x

const middleOf = ({ box }: Atom) => (box[1] + box[3]) / 2

/** The part of columns up to a title that is too short to cross the strip between them. */
function betweenTitles({ x, top, bottom }: Gutter, all: readonly Atom[]): Pick<Gutter, 'top' | 'bottom'> {
  const atoms = all.filter((atom) => middleOf(atom) >= top && middleOf(atom) <= bottom)
  const part = { top, bottom }
  for (const title of titlesOver(atoms, x)) {
    const isFirst = !atoms.some((atom) => atom.box[3] < title.top + 1)
    if (isFirst) part.top = title.bottom
    else return { ...part, bottom: title.top }
  }
  return part
}

/** Larger letters with nothing beside them, below which both columns begin at one height. */
function titlesOver(atoms: readonly Atom[], x: number): { top: number; bottom: number }[] {
  const usual = median(atoms.filter(({ letters }) => letters > 0).map(({ box }) => heightOf(box)))
  const isLarge = ({ box, letters }: Atom) => letters > 0 && heightOf(box) > usual * 1.15
  const sides = [true, false].map((isLeft) => atoms.filter((atom) => isLeftOf(atom, x) === isLeft))
  return atoms
    .filter(isLarge)
    .sort((a, b) => a.box[1] - b.box[1])
    .flatMap(({ box }) => {
      const beside = atoms.filter((other) => other.box[1] < box[3] && other.box[3] > box[1])
      const below = sides.map((side) =>
        Math.min(...side.map((other) => other.box[1]).filter((y) => y > box[3] - 1)),
      )
      const [left = 0, right = Infinity] = below
      const isAlone =
        beside.every(isLarge) && sides.some((side) => beside.every((other) => side.includes(other)))
      if (!isAlone || Math.abs(left - right) > 3) return []
      return [{ top: topOfTitle(atoms.filter(isLarge), box), bottom: Math.min(left, right) - 1 }]
    })
}

/** That of the first of its lines. */
function topOfTitle(large: readonly Atom[], box: Box): number {
  const above = large.find(
    (other) => other.box[1] < box[1] - 1 && box[1] - other.box[3] < heightOf(box) * 0.5,
  )
  return above ? topOfTitle(large, above.box) : box[1]
}

function lettersOf(atoms: readonly Atom[], rtl: boolean): number {
  return atoms.filter((atom) => atom.rtl === rtl).reduce((sum, { letters }) => sum + letters, 0)
}

/** The empty strip with the most text to both sides, where both sides are prose and no cells of a table. */
function bestGutter(atoms: readonly Atom[], depth = 1): Gutter | undefined {
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
  const gutters = counted.flatMap(({ x }) => guttersAt(x - 1.5, atoms, whole, depth))
  return gutters.sort((a, b) => b.letters - a.letters)[0]
}

/** Strips at `x` between things that cross it. */
function guttersAt(x: number, atoms: readonly Atom[], whole: Box, depth: number): Gutter[] {
  const edge = edgeBefore(x, atoms)
  // The number of a page stands in the strip, and belongs to neither side.
  const crosses = ({ box }: Atom) => box[0] < x - 1 && (box[2] > x || (box[2] > edge && box[0] >= edge))
  const crossing = atoms.filter(crosses).sort((a, b) => a.box[1] - b.box[1])
  const found: Gutter[] = []
  let top = whole[1] - 1
  for (const bottom of [...crossing.map(({ box }) => box[1]), whole[3] + 1]) {
    const inside = atoms.filter(({ box }) => box[1] >= top - 2 && box[3] <= bottom + 2)
    const left = inside.filter((atom) => atom.box[2] <= x && !crosses(atom))
    const right = inside.filter(({ box }) => box[0] >= x - 1)
    // To the right of the first column may be more of them.
    const isText = () =>
      isProse(right) ||
      (depth < maxColumns && !hasRows([left, right]) && bestGutter(right, depth + 1) !== undefined)
    const isParted = () => (isProse(left) && isText()) || standApart(left, right)
    if (separate(left, right) && isParted()) {
      found.push({ x, top, bottom, letters: inside.reduce((sum, { letters }) => sum + letters, 0) })
    }
    top = Math.max(top, ...crossing.filter(({ box }) => box[1] === bottom).map(({ box }) => box[3]))
  }
  return found
}

/** Where lines to the left of a strip end, but for the few that nobody could break in time. */
function edgeBefore(x: number, atoms: readonly Atom[]): number {
  return Math.max(...atoms.map(({ box }) => box[2]).filter((right) => right <= x - minGap))
}

function separate(left: readonly Atom[], right: readonly Atom[]): boolean {
  const start = Math.min(...right.map(({ box }) => box[0]))
  const overfull = left.filter(({ box }) => start - box[2] < minGap)
  return overfull.length <= left.length * mostOverfull
}

/** Text beside text that has nothing to do with it, as of a résumé: in a table, lines stand beside lines. */
function standApart(left: readonly Atom[], right: readonly Atom[]): boolean {
  const [few = [], many = []] = [left, right]
    .map((side) => side.filter(({ letters }) => letters > 0).map(({ box }) => box))
    .sort((a, b) => a.length - b.length)
  if (few.length < leastApart) return false
  const [a, b] = [around(few), around(many)]
  if (Math.min(a[3], b[3]) - Math.max(a[1], b[1]) < leastHeight) return false
  const beside = few.filter((box) => many.some((other) => Math.abs(box[3] - other[3]) < 2))
  return beside.length <= few.length / 2
}

/** Most lines fill their column. */
function isProse(side: readonly Atom[]): boolean {
  const lines = wholeLines(side.filter(({ letters }) => letters > 0))
  if (lines.length < minLines) return false
  const width = widthOf(around(lines.map(({ box }) => box)))
  return median(lines.map(({ box }) => widthOf(box) / width)) >= 0.6 && median(lines.map(lettersIn)) >= 14
}

const lettersIn = ({ letters }: Pick<Atom, 'letters'>) => letters

/** A line whose sentences stand far apart, as in narrow columns, is read in pieces. Cells of a table stand further. */
function wholeLines(texts: readonly Atom[]): Pick<Atom, 'box' | 'letters'>[] {
  const lines: { box: Box; letters: number }[] = []
  for (const { box, letters } of [...texts].sort((a, b) => a.box[1] - b.box[1] || a.box[0] - b.box[0])) {
    const last = lines.at(-1)
    const goesOn = last && Math.abs(last.box[1] - box[1]) < 1 && isNear(last.box, box)
    if (goesOn) Object.assign(last, { box: around([last.box, box]), letters: last.letters + letters })
    else lines.push({ box, letters })
  }
  return lines
}

const isNear = (before: Box, box: Box) =>
  box[0] >= before[2] && box[0] - before[2] < heightOf(box) * farthestPiece
