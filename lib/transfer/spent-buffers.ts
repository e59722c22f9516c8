/** Bytes that pass between two collections. */
const everyBytes = 4 * 1024 ** 2
/** Bytes after which a transfer is a large one. */
const largeBytes = 16 * 1024 ** 2

/** What the start of the process left is cleared away once, and not for small files: it takes a tenth of a second. */
let isCleared = false

/**
 * Frees the buffers of a stream as it goes on. V8 counts only the small objects that hold them, and would let some
 * hundred MiB gather before it looks. Does nothing where Node runs without `--expose-gc`.
 * @returns what is told of bytes that have passed.
 */
export function freeingSpent(): (bytes: number) => void {
  let passed = 0
  let sinceLast = 0
  return (bytes) => {
    passed += bytes
    sinceLast += bytes
    if (sinceLast < everyBytes) return
    sinceLast = 0
    if (passed >= largeBytes && !isCleared) {
      isCleared = true
      globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    } else globalThis.gc?.({ type: 'minor', execution: 'sync' })
  }
}
