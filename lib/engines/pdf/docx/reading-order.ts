import {
  type BoundingBox,
  computeMedian,
  getBoundingBox,
  getHeight,
  getWidth,
  mergeCloseValues,
} from './geometry.ts'
import { haveAlignedRows } from './row-alignment.ts'

/** An item on a page that has a place in the reading order. */
export interface PageItem {
  readonly box: BoundingBox
  /** Number of characters; 0 for tables and images. */
  readonly characters: number
  readonly isRtl: boolean
}

interface Gutter {
  readonly x: number
  readonly top: number
  readonly bottom: number
  readonly characters: number
}

const minLines = 3
/** Minimum points between two columns. */
const minGap = 6
/** Maximum part of a column's lines that may extend into the gutter. */
const maxOverfullRatio = 0.1
/** Maximum gap between segments of a line, in line heights. */
const maxSegmentGap = 1.8
/** Minimum number of lines of independent text next to other text, and the height in points that both must share. */
const [minIndependentLines, minSharedHeight] = [8, 100]
const maxColumns = 4
const maxCandidates = 40
/** Every item is compared with all others; a page with more items is not prose anyway. */
const maxItems = 1500

interface ColumnRegion<T extends PageItem> {
  readonly items: readonly T[]
  /** The box that the lines of the column fill. */
  readonly box: BoundingBox
}

/** Text between two heights of a page, in one column or several next to each other. */
export interface Band<T extends PageItem> {
  /** The columns in reading order. */
  readonly columns: readonly ColumnRegion<T>[]
}

/** Sorts text into reading order: first the text above the columns, then each column, then the text below. */
export function sortIntoReadingOrder<T extends PageItem>(
  items: readonly T[],
  column: BoundingBox,
): Band<T>[] {
  const gutter = findBestGutter(items)
  if (!gutter) return items.length > 0 ? [{ columns: [{ items, box: column }] }] : []
  const { x } = gutter
  const { top, bottom } = skipLastLine(findExtentBetweenTitles(gutter, items), x, items)
  const itemsAbove = items.filter((item) => getCenterY(item) < top)
  const itemsBelow = items.filter((item) => getCenterY(item) > bottom)
  const itemsBetween = items.filter((item) => !itemsAbove.includes(item) && !itemsBelow.includes(item))
  const leftItems = itemsBetween.filter((item) => isLeftOf(item, x))
  const rightItems = itemsBetween.filter((item) => !leftItems.includes(item))
  const sides =
    countCharacters(itemsBetween, true) > countCharacters(itemsBetween, false)
      ? [rightItems, leftItems]
      : [leftItems, rightItems]
  const innerBands = sides
    .filter((side) => side.length > 0)
    .map((side) => sortIntoReadingOrder(side, getBoundingBox(side.map(({ box }) => box))))
  // If a column is split at some height, it is no longer clear which columns belong together.
  const isPlain = innerBands.every((bands) => bands.length === 1)
  return [
    ...sortIntoReadingOrder(itemsAbove, column),
    ...(isPlain
      ? [{ columns: innerBands.flatMap((bands) => bands.flatMap(({ columns }) => columns)) }]
      : innerBands.flat()),
    ...sortIntoReadingOrder(itemsBelow, column),
  ]
}

const isLeftOf = ({ box }: PageItem, x: number) => (box[0] + box[2]) / 2 < x

const getCenterY = ({ box }: Pick<PageItem, 'box'>) => (box[1] + box[3]) / 2

/**
 * Returns the first part of the columns that is not divided by a title. A title may be too short to cross the gutter.
 */
function findExtentBetweenTitles(
  { x, top, bottom }: Gutter,
  allItems: readonly PageItem[],
): Pick<Gutter, 'top' | 'bottom'> {
  const items = allItems.filter((item) => getCenterY(item) >= top && getCenterY(item) <= bottom)
  const span = { top, bottom }
  for (const title of findColumnTitles(items, x)) {
    const isFirst = !items.some((item) => item.box[3] < title.top + 1)
    if (isFirst) span.top = title.bottom
    else return { ...span, bottom: title.top }
  }
  return span
}

