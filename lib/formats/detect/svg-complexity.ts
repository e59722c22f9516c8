import { AppError } from '../../errors.ts'

/** As many as librsvg draws of what a drawing repeats; browsers go on for hours. */
const mostShapes = 500_000
/** Parts within each other; those of drawings are a few dozen deep. */
const mostDepth = 1000

/** What stands under a name, and is drawn wherever a `use` asks for it. */
interface Part {
  shapes: number
  readonly inside: (Part | string)[]
}

/** The name ends where it ends, or one of a megabyte would be looked through from each of its letters. */
const mark = /<(\/?)(?:[\w.-]+:)?([\w.-]+)(?=[\s/>])([^<>]*?)(\/?)>/g
const name = /\sid\s*=\s*["']([^"']+)["']/
const reference = /href\s*=\s*["']#([^"']+)["']/

/**
 * A drawing of a few lines may name parts of itself that name others, ten times each.
 * @param svg each byte a character.
 * @throws AppError FILE_TOO_LARGE.
 */
export function requireDrawable(svg: string): void {
  if (!/<(?:[\w.-]+:)?use\b/.test(svg) || shapesIn(svg) <= mostShapes) return
  const sentence = `The drawing repeats parts of itself (use) until they are more than ${mostShapes} shapes, which is the most that is drawn. Save it with fewer repetitions.`
  throw new AppError('FILE_TOO_LARGE', sentence, { field: 'file', mostShapes })
}

function shapesIn(svg: string): number {
  const whole: Part = { shapes: 0, inside: [] }
  const named = new Map<string, Part>()
  const open = [whole]
  for (const [, closes, element, attributes = '', isEmpty] of svg.matchAll(mark)) {
    if (closes) {
      if (open.length > 1) open.pop()
      continue
    }
    const around = open.at(-1) ?? whole
    const id = name.exec(attributes)?.[1]
    const part = id === undefined ? around : { shapes: 0, inside: [] }
    if (id !== undefined) {
      named.set(id, part)
      around.inside.push(part)
    }
    part.shapes++
    const used = element === 'use' ? reference.exec(attributes)?.[1] : undefined
    if (used !== undefined) part.inside.push(used)
    if (!isEmpty) open.push(part)
  }
  const counted = new Map<Part, number>()
  const count = (part: Part, depth: number): number => {
    const known = counted.get(part)
    if (known !== undefined) return known
    if (depth > mostDepth) return Number.POSITIVE_INFINITY
    // A part that names itself is not drawn within itself.
    counted.set(part, 0)
    let shapes = part.shapes
    for (const one of part.inside) {
      const found = typeof one === 'string' ? named.get(one) : one
      if (found) shapes += count(found, depth + 1)
    }
    counted.set(part, shapes)
    return shapes
  }
  return count(whole, 0)
}
