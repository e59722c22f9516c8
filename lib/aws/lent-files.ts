import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { readIntoReused } from '../transfer/reused-buffers.ts'
import type { LentFile } from './connections.ts'

/** Bytes that are read before somebody asks for them. */
const aheadBytes = 1024 * 1024

/**
 * Bytes `start` to `end` (exclusive) of files laid end to end. All are opened before anything is read: what is open
 * can be read to its end, whoever deletes it meanwhile.
 * @throws errors of the name NoSuchKey for a file that is gone.
 */
export async function readLent(
  files: readonly LentFile[],
  { start, end }: { readonly start: number; readonly end: number },
): Promise<Readable> {
  const opened: Part[] = []
  try {
    let offset = 0
    for (const { path, size } of files) {
      const [from, to] = [Math.max(start - offset, 0), Math.min(end - offset, size)]
      offset += size
      if (from < to) opened.push({ handle: await open(path), from, to })
    }
  } catch (error) {
    await closeAll(opened)
    const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    throw isGone ? Object.assign(new Error('the object is deleted'), { name: 'NoSuchKey' }) : error
  }
  const body = Readable.from(bytesOf(opened), { objectMode: false, highWaterMark: aheadBytes })
  // Of a generator that was never begun nothing runs, its end neither.
  body.once('close', () => void closeAll(opened))
  return body
}

interface Part {
  readonly handle: FileHandle
  readonly from: number
  readonly to: number
}

async function* bytesOf(parts: readonly Part[]): AsyncGenerator<Buffer> {
  for (const { handle, from, to } of parts) {
    for (let at = from; at < to; ) {
      const piece = await readIntoReused((into, wanted) => handle.read(into, 0, wanted, at), to - at)
      if (piece.length === 0) throw new Error('a file of the bucket is shorter than it was')
      at += piece.length
      yield piece
    }
  }
}

async function closeAll(parts: readonly Part[]): Promise<void> {
  await Promise.all(parts.map(({ handle }) => handle.close()))
}
