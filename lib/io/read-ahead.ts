import type { FileHandle } from 'node:fs/promises'
import { minPooledReadBytes, pooledBufferBytes, readIntoPooledBuffer } from './buffer-pool.ts'

/** Chunks that are read ahead while the consumer processes one. */
const maxReadsAhead = 3

/** Yields bytes `start` to `end` (exclusive) of a file, using `read` for each chunk. */
export async function* readAhead(
  start: number,
  end: number,
  read: (at: number, bytes: number) => Promise<Buffer>,
): AsyncGenerator<Buffer> {
  const ahead: Promise<Buffer>[] = []
  // All chunks but the first are aligned, as reads that bypass the page cache require.
  const chunkSizeAt = (at: number) => Math.min(pooledBufferBytes - (at % pooledBufferBytes), end - at)
  for (let at = start; at < end || ahead.length > 0; ) {
    for (; at < end && ahead.length < maxReadsAhead; at += chunkSizeAt(at)) {
      const chunk = read(at, chunkSizeAt(at))
      // The consumer gets the error when it reaches this chunk, or has stopped reading.
      chunk.catch(() => {})
      ahead.push(chunk)
    }
    const chunk = await ahead.shift()
    if (chunk) yield chunk
  }
}

/** Reads exactly this range; the caller may release the bytes afterwards. @throws if the file ends earlier. */
export async function readFully(file: FileHandle, at: number, bytes: number): Promise<Buffer> {
  const fill = async (into: Uint8Array) => {
    for (let bytesSoFar = 0; bytesSoFar < bytes; ) {
      const { bytesRead } = await file.read(into, bytesSoFar, bytes - bytesSoFar, at + bytesSoFar)
      if (bytesRead === 0) throw new Error('a file of the bucket is shorter than expected')
      bytesSoFar += bytesRead
    }
    return { bytesRead: bytes }
  }
  if (bytes >= minPooledReadBytes) return readIntoPooledBuffer(fill)
  const smallBuffer = Buffer.allocUnsafe(bytes)
  await fill(smallBuffer)
  return smallBuffer
}
