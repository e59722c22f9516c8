import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { alignedBytes, cachedBytes, openDirect, undefinedIfInvalid } from '../direct-io.ts'
import { giveBack, readIntoReused, reusedBytes } from '../reused-buffers.ts'
import type { ByteRange } from '../transfer/transfer.ts'
import type { LentFile } from './connections.ts'

/** Bytes that are read before somebody asks for them, and pieces that are read at a time. */
const aheadBytes = 512 * 1024
const readsAtATime = 3

/**
 * Bytes of files laid end to end. All are opened before anything is read: what is open can be read to its end, whoever
 * deletes it meanwhile.
 * @throws errors of the name NoSuchKey for a file that is gone.
 */
export async function readLent(
  files: readonly LentFile[],
  { start, end, givesBack = false }: ByteRange,
): Promise<Readable> {
  const opened: Part[] = []
  try {
    let offset = 0
    for (const { path, size } of files) {
      const [from, to] = [Math.max(start - offset, 0), Math.min(end - offset, size)]
      offset += size
      if (from < to) opened.push(await openPart(path, from, to))
    }
  } catch (error) {
    await closeAll(opened)
    const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    throw isGone ? Object.assign(new Error('the object is deleted'), { name: 'NoSuchKey' }) : error
  }
  const bytes = givesBack ? bytesOf(opened) : copiesOf(bytesOf(opened))
  const body = Readable.from(bytes, { objectMode: false, highWaterMark: aheadBytes })
  // Of a generator that was never begun nothing runs, its end neither.
  body.once('close', () => void closeAll(opened))
  return body
}

interface Part {
  readonly handle: FileHandle
  /** For what lies so far into the file that it is read past the page cache. */
  readonly direct: FileHandle | undefined
  readonly from: number
  readonly to: number
}

async function openPart(path: string, from: number, to: number): Promise<Part> {
  const handle = await open(path)
  try {
    return { handle, direct: to > cachedBytes ? await openDirect(path, 'read') : undefined, from, to }
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function* bytesOf(parts: readonly Part[]): AsyncGenerator<Buffer> {
  for (const part of parts) {
    const ahead: Promise<Buffer>[] = []
    for (let at = part.from; at < part.to || ahead.length > 0; ) {
      for (; at < part.to && ahead.length < readsAtATime; at += pieceBytes(part, at)) {
        const piece = pieceOf(part, at)
        // Whoever reads hears of it in its turn, or has gone.
        piece.catch(() => {})
        ahead.push(piece)
      }
      const piece = await ahead.shift()
      if (piece) yield piece
    }
  }
}

/** Into memory of their own: what is read into is seldom new. */
async function* copiesOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    const copy = Buffer.from(piece)
    giveBack(piece)
    yield copy
  }
}

/** So that those from the disk itself follow each other at even places. */
const pieceBytes = ({ to }: Part, at: number): number => Math.min(reusedBytes - (at % reusedBytes), to - at)

async function pieceOf(part: Part, at: number): Promise<Buffer> {
  const bytes = pieceBytes(part, at)
  const piece = (await directPiece(part, at, bytes)) ?? (await cachedPiece(part, at, bytes))
  if (piece.length < bytes) throw new Error('a file of the bucket is shorter than it was')
  return piece
}

const cachedPiece = ({ handle }: Part, at: number, bytes: number): Promise<Buffer> =>
  readIntoReused((into) => handle.read(into, 0, bytes, at))

/** Undefined where it has to be read as usual. */
async function directPiece({ direct }: Part, at: number, bytes: number): Promise<Buffer | undefined> {
  if (!direct || at < cachedBytes || at % alignedBytes !== 0) return undefined
  // Whole pages are read, also at the end.
  const piece = await readIntoReused((into) => direct.read(into, 0, into.length, at)).catch(
    undefinedIfInvalid,
  )
  return piece?.subarray(0, bytes)
}

async function closeAll(parts: readonly Part[]): Promise<void> {
  await Promise.all(parts.flatMap(({ handle, direct }) => [handle.close(), direct?.close()]))
}
