import type { Readable } from 'node:stream'

/** Number of bytes between two minor garbage collections. */
const bytesPerMinorCollection = 4 * 1024 ** 2
/** Growth of buffer memory, in bytes, after which a major collection runs as well. */
const majorCollectionThresholdBytes = 24 * 1024 ** 2

/** Bytes of buffers that were in use after the last major collection of this process. */
let bufferBytesInUse = 0

/**
 * Frees the buffers of a stream while it runs. V8 only counts the small objects that refer to them, so it would let
 * some hundred MiB accumulate before collecting. Does nothing if Node runs without `--expose-gc`.
 * @returns a function to call with the number of bytes processed.
 */
export function createGarbageCollector(): (bytes: number) => void {
  let bytesSinceCollection = 0
  return (bytes) => {
    bytesSinceCollection += bytes
    if (bytesSinceCollection < bytesPerMinorCollection || !globalThis.gc) return
    bytesSinceCollection = 0
    globalThis.gc({ type: 'minor', execution: 'sync' })
    // Buffers that survived two minor collections are in the old generation, which only a major collection frees.
    if (process.memoryUsage().arrayBuffers < bufferBytesInUse + majorCollectionThresholdBytes) return
    globalThis.gc({ type: 'major', execution: 'sync' })
    bufferBytesInUse = process.memoryUsage().arrayBuffers
  }
}

/** Calls `onChunk` with each chunk as it is read. */
export function tapStream(body: Readable, onChunk: (chunk: Buffer) => void): Readable {
  body.on('data', onChunk)
  // The stream is paused again, because a `data` listener starts it before the reader does.
  return body.pause()
}
