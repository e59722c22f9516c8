import type { Readable } from 'node:stream'

/** Bytes that pass between two collections of what is young. */
const bytesPerMinorCollection = 4 * 1024 ** 2
/** Bytes of buffers that may gather among what is old before that is collected too. */
const maxUncollectedBytes = 24 * 1024 ** 2

/** Bytes of buffers that were in use after the last collection of all, in this process. */
let bufferBytesInUse = 0

/**
 * Frees the buffers of a stream as it goes on. V8 counts only the small objects that hold them, and would let some
 * hundred MiB gather before it looks. Does nothing where Node runs without `--expose-gc`.
 * @returns what is told of bytes that have passed.
 */
export function createGarbageCollector(): (bytes: number) => void {
  let bytesSinceCollection = 0
  return (bytes) => {
    bytesSinceCollection += bytes
    if (bytesSinceCollection < bytesPerMinorCollection || !globalThis.gc) return
    bytesSinceCollection = 0
    globalThis.gc({ type: 'minor', execution: 'sync' })
    // Some were on their way through two collections, and count as old since.
    if (process.memoryUsage().arrayBuffers < bufferBytesInUse + maxUncollectedBytes) return
    globalThis.gc({ type: 'major', execution: 'sync' })
    bufferBytesInUse = process.memoryUsage().arrayBuffers
  }
}

/** Tells of pieces as they are read. */
export function tapStream(body: Readable, onChunk: (chunk: Buffer) => void): Readable {
  body.on('data', onChunk)
  // It flows when it is read, not because somebody watches.
  return body.pause()
}
