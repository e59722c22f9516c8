import {
  type BoundingBox,
  clusterTouching,
  computeMedian,
  computeOverlapArea,
  getArea,
  getHeight,
  getWidth,
  mergeCloseValues,
} from './geometry.ts'
import type { Vector } from './page-content.ts'

/** A line that is drawn as a border in a table. */
interface RuleLine {
  readonly box: BoundingBox
  readonly isHorizontal: boolean
  readonly color: string
}

/** How the rules of a table look. */
export interface Border {
  /** Color as six hexadecimal digits. */
  readonly color: string
  /** Width in points; 0 if unknown. */
  readonly width: number
}

export interface GridCell {
  readonly row: number
  readonly column: number
  readonly rowSpan: number
  readonly columnSpan: number
  readonly box: BoundingBox
  readonly shading?: string
}

/** A ruled table; its cells may span several rows and columns. */
export interface Grid {
  readonly box: BoundingBox
  readonly xs: readonly number[]
  readonly ys: readonly number[]
  readonly cells: readonly GridCell[]
  readonly border: Border
}

const tolerance = 2.5
const maxThickness = 3
const maxCells = 5000
const maxRules = 4000

/** Finds tables by the rules around their cells. */
export function findGrids(vectors: readonly Vector[], pageArea: number): Grid[] {
  const fills = findFills(vectors, pageArea)
  const rules = vectors.flatMap(toRuleLines)
  // With more rules than this, the page shows a drawing, and comparing every rule with all others would take too long.
  if (rules.length > maxRules) return []
  return clusterTouching(rules, tolerance).flatMap((group) => toGrid(group, fills) ?? [])
}

/** Returns the colored backgrounds of text. */
export function findFills(vectors: readonly Vector[], pageArea: number): Vector[] {
  return vectors.filter(
    ({ box, isStroked, color }) =>
      !isStroked &&
      color !== 'ffffff' &&
      getWidth(box) > maxThickness &&
      getHeight(box) > maxThickness &&
      getArea(box) < pageArea * 0.8,
  )
}

function toRuleLines({ box, isStroked, isRectangle, color }: Vector): RuleLine[] {
  const [width, height] = [getWidth(box), getHeight(box)]
  if (height <= maxThickness && width >= 8) return [{ box, isHorizontal: true, color }]
  if (width <= maxThickness && height >= 5) return [{ box, isHorizontal: false, color }]
  // Filled rectangles are backgrounds of rows as often as of cells, so they do not indicate edges.
  if (!isRectangle || !isStroked || width < 8 || height < 5) return []
  const [left, top, right, bottom] = box
  return [
    { box: [left, top, right, top], isHorizontal: true, color },
    { box: [left, bottom, right, bottom], isHorizontal: true, color },
    { box: [left, top, left, bottom], isHorizontal: false, color },
    { box: [right, top, right, bottom], isHorizontal: false, color },
  ]
}

const computeMidpoint = (from: number, to: number) => (from + to) / 2

function toGrid(rules: readonly RuleLine[], fills: readonly Vector[]): Grid | undefined {
  const horizontalRules = rules.filter((edge) => edge.isHorizontal)
  const verticalRules = rules.filter((edge) => !edge.isHorizontal)
  if (horizontalRules.length < 2 || verticalRules.length < 1) return undefined
  const xs = mergeCloseValues(
    [
      ...verticalRules.map(({ box }) => computeMidpoint(box[0], box[2])),
      ...findOutermost(horizontalRules.flatMap(({ box }) => [box[0], box[2]])),
    ],
    tolerance,
  )
  const ys = mergeCloseValues(
    [
      ...horizontalRules.map(({ box }) => computeMidpoint(box[1], box[3])),
      ...findOutermost(verticalRules.flatMap(({ box }) => [box[1], box[3]])),
    ],
    tolerance,
  )
  const [columns, rows] = [xs.length - 1, ys.length - 1]
  if (columns < 2 || rows < 1 || (rows === 1 && columns < 3) || columns * rows > maxCells) return undefined
  const cells = buildCells(xs, ys, horizontalRules, verticalRules).map((cell) => addShading(cell, fills))
  const [left = 0, right = 0, top = 0, bottom = 0] = [xs[0], xs.at(-1), ys[0], ys.at(-1)]
  if (cells.length < 2) return undefined
  return { box: [left, top, right, bottom], xs, ys, cells, border: findBorder(rules) }
}

