/** Left, top, right, bottom in points; y increases downward. */
export type BoundingBox = readonly [left: number, top: number, right: number, bottom: number]

export interface Interval {
  readonly from: number
  readonly to: number
}

export const getWidth = (box: BoundingBox) => box[2] - box[0]
export const getHeight = (box: BoundingBox) => box[3] - box[1]
export const getArea = (box: BoundingBox) => Math.max(0, getWidth(box)) * Math.max(0, getHeight(box))

/** Returns the smallest box around all boxes, of which there must be at least one. */
export function getBoundingBox(boxes: readonly BoundingBox[]): BoundingBox {
  return boxes.reduce((bounds, box) => [
    Math.min(bounds[0], box[0]),
    Math.min(bounds[1], box[1]),
    Math.max(bounds[2], box[2]),
    Math.max(bounds[3], box[3]),
  ])
}

export function computeOverlapArea(a: BoundingBox, b: BoundingBox): number {
  const width = Math.min(a[2], b[2]) - Math.max(a[0], b[0])
  const height = Math.min(a[3], b[3]) - Math.max(a[1], b[1])
  return width > 0 && height > 0 ? width * height : 0
}

export function isCenterInside(box: BoundingBox, outerBox: BoundingBox, tolerance = 0): boolean {
  const [x, y] = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2]
  return (
    x >= outerBox[0] - tolerance &&
    x <= outerBox[2] + tolerance &&
    y >= outerBox[1] - tolerance &&
    y <= outerBox[3] + tolerance
  )
}

export function areTouching(a: BoundingBox, b: BoundingBox, tolerance: number): boolean {
  return (
    a[0] <= b[2] + tolerance &&
    b[0] <= a[2] + tolerance &&
    a[1] <= b[3] + tolerance &&
    b[1] <= a[3] + tolerance
  )
}

interface Group<T> {
  box: BoundingBox
  readonly members: T[]
}

/**
 * Maximum number of box comparisons. After that, the remaining items of a page count as one group. Real pages need a
 * hundredth of this number.
 */
const maxComparisons = 20_000_000

/** Groups items whose boxes touch, directly or through others. */
export function clusterTouching<T extends { readonly box: BoundingBox }>(
  items: readonly T[],
  tolerance: number,
): T[][] {
  const groups: Group<T>[] = []
  let comparisons = 0
  const isNear = (item: T) => (other: { readonly box: BoundingBox }) => {
    comparisons++
    return areTouching(item.box, other.box, tolerance)
  }
  for (const item of items) {
    if (comparisons > maxComparisons) return [[...items]]
    const isNearItem = isNear(item)
    const nearGroups = groups.filter((group) => isNearItem(group) && group.members.some(isNearItem))
    const [firstGroup, ...rest] = nearGroups
    if (!firstGroup) {
      groups.push({ box: item.box, members: [item] })
      continue
    }
    firstGroup.members.push(item, ...rest.flatMap(({ members }) => members))
    firstGroup.box = getBoundingBox([firstGroup.box, item.box, ...rest.map(({ box }) => box)])
    for (const group of rest) groups.splice(groups.indexOf(group), 1)
  }
  return groups.map(({ members }) => members)
}

/** Merges values closer than `tolerance` into their mean; returns them sorted. */
export function mergeCloseValues(values: readonly number[], tolerance: number): number[] {
  const groups: number[][] = []
  for (const value of [...values].sort((a, b) => a - b)) {
    const lastGroup = groups.at(-1)
    if (lastGroup && value - (lastGroup.at(-1) ?? value) <= tolerance) lastGroup.push(value)
    else groups.push([value])
  }
  return groups.map((group) => group.reduce((sum, value) => sum + value, 0) / group.length)
}

export function computeMedian(values: readonly number[]): number {
  const sortedValues = [...values].sort((a, b) => a - b)
  return sortedValues[Math.floor(sortedValues.length / 2)] ?? 0
}

/** Returns what remains of `freeIntervals` without `subtractedIntervals`. */
export function subtractIntervals(
  freeIntervals: readonly Interval[],
  subtractedIntervals: readonly Interval[],
): Interval[] {
  let remainingIntervals = [...freeIntervals]
  for (const { from, to } of subtractedIntervals) {
    remainingIntervals = remainingIntervals.flatMap((gap) => {
      if (to <= gap.from || from >= gap.to) return [gap]
      return [
        { from: gap.from, to: from },
        { from: to, to: gap.to },
      ].filter((range) => range.to - range.from > 0.01)
    })
  }
  return remainingIntervals
}
