import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { giveBack, readIntoReused } from '../buffer-pool.ts'
import { alignedBytes, cachedBytes, openDirect, undefinedIfInvalid } from '../direct-io.ts'
import { readAhead, readPiece } from '../read-ahead.ts'
import type { ByteRange } from '../transfer/transfer.ts'
import type { LocatedFile } from './connections.ts'

/** Bytes that are there before somebody asks for them. */
const aheadBytes = 512 * 1024

/**
 * Bytes of files laid end to end. All are opened before anything is read: what is open can be read to its end, whoever
 * deletes it meanwhile.
 * @throws errors of the name NoSuchKey for a file that is gone.
 */
export async function readLocatedFiles(
  files: readonly LocatedFile[],
  { start, end, givesBack = false }: ByteRange,
): Promise<Readable> {
  const opened: Part[] = []
  try {
    let offset = 0
    for (const { path, size } of files) {
      const [from, to] = [Math.max(start - offset, 0), Math.min(end - offset, size)]
      offset += size
      const isLarge = size > cachedBytes
      if (from < to) opened.push(await openPart(path, { from, to, isLarge }))
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
  /** Of a file so large that it is read past the page cache. */
  readonly direct: FileHandle | undefined
  readonly from: number
  readonly to: number
}

async function openPart(
  path: string,
  { from, to, isLarge }: { from: number; to: number; isLarge: boolean },
): Promise<Part> {
  const handle = await open(path)
  try {
    return { handle, direct: isLarge ? await openDirect(path, 'read') : undefined, from, to }
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function* bytesOf(parts: readonly Part[]): AsyncGenerator<Buffer> {
  for (const part of parts) yield* readAhead(part.from, part.to, (at, bytes) => pieceOf(part, at, bytes))
}

/** Into memory of their own: what is read into is seldom new. */
async function* copiesOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    const copy = Buffer.from(piece)
    giveBack(piece)
    yield copy
  }
}

const pieceOf = async (part: Part, at: number, bytes: number): Promise<Buffer> =>
  (await directPiece(part, at, bytes)) ?? readPiece(part.handle, at, bytes)

/** Undefined where it has to be read as usual. */
async function directPiece({ direct }: Part, at: number, bytes: number): Promise<Buffer | undefined> {
  if (!direct || at % alignedBytes !== 0) return undefined
  // Whole pages are read, also at the end.
  const piece = await readIntoReused((into) => direct.read(into, 0, into.length, at)).catch(
    undefinedIfInvalid,
  )
  return piece && piece.length >= bytes ? piece.subarray(0, bytes) : undefined
}

async function closeAll(parts: readonly Part[]): Promise<void> {
  await Promise.all(parts.flatMap(({ handle, direct }) => [handle.close(), direct?.close()]))
}
