// Flattens an event for EventBridge's rules: paths joined with dots, and the values at their ends.

export type Leaf = string | number | boolean | null

/** The array element that contains a leaf: all fields of a pattern must match in the same element. */
export interface ArrayElement {
  readonly array: readonly unknown[]
  readonly index: number
  readonly outerElement: ArrayElement | undefined
}

interface Found {
  readonly value: Leaf
  readonly element: ArrayElement | undefined
}

export type Leaves = ReadonlyMap<string, readonly Found[]>

interface Waiting {
  readonly value: unknown
  readonly path: string
  readonly element: ArrayElement | undefined
  readonly depth: number
}

/** "PutEvents will only process nested JSON up to 1000 levels deep." */
const maxDepth = 1000

/** Returns undefined when the event is nested deeper than EventBridge reads. */
export function flattenEvent(event: unknown): Leaves | undefined {
  const leaves = new Map<string, Found[]>()
  const waitingValues: Waiting[] = [{ value: event, path: '', element: undefined, depth: 0 }]
  for (let nextValue = waitingValues.pop(); nextValue; nextValue = waitingValues.pop()) {
    const { value, path, element } = nextValue
    const depth = nextValue.depth + 1
    if (depth > maxDepth) return undefined
    if (Array.isArray(value)) {
      value.forEach((one: unknown, index) => {
        waitingValues.push({
          value: one,
          path,
          element: { array: value, index, outerElement: element },
          depth,
        })
      })
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, one] of Object.entries(value))
        waitingValues.push({ value: one, path: path === '' ? key : `${path}.${key}`, element, depth })
    } else {
      // JSON.parse returns only leaf types, arrays and objects, and the latter two are handled above.
      const leaf = { value: value as Leaf, element }
      const foundLeaves = leaves.get(path)
      if (foundLeaves) foundLeaves.push(leaf)
      else leaves.set(path, [leaf])
    }
  }
  return leaves
}
