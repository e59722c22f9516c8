/** Bytes that pass between two collections. */
const everyBytes = 4 * 1024 ** 2

/**
 * Frees the buffers of a stream as it goes on. V8 counts only the small objects that hold them, and would let some
 * hundred MiB gather before it looks. Does nothing where Node runs without `--expose-gc`.
 * @returns what is told of bytes that have passed.
 */
export function freeingSpent(): (bytes: number) => void {
  let passed = 0
  return (bytes) => {
    passed += bytes
    if (passed < everyBytes) return
    passed = 0
    globalThis.gc?.({ type: 'minor', execution: 'sync' })
  }
}
