import { AppError } from '../../errors.ts'

/** librsvg's limit for repeated shapes; a browser would draw more of them for hours. */
const maxShapes = 500_000
/** Maximum nesting of groups; real drawings are a few dozen levels deep. */
const maxDepth = 1000

/** An element with an id, which is drawn again by every `use` that references it. */
interface SvgGroup {
  shapeCount: number
  readonly children: (SvgGroup | string)[]
}

/**
 * The lookahead requires the whole tag name; without it, a tag name of a megabyte would cause quadratic backtracking.
 */
const tagPattern = /<(\/?)(?:[\w.-]+:)?([\w.-]+)(?=[\s/>])([^<>]*?)(\/?)>/g
const idPattern = /\sid\s*=\s*["']([^"']+)["']/
const hrefPattern = /href\s*=\s*["']#([^"']+)["']/

/**
 * Rejects drawings whose nested `use` elements multiply to a huge number of shapes.
 * @param svg decoded as Latin-1, one character per byte.
 * @throws AppError FILE_TOO_LARGE.
 */
export function requireLimitedRepetition(svg: string): void {
  if (!/<(?:[\w.-]+:)?use\b/.test(svg) || countShapes(svg) <= maxShapes) return
  const sentence = `With its repeated elements (use), the drawing has more than ${maxShapes} shapes, the maximum. Save it with fewer repetitions.`
  throw new AppError('FILE_TOO_LARGE', sentence, { field: 'file', mostShapes: maxShapes })
}

function countShapes(svg: string): number {
  const root: SvgGroup = { shapeCount: 0, children: [] }
  const groupsById = new Map<string, SvgGroup>()
  const openGroups = [root]
  for (const [, closingSlash, element, attributes = '', selfClosingSlash] of svg.matchAll(tagPattern)) {
    if (closingSlash) {
      if (openGroups.length > 1) openGroups.pop()
      continue
    }
    const parent = openGroups.at(-1) ?? root
    const id = idPattern.exec(attributes)?.[1]
    const group = id === undefined ? parent : { shapeCount: 0, children: [] }
    if (id !== undefined) {
      groupsById.set(id, group)
      parent.children.push(group)
    }
    group.shapeCount++
    const referencedId = element === 'use' ? hrefPattern.exec(attributes)?.[1] : undefined
    if (referencedId !== undefined) group.children.push(referencedId)
    if (!selfClosingSlash) openGroups.push(group)
  }
  const countsByGroup = new Map<SvgGroup, number>()
  const count = (group: SvgGroup, depth: number): number => {
    const knownCount = countsByGroup.get(group)
    if (knownCount !== undefined) return knownCount
    if (depth > maxDepth) return Number.POSITIVE_INFINITY
    // A group that references itself is not drawn inside itself, so it counts as empty meanwhile.
    countsByGroup.set(group, 0)
    let shapeCount = group.shapeCount
    for (const child of group.children) {
      const groupToCount = typeof child === 'string' ? groupsById.get(child) : child
      if (groupToCount) shapeCount += count(groupToCount, depth + 1)
    }
    countsByGroup.set(group, shapeCount)
    return shapeCount
  }
  return count(root, 0)
}