/** Excludes the short last line of a paragraph above the columns, which does not cross the gutter. */
function skipLastLine<T extends Pick<Gutter, 'top'>>(extent: T, x: number, items: readonly PageItem[]): T {
  const lines = items.filter(({ characters }) => characters > 0)
  const lineAbove = lines
    .filter(({ box }) => box[0] < x && box[2] > x && getCenterY({ box }) < extent.top)
    .reduce<BoundingBox | undefined>((low, { box }) => (low && low[3] > box[3] ? low : box), undefined)
  if (!lineAbove) return extent
  const isBelow = ({ box }: PageItem) => box[1] > lineAbove[1] + getHeight(lineAbove) * 0.5
  const [lastLine, ...others] = lines.filter(isBelow).sort((a, b) => a.box[1] - b.box[1])
  if (!lastLine || Math.abs(lastLine.box[0] - lineAbove[0]) > 2 || lastLine.box[2] > lineAbove[2])
    return extent
  const height = getHeight(lineAbove)
  const gap = lastLine.box[1] - lineAbove[3]
  const gapBelow = Math.min(...others.map(({ box }) => box[1])) - lastLine.box[3]
  const isSameText = Math.abs(getHeight(lastLine.box) - height) < height * 0.1
  return isSameText && gap < height * 0.6 && gapBelow > gap + height * 0.2
    ? { ...extent, top: lastLine.box[3] }
    : extent
}

/** Finds lines in a larger font with nothing next to them, below which both columns start at the same height. */
function findColumnTitles(items: readonly PageItem[], x: number): { top: number; bottom: number }[] {
  const medianHeight = computeMedian(
    items.filter(({ characters }) => characters > 0).map(({ box }) => getHeight(box)),
  )
  const isLarge = ({ box, characters }: PageItem) => characters > 0 && getHeight(box) > medianHeight * 1.15
  const sides = [true, false].map((isLeft) => items.filter((item) => isLeftOf(item, x) === isLeft))
  return items
    .filter(isLarge)
    .sort((a, b) => a.box[1] - b.box[1])
    .flatMap(({ box }) => {
      const adjacentItems = items.filter((other) => other.box[1] < box[3] && other.box[3] > box[1])
      const itemsBelow = sides.map((side) =>
        Math.min(...side.map((other) => other.box[1]).filter((y) => y > box[3] - 1)),
      )
      const [left = 0, right = Infinity] = itemsBelow
      const isAlone =
        adjacentItems.every(isLarge) &&
        sides.some((side) => adjacentItems.every((other) => side.includes(other)))
      if (!isAlone || Math.abs(left - right) > 3) return []
      return [{ top: findTopOfTitle(items.filter(isLarge), box), bottom: Math.min(left, right) - 1 }]
    })
}

/** Returns the top of the first line of a title. */
function findTopOfTitle(largeItems: readonly PageItem[], box: BoundingBox): number {
  const itemAbove = largeItems.find(
    (other) => other.box[1] < box[1] - 1 && box[1] - other.box[3] < getHeight(box) * 0.5,
  )
  return itemAbove ? findTopOfTitle(largeItems, itemAbove.box) : box[1]
}

function countCharacters(items: readonly PageItem[], isRtl: boolean): number {
  return items.filter((item) => item.isRtl === isRtl).reduce((sum, { characters }) => sum + characters, 0)
}

/** Finds the gutter with the most text on both sides, where both sides are prose rather than table cells. */
function findBestGutter(items: readonly PageItem[], depth = 1): Gutter | undefined {
  const texts = items.filter(({ characters }) => characters > 0)
  if (texts.length < minLines * 2 || items.length > maxItems) return undefined
  const bounds = getBoundingBox(items.map(({ box }) => box))
  const [from, to] = [bounds[0] + getWidth(bounds) * 0.15, bounds[2] - getWidth(bounds) * 0.15]
  const edges = mergeCloseValues(
    texts.map(({ box }) => box[0]).filter((x) => x > from && x < to),
    2,
  )
  const countedEdges = edges
    .map((x) => ({ x, lines: texts.filter(({ box }) => Math.abs(box[0] - x) < 3).length }))
    .filter(({ lines }) => lines >= minLines)
    .sort((a, b) => b.lines - a.lines)
    .slice(0, maxCandidates)
  const gutters = countedEdges.flatMap(({ x }) => findGuttersAt(x - 1.5, items, bounds, depth))
  return gutters.sort((a, b) => b.characters - a.characters)[0]
}

