import type { FileHandle } from 'node:fs/promises'
import { minPooledReadBytes, pooledBufferBytes, readIntoPooledBuffer } from './buffer-pool.ts'

/** While somebody has a piece, so many of those behind it are read. */
const maxReadsAhead = 3

/** Bytes `start` to `end` (exclusive) of a file, by what reads so many from there on. */
export async function* readAhead(
  start: number,
  end: number,
  read: (at: number, bytes: number) => Promise<Buffer>,
): AsyncGenerator<Buffer> {
  const ahead: Promise<Buffer>[] = []
  // At even places all but the first, as reads past the page cache want them.
  const chunkBytesAt = (at: number) => Math.min(pooledBufferBytes - (at % pooledBufferBytes), end - at)
  for (let at = start; at < end || ahead.length > 0; ) {
    for (; at < end && ahead.length < maxReadsAhead; at += chunkBytesAt(at)) {
      const chunk = read(at, chunkBytesAt(at))
      // Whoever reads hears of it in its turn, or has gone.
      chunk.catch(() => {})
      ahead.push(chunk)
    }
    const chunk = await ahead.shift()
    if (chunk) yield chunk
  }
}

/** All of these bytes; whoever is done with them may give them back. @throws for a file that ends before them. */
export async function readFully(file: FileHandle, at: number, bytes: number): Promise<Buffer> {
  const fill = async (into: Uint8Array) => {
    for (let bytesSoFar = 0; bytesSoFar < bytes; ) {
      const { bytesRead } = await file.read(into, bytesSoFar, bytes - bytesSoFar, at + bytesSoFar)
      if (bytesRead === 0) throw new Error('a file of the bucket is shorter than it was')
      bytesSoFar += bytesRead
    }
    return { bytesRead: bytes }
  }
  if (bytes >= minPooledReadBytes) return readIntoPooledBuffer(fill)
  const small = Buffer.allocUnsafe(bytes)
  await fill(small)
  return small
}
