// Flattens an event to compare it with EventBridge's patterns: returns each leaf value with its path, joined with dots.

export type Leaf = string | number | boolean | null

/** The array element that contains a leaf: all fields of a pattern must match in the same element. */
export interface ArrayElement {
  readonly array: readonly unknown[]
  readonly index: number
  readonly outerElement: ArrayElement | undefined
}

interface FoundLeaf {
  readonly value: Leaf
  readonly element: ArrayElement | undefined
}

export type Leaves = ReadonlyMap<string, readonly FoundLeaf[]>

interface PendingValue {
  readonly value: unknown
  readonly path: string
  readonly element: ArrayElement | undefined
  readonly depth: number
}

/** AWS: "PutEvents will only process nested JSON up to 1000 levels deep." */
const maxDepth = 1000

/** Returns the leaves of an event; undefined if it is nested more deeply than EventBridge reads. */
export function flattenEvent(event: unknown): Leaves | undefined {
  const leaves = new Map<string, FoundLeaf[]>()
  const pendingValues: PendingValue[] = [{ value: event, path: '', element: undefined, depth: 0 }]
  for (let nextValue = pendingValues.pop(); nextValue; nextValue = pendingValues.pop()) {
    const { value, path, element } = nextValue
    const depth = nextValue.depth + 1
    if (depth > maxDepth) return undefined
    if (Array.isArray(value)) {
      value.forEach((item: unknown, index) => {
        pendingValues.push({
          value: item,
          path,
          element: { array: value, index, outerElement: element },
          depth,
        })
      })
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, one] of Object.entries(value))
        pendingValues.push({ value: one, path: path === '' ? key : `${path}.${key}`, element, depth })
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
