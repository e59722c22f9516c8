import { type BoundingBox, getBoundingBox, getHeight, getWidth } from './geometry.ts'
import type { TextLine } from './lines.ts'
import type { Vector } from './page-content.ts'

/** Maximum thickness of a rule in points. */
const maxThickness = 2.5
const minLength = 40
const tolerance = 2
/** More rules than this form a drawing, and comparing all of them would take too long. */
const maxRules = 4000

/**
 * Finds areas between horizontal rules of equal width, the usual table style in books: rules above and below the table
 * and below its header.
 */
export function findRuledRegions(vectors: readonly Vector[]): BoundingBox[] {
  const rules = vectors.filter(({ box }) => getHeight(box) < maxThickness && getWidth(box) > minLength)
  if (rules.length > maxRules) return []
  const groups: BoundingBox[][] = []
  for (const { box } of rules) {
    const group = groups.find(
      ([first]) =>
        first && Math.abs(first[0] - box[0]) < tolerance && Math.abs(first[2] - box[2]) < tolerance,
    )
    if (group) group.push(box)
    else groups.push([box])
  }
  return groups.filter((group) => group.length > 1).map(getBoundingBox)
}

export const isInRuledRegion = ({ box, baseline }: TextLine, regions: readonly BoundingBox[]): boolean =>
  regions.some(
    (region) =>
      baseline > region[1] &&
      baseline < region[3] &&
      box[0] > region[0] - tolerance &&
      box[2] < region[2] + tolerance,
  )
