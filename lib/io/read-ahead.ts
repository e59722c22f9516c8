import type { FileHandle } from 'node:fs/promises'
import { minPooledReadBytes, pooledBufferBytes, readIntoPooledBuffer } from './buffer-pool.ts'

/** Number of chunks that are read ahead while the consumer processes one. */
const maxReadsAhead = 3

/** Yields the bytes from `start` to `end` (exclusive) of a file, using `read` for each chunk. */
export async function* readAhead(
  start: number,
  end: number,
  read: (at: number, bytes: number) => Promise<Buffer>,
): AsyncGenerator<Buffer> {
  const pendingChunks: Promise<Buffer>[] = []
  // All chunks but the first are aligned, as reads that bypass the page cache require.
  const getChunkSize = (at: number) => Math.min(pooledBufferBytes - (at % pooledBufferBytes), end - at)
  for (let at = start; at < end || pendingChunks.length > 0; ) {
    for (; at < end && pendingChunks.length < maxReadsAhead; at += getChunkSize(at)) {
      const chunk = read(at, getChunkSize(at))
      // The consumer gets the error when it reaches this chunk, unless it has stopped reading.
      chunk.catch(() => {})
      pendingChunks.push(chunk)
    }
    const chunk = await pendingChunks.shift()
    if (chunk) yield chunk
  }
}

/** Reads exactly this range; the caller may release the bytes afterwards. @throws if the file ends earlier. */
export async function readFully(file: FileHandle, at: number, bytes: number): Promise<Buffer> {
  const fillBuffer = async (buffer: Uint8Array) => {
    for (let bytesSoFar = 0; bytesSoFar < bytes; ) {
      const { bytesRead } = await file.read(buffer, bytesSoFar, bytes - bytesSoFar, at + bytesSoFar)
      if (bytesRead === 0) throw new Error('a file of the bucket is shorter than expected')
      bytesSoFar += bytesRead
    }
    return { bytesRead: bytes }
  }
  if (bytes >= minPooledReadBytes) return readIntoPooledBuffer(fillBuffer)
  const smallBuffer = Buffer.allocUnsafe(bytes)
  await fillBuffer(smallBuffer)
  return smallBuffer
}
