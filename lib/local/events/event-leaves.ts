// An event as EventBridge's rules see it: paths joined by dots, with a value at each end.
import type { Condition } from './pattern.ts'

export type Leaf = string | number | boolean | null

/** Which element of which array a leaf was found in: two fields of one pattern must agree on it. */
interface Element {
  readonly array: readonly unknown[]
  readonly index: number
  readonly outer: Element | undefined
}

interface Found {
  readonly value: Leaf
  readonly element: Element | undefined
}

export type Leaves = ReadonlyMap<string, readonly Found[]>

/** "PutEvents will only process nested JSON up to 1000 levels deep." */
const maxDepth = 1000

/** Undefined when the event is nested deeper than EventBridge reads. */
export function leavesOf(event: unknown): Leaves | undefined {
  const leaves = new Map<string, Found[]>()
  const waiting = [{ value: event, path: '', element: undefined as Element | undefined, depth: 0 }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, path, element } = next
    const depth = next.depth + 1
    if (depth > maxDepth) return undefined
    if (Array.isArray(value)) {
      value.forEach((one: unknown, index) => {
        waiting.push({ value: one, path, element: { array: value, index, outer: element }, depth })
      })
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, one] of Object.entries(value))
        waiting.push({ value: one, path: path === '' ? key : `${path}.${key}`, element, depth })
    } else {
      // JSON.parse gives nothing but these and the two handled above.
      const leaf = { value: value as Leaf, element }
      const found = leaves.get(path)
      if (found) found.push(leaf)
      else leaves.set(path, [leaf])
    }
  }
  return leaves
}

/** An event with huge arrays could make the search for a consistent choice cubic: it ends here. */
const maxSteps = 2_000_000

/** Thrown when an event and a pattern are together too large to be compared. */
export class TooComplex extends Error {}

type Choice = ReadonlyMap<readonly unknown[], number>

/** Whether an event satisfies a pattern, with all fields that lie in one array taken from the same element. */
export function matchesPattern(conditions: readonly Condition[], leaves: Leaves): boolean {
  let steps = 0

  function holds(rest: readonly Condition[], choice: Choice): boolean {
    const [condition, ...others] = rest
    if (!condition) return true
    if ('either' in condition)
      return condition.either.some((alternative) => holds([...alternative, ...others], choice))
    const found = leaves.get(condition.path)
    if (!found) return condition.test(undefined) && holds(others, choice)
    return found.some(({ value, element }) => {
      if (++steps > maxSteps) throw new TooComplex('The event is too large for this rule.')
      const next = condition.test(value) && choose(element, choice)
      return next && holds(others, next)
    })
  }

  return holds(conditions, new Map())
}

/** The choice with this element added, or undefined when another element of the same array is taken. */
function choose(element: Element | undefined, choice: Choice): Choice | undefined {
  if (!element) return choice
  const next = new Map(choice)
  for (let one: Element | undefined = element; one; one = one.outer) {
    const taken = next.get(one.array)
    if (taken !== undefined && taken !== one.index) return undefined
    next.set(one.array, one.index)
  }
  return next
}