/** Finds gutters at `x`, between the items that cross it. */
function findGuttersAt(x: number, items: readonly PageItem[], bounds: BoundingBox, depth: number): Gutter[] {
  const edge = findLeftColumnEdge(x, items)
  // Excludes page numbers, which may be inside the gutter and belong to neither side.
  const crossesGutter = ({ box }: PageItem) =>
    box[0] < x - 1 && (box[2] > x || (box[2] > edge && box[0] >= edge))
  const crossingItems = items.filter(crossesGutter).sort((a, b) => a.box[1] - b.box[1])
  const foundGutters: Gutter[] = []
  let top = bounds[1] - 1
  for (const bottom of [...crossingItems.map(({ box }) => box[1]), bounds[3] + 1]) {
    const itemsInside = items.filter(({ box }) => box[1] >= top - 2 && box[3] <= bottom + 2)
    const leftItems = itemsInside.filter((item) => item.box[2] <= x && !crossesGutter(item))
    const rightItems = itemsInside.filter(({ box }) => box[0] >= x - 1)
    // The text on the right may consist of further columns.
    const isRightSideText = () =>
      isProse(rightItems) ||
      (depth < maxColumns &&
        !haveAlignedRows([leftItems, rightItems]) &&
        findBestGutter(rightItems, depth + 1) !== undefined)
    const areColumns = () =>
      (isProse(leftItems) && isRightSideText()) || areIndependent(leftItems, rightItems)
    if (isSeparated(leftItems, rightItems) && areColumns()) {
      foundGutters.push({
        x,
        top,
        bottom,
        characters: itemsInside.reduce((sum, { characters }) => sum + characters, 0),
      })
    }
    top = Math.max(top, ...crossingItems.filter(({ box }) => box[1] === bottom).map(({ box }) => box[3]))
  }
  return foundGutters
}

/** Returns the right edge of the left column, ignoring a few lines that are too long for it. */
function findLeftColumnEdge(x: number, items: readonly PageItem[]): number {
  return Math.max(...items.map(({ box }) => box[2]).filter((right) => right <= x - minGap))
}

function isSeparated(left: readonly PageItem[], right: readonly PageItem[]): boolean {
  const start = Math.min(...right.map(({ box }) => box[0]))
  const overfullLines = left.filter(({ box }) => start - box[2] < minGap)
  return overfullLines.length <= left.length * maxOverfullRatio
}

/**
 * Whether two texts next to each other are unrelated, as in a résumé; in a table, their lines would be at equal
 * heights.
 */
function areIndependent(left: readonly PageItem[], right: readonly PageItem[]): boolean {
  const [fewBoxes = [], manyBoxes = []] = [left, right]
    .map((side) => side.filter(({ characters }) => characters > 0).map(({ box }) => box))
    .sort((a, b) => a.length - b.length)
  if (fewBoxes.length < minIndependentLines) return false
  const [a, b] = [getBoundingBox(fewBoxes), getBoundingBox(manyBoxes)]
  if (Math.min(a[3], b[3]) - Math.max(a[1], b[1]) < minSharedHeight) return false
  const adjacentBoxes = fewBoxes.filter((box) => manyBoxes.some((other) => Math.abs(box[3] - other[3]) < 2))
  return adjacentBoxes.length <= fewBoxes.length / 2
}

/** Whether most lines fill their column. */
function isProse(side: readonly PageItem[]): boolean {
  const lines = joinLineSegments(side.filter(({ characters }) => characters > 0))
  if (lines.length < minLines) return false
  const width = getWidth(getBoundingBox(lines.map(({ box }) => box)))
  return (
    computeMedian(lines.map(({ box }) => getWidth(box) / width)) >= 0.6 &&
    computeMedian(lines.map(getCharacterCount)) >= 14
  )
}

const getCharacterCount = ({ characters }: Pick<PageItem, 'characters'>) => characters

/** Joins the segments of lines with wide gaps after sentences, as in narrow columns. Table cells are further apart. */
function joinLineSegments(texts: readonly PageItem[]): Pick<PageItem, 'box' | 'characters'>[] {
  const lines: { box: BoundingBox; characters: number }[] = []
  for (const { box, characters } of [...texts].sort((a, b) => a.box[1] - b.box[1] || a.box[0] - b.box[0])) {
    const lastLine = lines.at(-1)
    const isSameLine = lastLine && Math.abs(lastLine.box[1] - box[1]) < 1 && isNear(lastLine.box, box)
    if (isSameLine)
      Object.assign(lastLine, {
        box: getBoundingBox([lastLine.box, box]),
        characters: lastLine.characters + characters,
      })
    else lines.push({ box, characters })
  }
  return lines
}

const isNear = (before: BoundingBox, box: BoundingBox) =>
  box[0] >= before[2] && box[0] - before[2] < getHeight(box) * maxSegmentGap
