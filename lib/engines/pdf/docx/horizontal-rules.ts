import { around, type Box, heightOf, widthOf } from './geometry.ts'
import type { Line } from './lines.ts'
import type { Vector } from './page-content.ts'

/** Points. */
const thickest = 2.5
const shortest = 40
const slack = 2

/**
 * Where lines of one width stand above each other, as books draw their tables: above and below it, and below its heads.
 */
export function ruledRegions(vectors: readonly Vector[]): Box[] {
  const rules = vectors.filter(({ box }) => heightOf(box) < thickest && widthOf(box) > shortest)
  const groups: Box[][] = []
  for (const { box } of rules) {
    const group = groups.find(
      ([first]) => first && Math.abs(first[0] - box[0]) < slack && Math.abs(first[2] - box[2]) < slack,
    )
    if (group) group.push(box)
    else groups.push([box])
  }
  return groups.filter((group) => group.length > 1).map(around)
}

export const isWithin = ({ box, base }: Line, regions: readonly Box[]): boolean =>
  regions.some(
    (region) =>
      base > region[1] && base < region[3] && box[0] > region[0] - slack && box[2] < region[2] + slack,
  )
