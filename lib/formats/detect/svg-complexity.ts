import { AppError } from '../../errors.ts'

/** As many as librsvg draws of what a drawing repeats; browsers go on for hours. */
const mostShapes = 500_000
/** Parts within each other; those of drawings are a few dozen deep. */
const maxDepth = 1000

/** What stands under a name, and is drawn wherever a `use` asks for it. */
interface SvgGroup {
  shapes: number
  readonly children: (SvgGroup | string)[]
}

/** The name ends where it ends, or one of a megabyte would be looked through from each of its letters. */
const tagPattern = /<(\/?)(?:[\w.-]+:)?([\w.-]+)(?=[\s/>])([^<>]*?)(\/?)>/g
const idPattern = /\sid\s*=\s*["']([^"']+)["']/
const hrefPattern = /href\s*=\s*["']#([^"']+)["']/

/**
 * A drawing of a few lines may name parts of itself that name others, ten times each.
 * @param svg each byte a character.
 * @throws AppError FILE_TOO_LARGE.
 */
export function requireLimitedRepetition(svg: string): void {
  if (!/<(?:[\w.-]+:)?use\b/.test(svg) || countShapes(svg) <= mostShapes) return
  const sentence = `The drawing repeats parts of itself (use) until they are more than ${mostShapes} shapes, which is the most that is drawn. Save it with fewer repetitions.`
  throw new AppError('FILE_TOO_LARGE', sentence, { field: 'file', mostShapes })
}

function countShapes(svg: string): number {
  const root: SvgGroup = { shapes: 0, children: [] }
  const groupsById = new Map<string, SvgGroup>()
  const open = [root]
  for (const [, closes, element, attributes = '', isEmpty] of svg.matchAll(tagPattern)) {
    if (closes) {
      if (open.length > 1) open.pop()
      continue
    }
    const parent = open.at(-1) ?? root
    const id = idPattern.exec(attributes)?.[1]
    const group = id === undefined ? parent : { shapes: 0, children: [] }
    if (id !== undefined) {
      groupsById.set(id, group)
      parent.children.push(group)
    }
    group.shapes++
    const used = element === 'use' ? hrefPattern.exec(attributes)?.[1] : undefined
    if (used !== undefined) group.children.push(used)
    if (!isEmpty) open.push(group)
  }
  const counts = new Map<SvgGroup, number>()
  const count = (group: SvgGroup, depth: number): number => {
    const known = counts.get(group)
    if (known !== undefined) return known
    if (depth > maxDepth) return Number.POSITIVE_INFINITY
    // A part that names itself is not drawn within itself.
    counts.set(group, 0)
    let shapes = group.shapes
    for (const one of group.children) {
      const found = typeof one === 'string' ? groupsById.get(one) : one
      if (found) shapes += count(found, depth + 1)
    }
    counts.set(group, shapes)
    return shapes
  }
  return count(root, 0)
}
