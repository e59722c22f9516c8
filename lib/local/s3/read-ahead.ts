import { type FileHandle, open } from 'node:fs/promises'
import { takeBuffer } from './read-buffers.ts'

/** Bytes `start` to `end` (exclusive) of a file, the next ones of which are read while somebody has these. */
export async function* readAhead(path: string, start: number, end: number): AsyncGenerator<Buffer> {
  const file = await open(path)
  let next: Promise<Buffer> | undefined
  try {
    next = readPiece(file, start, end)
    for (let at = start; at < end; ) {
      const piece = await next
      at += piece.length
      next = readPiece(file, at, end)
      // It is thrown when it is awaited, if somebody goes on.
      next.catch(() => {})
      yield piece
    }
  } finally {
    await Promise.allSettled([next])
    await file.close()
  }
}

async function readPiece(file: FileHandle, at: number, end: number): Promise<Buffer> {
  if (at >= end) return Buffer.alloc(0)
  const buffer = takeBuffer(end - at)
  const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, end - at), at)
  if (bytesRead === 0) throw new Error('A file of the bucket is shorter than its row says.')
  return bytesRead === buffer.length ? buffer : buffer.subarray(0, bytesRead)
}