/** Returns the look of most rules: a table can have a thicker one below its header. */
function findBorder(rules: readonly RuleLine[]): Border {
  const widths = rules.map(({ box, isHorizontal }) => (isHorizontal ? getHeight(box) : getWidth(box)))
  const counts = new Map<string, number>()
  for (const { color } of rules) counts.set(color, (counts.get(color) ?? 0) + 1)
  const [usualColor = '000000'] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? []
  return { color: usualColor, width: computeMedian(widths) }
}

/** Returns the outermost values. If a table has no rules at its sides, its horizontal rules determine where it ends. */
function findOutermost(values: readonly number[]): number[] {
  return [Math.min(...values), Math.max(...values)]
}

function buildCells(
  xs: readonly number[],
  ys: readonly number[],
  horizontalRules: readonly RuleLine[],
  verticalRules: readonly RuleLine[],
): GridCell[] {
  const getAt = (list: readonly number[], index: number) => list[index] ?? 0
  const isOpenRight = (row: number, column: number) =>
    !isCovered(
      verticalRules.filter(
        ({ box }) => Math.abs(computeMidpoint(box[0], box[2]) - getAt(xs, column + 1)) <= tolerance,
      ),
      [getAt(ys, row), getAt(ys, row + 1)],
      1,
    )
  const isOpenBelow = (row: number, column: number) =>
    !isCovered(
      horizontalRules.filter(
        ({ box }) => Math.abs(computeMidpoint(box[1], box[3]) - getAt(ys, row + 1)) <= tolerance,
      ),
      [getAt(xs, column), getAt(xs, column + 1)],
      0,
    )
  const occupiedCells = new Set<string>()
  const cells: GridCell[] = []
  for (const row of ys.slice(1).keys()) {
    for (const column of xs.slice(1).keys()) {
      if (occupiedCells.has(`${row} ${column}`)) continue
      const columnSpan = countSpan(
        xs.length - 1 - column,
        (span) => isOpenRight(row, column + span - 1) && !occupiedCells.has(`${row} ${column + span}`),
      )
      const columns = Array.from({ length: columnSpan }, (_, index) => column + index)
      const rowSpan = countSpan(ys.length - 1 - row, (span) =>
        columns.every((c) => isOpenBelow(row + span - 1, c)),
      )
      for (let r = row; r < row + rowSpan; r++) for (const c of columns) occupiedCells.add(`${r} ${c}`)
      const box: BoundingBox = [
        getAt(xs, column),
        getAt(ys, row),
        getAt(xs, column + columnSpan),
        getAt(ys, row + rowSpan),
      ]
      cells.push({ row, column, rowSpan, columnSpan, box })
    }
  }
  return cells
}

/** Returns the number of rows or columns that a cell spans: it extends until there is a rule. */
function countSpan(max: number, isOpen: (span: number) => boolean): number {
  let span = 1
  while (span < max && isOpen(span)) span++
  return span
}

/** Whether rules cover most of the distance between two points, along x (0) or y (1). */
function isCovered(rules: readonly RuleLine[], [from, to]: readonly [number, number], axis: 0 | 1): boolean {
  const length = rules.reduce((sum, { box }) => {
    const overlapLength = Math.min(to, box[axis === 0 ? 2 : 3]) - Math.max(from, box[axis])
    return sum + Math.max(0, overlapLength)
  }, 0)
  return length >= (to - from) * 0.5
}

function addShading(cell: GridCell, fills: readonly Vector[]): GridCell {
  const fillBehind = fills.findLast(({ box }) => computeOverlapArea(box, cell.box) > getArea(cell.box) * 0.7)
  return fillBehind ? { ...cell, shading: fillBehind.color } : cell
}
