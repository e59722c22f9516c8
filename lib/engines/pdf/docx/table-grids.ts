import { areaOf, type Box, clusters, heightOf, merged, overlap, widthOf } from './geometry.ts'
import type { Vector } from './page-content.ts'

/** A line of a table. */
interface Edge {
  readonly box: Box
  readonly flat: boolean
}

export interface GridCell {
  readonly row: number
  readonly column: number
  readonly rowSpan: number
  readonly columnSpan: number
  readonly box: Box
  readonly shading?: string
}

/** A table by its lines; its cells may span several rows and columns. */
export interface Grid {
  readonly box: Box
  readonly xs: readonly number[]
  readonly ys: readonly number[]
  readonly cells: readonly GridCell[]
}

const slack = 2.5
const thin = 3
const maxCells = 5000
const maxEdges = 4000

/** Finds tables by the lines that are drawn around their cells. */
export function gridsOf(vectors: readonly Vector[], pageArea: number): Grid[] {
  const fills = fillsOf(vectors, pageArea)
  const edges = vectors.flatMap(edgesOf)
  // So many are a drawing, and each is held against all others.
  if (edges.length > maxEdges) return []
  return clusters(edges, slack).flatMap((group) => gridOf(group, fills) ?? [])
}

/** Colored ground behind text. */
export function fillsOf(vectors: readonly Vector[], pageArea: number): Vector[] {
  return vectors.filter(
    ({ box, stroked, color }) =>
      !stroked &&
      color !== 'ffffff' &&
      widthOf(box) > thin &&
      heightOf(box) > thin &&
      areaOf(box) < pageArea * 0.8,
  )
}

function edgesOf({ box, stroked, rectangle }: Vector): Edge[] {
  const [width, height] = [widthOf(box), heightOf(box)]
  if (height <= thin && width >= 8) return [{ box, flat: true }]
  if (width <= thin && height >= 5) return [{ box, flat: false }]
  // Filled rectangles are the ground of rows as often as of cells, so they tell nothing.
  if (!rectangle || !stroked || width < 8 || height < 5) return []
  const [left, top, right, bottom] = box
  return [
    { box: [left, top, right, top], flat: true },
    { box: [left, bottom, right, bottom], flat: true },
    { box: [left, top, left, bottom], flat: false },
    { box: [right, top, right, bottom], flat: false },
  ]
}

const middle = (from: number, to: number) => (from + to) / 2

function gridOf(edges: readonly Edge[], fills: readonly Vector[]): Grid | undefined {
  const flat = edges.filter((edge) => edge.flat)
  const steep = edges.filter((edge) => !edge.flat)
  if (flat.length < 2 || steep.length < 1) return undefined
  const xs = merged(
    [...steep.map(({ box }) => middle(box[0], box[2])), ...ends(flat.flatMap(({ box }) => [box[0], box[2]]))],
    slack,
  )
  const ys = merged(
    [...flat.map(({ box }) => middle(box[1], box[3])), ...ends(steep.flatMap(({ box }) => [box[1], box[3]]))],
    slack,
  )
  const [columns, rows] = [xs.length - 1, ys.length - 1]
  if (columns < 2 || rows < 1 || (rows === 1 && columns < 3) || columns * rows > maxCells) return undefined
  const cells = cellsOf(xs, ys, flat, steep).map((cell) => shaded(cell, fills))
  const [left = 0, right = 0, top = 0, bottom = 0] = [xs[0], xs.at(-1), ys[0], ys.at(-1)]
  return cells.length < 2 ? undefined : { box: [left, top, right, bottom], xs, ys, cells }
}

/** A table without lines at its sides ends where its lines end. */
function ends(values: readonly number[]): number[] {
  return [Math.min(...values), Math.max(...values)]
}

function cellsOf(
  xs: readonly number[],
  ys: readonly number[],
  flat: readonly Edge[],
  steep: readonly Edge[],
): GridCell[] {
  const at = (list: readonly number[], index: number) => list[index] ?? 0
  const openRight = (row: number, column: number) =>
    !covered(
      steep.filter(({ box }) => Math.abs(middle(box[0], box[2]) - at(xs, column + 1)) <= slack),
      [at(ys, row), at(ys, row + 1)],
      1,
    )
  const openBelow = (row: number, column: number) =>
    !covered(
      flat.filter(({ box }) => Math.abs(middle(box[1], box[3]) - at(ys, row + 1)) <= slack),
      [at(xs, column), at(xs, column + 1)],
      0,
    )
  const taken = new Set<string>()
  const cells: GridCell[] = []
  for (const row of ys.slice(1).keys()) {
    for (const column of xs.slice(1).keys()) {
      if (taken.has(`${row} ${column}`)) continue
      const columnSpan = spanOf(
        xs.length - 1 - column,
        (span) => openRight(row, column + span - 1) && !taken.has(`${row} ${column + span}`),
      )
      const across = Array.from({ length: columnSpan }, (_, index) => column + index)
      const rowSpan = spanOf(ys.length - 1 - row, (span) => across.every((c) => openBelow(row + span - 1, c)))
      for (let r = row; r < row + rowSpan; r++) for (const c of across) taken.add(`${r} ${c}`)
      const box: Box = [at(xs, column), at(ys, row), at(xs, column + columnSpan), at(ys, row + rowSpan)]
      cells.push({ row, column, rowSpan, columnSpan, box })
    }
  }
  return cells
}

/** How many fields a cell takes: one more as long as the way to the next is open. */
function spanOf(most: number, isOpen: (span: number) => boolean): number {
  let span = 1
  while (span < most && isOpen(span)) span++
  return span
}

/** Whether edges cover most of the way between two points, along x (0) or y (1). */
function covered(edges: readonly Edge[], [from, to]: readonly [number, number], axis: 0 | 1): boolean {
  const length = edges.reduce((sum, { box }) => {
    const part = Math.min(to, box[axis === 0 ? 2 : 3]) - Math.max(from, box[axis])
    return sum + Math.max(0, part)
  }, 0)
  return length >= (to - from) * 0.5
}

function shaded(cell: GridCell, fills: readonly Vector[]): GridCell {
  const behind = fills.findLast(({ box }) => overlap(box, cell.box) > areaOf(cell.box) * 0.7)
  return behind ? { ...cell, shading: behind.color } : cell
}
