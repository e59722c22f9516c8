// Matches an event against a pattern.
import type { ArrayElement, Leaves } from './flatten-event.ts'
import type { PatternCondition } from './pattern.ts'

/** Limits the search for matching array elements, which huge arrays could make cubic. */
const maxSteps = 2_000_000

/** Thrown if comparing an event with a pattern would take too many steps. */
export class TooComplex extends Error {}

type Choice = ReadonlyMap<readonly unknown[], number>
type LeafCondition = Exclude<PatternCondition, { readonly either: unknown }>

/**
 * Returns true if an event matches a pattern, with all fields of one array taken from the same element.
 *
 * A field counts as missing if no element that is still possible has it, so the order of the fields matters. As in
 * AWS's event-ruler, they are checked in the order of their names.
 */
export function matchesPattern(conditions: readonly PatternCondition[], leaves: Leaves): boolean {
  let steps = 0
  const count = (additionalCount: number) => {
    steps += additionalCount
    if (steps > maxSteps) throw new TooComplex('The event is too large for this rule.')
  }

  function conditionsHold(remainingConditions: readonly LeafCondition[], choice: Choice): boolean {
    const [condition, ...otherConditions] = remainingConditions
    if (!condition) return true
    const foundLeaves = leaves.get(condition.path) ?? []
    if (condition.test(undefined)) {
      count(foundLeaves.length)
      const exists = foundLeaves.some(({ element }) => chooseElement(element, choice))
      if (!exists && conditionsHold(otherConditions, choice)) return true
    }
    return foundLeaves.some(({ value, element }) => {
      count(1)
      const nextChoice = condition.test(value) && chooseElement(element, choice)
      return nextChoice && conditionsHold(otherConditions, nextChoice)
    })
  }

  for (const branch of listBranches(conditions))
    if (conditionsHold(branch.sort(compareByPath), new Map())) return true
  return false
}

/** Expands `$or`: returns one list of conditions for each combination of alternatives. */
function* listBranches(conditions: readonly PatternCondition[]): Generator<LeafCondition[]> {
  const at = conditions.findIndex((condition) => 'either' in condition)
  const foundCondition = conditions[at]
  if (!foundCondition || !('either' in foundCondition)) {
    yield conditions.filter((condition): condition is LeafCondition => !('either' in condition))
    return
  }
  const otherConditions = conditions.toSpliced(at, 1)
  for (const alternative of foundCondition.either) yield* listBranches([...alternative, ...otherConditions])
}

const compareByPath = (a: LeafCondition, b: LeafCondition) => (a.path < b.path ? -1 : 1)

/** Returns the choice with this element added; undefined if another element of the same array was chosen before. */
function chooseElement(element: ArrayElement | undefined, choice: Choice): Choice | undefined {
  if (!element) return choice
  const nextChoice = new Map(choice)
  for (let ancestor: ArrayElement | undefined = element; ancestor; ancestor = ancestor.outerElement) {
    const chosenIndex = nextChoice.get(ancestor.array)
    if (chosenIndex !== undefined && chosenIndex !== ancestor.index) return undefined
    nextChoice.set(ancestor.array, ancestor.index)
  }
  return nextChoice
}
