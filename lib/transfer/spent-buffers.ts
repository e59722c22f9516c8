import type { Readable } from 'node:stream'

/** Bytes that pass between two collections of what is young, and of all: that takes a tenth of a second. */
const everyBytes = 4 * 1024 ** 2
const everyBytesOfAll = 256 * 1024 ** 2
/** Resident bytes of the process above which all is collected. */
const mostBytes = 140 * 1024 ** 2

/** Of all transfers of this process. What its start left is worth a collection. */
let sinceAll = everyBytesOfAll

/**
 * Frees the buffers of a stream as it goes on. V8 counts only the small objects that hold them, and would let some
 * hundred MiB gather before it looks. Does nothing where Node runs without `--expose-gc`.
 * @returns what is told of bytes that have passed.
 */
export function freeingSpent(): (bytes: number) => void {
  let passed = 0
  return (bytes) => {
    passed += bytes
    sinceAll += bytes
    if (passed < everyBytes || !globalThis.gc) return
    passed = 0
    if (sinceAll >= everyBytesOfAll && process.memoryUsage.rss() > mostBytes) {
      sinceAll = 0
      // The other kinds keep the pages of what they free.
      globalThis.gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    } else globalThis.gc({ type: 'minor', execution: 'sync' })
  }
}

/** Tells of bytes as they are read. */
export function counting(body: Readable, tell: (bytes: number) => void): Readable {
  body.on('data', (chunk: Buffer) => tell(chunk.length))
  // It flows when it is read, not because somebody counts.
  return body.pause()
}
