import type { FileHandle } from 'node:fs/promises'
import { leastReused, readIntoReused, reusedBytes } from './buffer-pool.ts'

/** While somebody has a piece, so many of those behind it are read. */
const readsAtATime = 3

/** Bytes `start` to `end` (exclusive) of a file, by what reads so many from there on. */
export async function* readAhead(
  start: number,
  end: number,
  read: (at: number, bytes: number) => Promise<Buffer>,
): AsyncGenerator<Buffer> {
  const ahead: Promise<Buffer>[] = []
  // At even places all but the first, as reads past the page cache want them.
  const bytesAt = (at: number) => Math.min(reusedBytes - (at % reusedBytes), end - at)
  for (let at = start; at < end || ahead.length > 0; ) {
    for (; at < end && ahead.length < readsAtATime; at += bytesAt(at)) {
      const piece = read(at, bytesAt(at))
      // Whoever reads hears of it in its turn, or has gone.
      piece.catch(() => {})
      ahead.push(piece)
    }
    const piece = await ahead.shift()
    if (piece) yield piece
  }
}

/** All of these bytes; whoever is done with them may give them back. @throws for a file that ends before them. */
export async function readPiece(file: FileHandle, at: number, bytes: number): Promise<Buffer> {
  const fill = async (into: Uint8Array) => {
    for (let got = 0; got < bytes; ) {
      const { bytesRead } = await file.read(into, got, bytes - got, at + got)
      if (bytesRead === 0) throw new Error('a file of the bucket is shorter than it was')
      got += bytesRead
    }
    return { bytesRead: bytes }
  }
  if (bytes >= leastReused) return readIntoReused(fill)
  const small = Buffer.allocUnsafe(bytes)
  await fill(small)
  return small
}
