import { type BoundingBox, getHeight } from './geometry.ts'

interface BoxedItem {
  readonly box: BoundingBox
}

/**
 * Whether columns are really the rows of a table: table cells start at equal heights, row by row; paragraphs in columns
 * do so only by chance.
 */
export function haveAlignedRows(columns: readonly (readonly BoxedItem[])[]): boolean {
  const tops = columns.map(findBlockTops)
  const [fewestTops = []] = tops.toSorted((a, b) => a.length - b.length)
  const sharedTops = fewestTops.filter((y) =>
    tops.every((other) => other.some((top) => Math.abs(top - y) < 2)),
  )
  return sharedTops.length >= 2 && sharedTops.length >= fewestTops.length * 0.6
}

/** Returns the top of each block after the first one. Blocks are separated by larger gaps than lines. */
function findBlockTops(items: readonly BoxedItem[]): number[] {
  const sortedItems = [...items].sort((a, b) => a.box[1] - b.box[1])
  return sortedItems.flatMap(({ box }, index) => {
    const previousItem = sortedItems[index - 1]
    return previousItem && box[1] - previousItem.box[3] > Math.min(12, getHeight(box)) * 0.4 ? [box[1]] : []
  })
}
