import { type FileHandle, open } from 'node:fs/promises'
import type { FormatId } from '../../formats/index.ts'
import { demuxersFor } from './demuxers.ts'
import type { MediaHeader, ReadAt } from './header.ts'
import { readMatroskaHeader } from './matroska-header.ts'
import { readMp4Header } from './mp4-header.ts'

type HeaderReader = (readAt: ReadAt, size: number) => Promise<MediaHeader | undefined>

/** By the demuxers that ffmpeg reads them with. */
const readers: Readonly<Record<string, HeaderReader>> = {
  'matroska,webm': readMatroskaHeader,
  'mov,mp4,m4a,3gp,3g2,mj2': readMp4Header,
}

/**
 * Read here in a millisecond, where ffprobe is only being linked for most of its time. Undefined for other formats and
 * for what is damaged or unusual in any way: ffprobe knows all of it, and says what is wrong.
 */
export async function readHeader(path: string, format: FormatId): Promise<MediaHeader | undefined> {
  const read = readers[demuxersFor(format)]
  if (!read) return undefined
  await using file = await open(path)
  try {
    return await read(windowedReader(file), (await file.stat()).size)
  } catch (error) {
    // A number or a part that lies outside of what holds it.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const windowBytes = 64 * 1024

/** Headers are read piece by piece, and most fit into one window. */
function windowedReader(file: FileHandle): ReadAt {
  let start = 0
  let buffered: Buffer = Buffer.alloc(0)
  return async (position, length) => {
    if (!Number.isSafeInteger(position + length)) throw new RangeError('no file is that long')
    if (position < start || position + length > start + buffered.length) {
      const { buffer, bytesRead } = await file.read(
        Buffer.allocUnsafe(Math.max(length, windowBytes)),
        0,
        null,
        position,
      )
      start = position
      buffered = buffer.subarray(0, bytesRead)
    }
    return buffered.subarray(position - start, position - start + length)
  }
}
