import { constants, createWriteStream } from 'node:fs'
import { chmod, copyFile, type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { readIntoPooledBuffer, releaseBuffer } from '../io/buffer-pool.ts'
import type { ByteRange } from '../io/byte-range.ts'
import { directIoAlignment, ignoreUnsupported, maxCachedFileBytes, openDirect } from '../io/direct-io.ts'
import { readDiskSpace } from '../io/disk-space.ts'
import type { LocatedFile } from '../io/local-connections.ts'
import { readAhead, readFully } from '../io/read-ahead.ts'

/** Number of bytes read before the consumer requests them. */
const readAheadBytes = 512 * 1024

/**
 * Streams a range of concatenated files. All files are opened first: an open file can be read even if it is deleted
 * meanwhile.
 * @throws an error named NoSuchKey for a missing file.
 */
export async function readLocatedFiles(
  files: readonly LocatedFile[],
  { start, end, releasesBuffers = false }: ByteRange,
): Promise<Readable> {
  const openedRanges: OpenRange[] = []
  try {
    let offset = 0
    for (const { path, size } of files) {
      const [from, to] = [Math.max(start - offset, 0), Math.min(end - offset, size)]
      offset += size
      const isLarge = size > maxCachedFileBytes
      if (from < to) openedRanges.push(await openRange(path, { from, to, isLarge }))
    }
  } catch (error) {
    await closeAll(openedRanges)
    throw toReadError(error)
  }
  const bytes = releasesBuffers ? readRanges(openedRanges) : copyChunks(readRanges(openedRanges))
  const body = Readable.from(bytes, { objectMode: false, highWaterMark: readAheadBytes })
  // A generator that was never started does not run its `finally`, so the files are closed here.
  body.once('close', () => void closeAll(openedRanges))
  return body
}

function toReadError(error: unknown): unknown {
  const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT'
  return isGone ? Object.assign(new Error('the object was deleted'), { name: 'NoSuchKey' }) : error
}

/**
 * Copies concatenated files to a new file; for a single file, the kernel copies the bytes.
 * @throws an error named NoSuchKey for a missing file.
 */
export async function copyLocatedFiles(files: readonly LocatedFile[], path: string): Promise<void> {
  const size = files.reduce((sum, file) => sum + file.size, 0)
  const { free, reserved } = await readDiskSpace(dirname(path))
  if (free - size < reserved) throw Object.assign(new Error('No space left on device'), { code: 'ENOSPC' })
  const [onlyFile, ...moreFiles] = files
  if (onlyFile && moreFiles.length === 0) {
    await copyFile(onlyFile.path, path, constants.COPYFILE_FICLONE).catch((error: unknown) => {
      throw toReadError(error)
    })
    // The copy inherits the permissions of the original, which may restrict who can read it.
    await chmod(path, 0o600)
  } else await pipeline(await readLocatedFiles(files, { start: 0, end: size }), createWriteStream(path))
}

interface OpenRange {
  readonly handle: FileHandle
  /** Second handle for reading a very large file without the page cache. */
  readonly directHandle: FileHandle | undefined
  readonly from: number
  readonly to: number
}

async function openRange(
  path: string,
  { from, to, isLarge }: { from: number; to: number; isLarge: boolean },
): Promise<OpenRange> {
  const handle = await open(path)
  try {
    return { handle, directHandle: isLarge ? await openDirect(path, 'read') : undefined, from, to }
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function* readRanges(ranges: readonly OpenRange[]): AsyncGenerator<Buffer> {
  for (const range of ranges)
    yield* readAhead(range.from, range.to, (at, bytes) => readChunk(range, at, bytes))
}

/** Copies chunks to new memory, because pooled buffers are reused. */
async function* copyChunks(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    const copy = Buffer.from(chunk)
    releaseBuffer(chunk)
    yield copy
  }
}

const readChunk = async (range: OpenRange, at: number, bytes: number): Promise<Buffer> =>
  (await readWithoutPageCache(range, at, bytes)) ?? readFully(range.handle, at, bytes)

/** Returns undefined if the chunk must be read through the page cache. */
async function readWithoutPageCache(
  { directHandle }: OpenRange,
  at: number,
  bytes: number,
): Promise<Buffer | undefined> {
  if (!directHandle || at % directIoAlignment !== 0) return undefined
  // Direct reads return whole pages, even at the end of the range, so the excess is cut off.
  const chunk = await readIntoPooledBuffer((buffer) => directHandle.read(buffer, 0, buffer.length, at)).catch(
    ignoreUnsupported,
  )
  return chunk && chunk.length >= bytes ? chunk.subarray(0, bytes) : undefined
}

async function closeAll(ranges: readonly OpenRange[]): Promise<void> {
  await Promise.all(ranges.flatMap(({ handle, directHandle }) => [handle.close(), directHandle?.close()]))
}
