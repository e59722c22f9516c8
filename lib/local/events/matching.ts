// Holds an event against a pattern.
import type { Element, Leaves } from './event-leaves.ts'
import type { Condition } from './pattern.ts'

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
