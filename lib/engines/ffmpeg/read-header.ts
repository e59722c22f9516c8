import { type FileHandle, open } from 'node:fs/promises'
import type { FormatId } from '../../formats/index.ts'
import type { Header, ReadAt } from './header.ts'
import { demuxersOf } from './demuxers.ts'
import { matroskaHeader } from './matroska-header.ts'
import { mp4Header } from './mp4-header.ts'

type HeaderReader = (readAt: ReadAt, size: number) => Promise<Header | undefined>

/** By the demuxers that ffmpeg reads them with. */
const readers: Readonly<Record<string, HeaderReader>> = {
  'matroska,webm': matroskaHeader,
  'mov,mp4,m4a,3gp,3g2,mj2': mp4Header,
}

/**
 * Read here in a millisecond, where ffprobe is only being linked for most of its time. Undefined for other formats and
 * for what is damaged or unusual in any way: ffprobe knows all of it, and says what is wrong.
 */
export async function headerOf(path: string, format: FormatId): Promise<Header | undefined> {
  const read = readers[demuxersOf(format)]
  if (!read) return undefined
  await using file = await open(path)
  try {
    return await read(windowOn(file), (await file.stat()).size)
  } catch (error) {
    // A number or a part that lies outside of what holds it.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const windowBytes = 64 * 1024

/** Headers are read piece by piece, and most fit into one window. */
function windowOn(file: FileHandle): ReadAt {
  let start = 0
  let held: Buffer = Buffer.alloc(0)
  return async (position, length) => {
    if (!Number.isSafeInteger(position + length)) throw new RangeError('no file is that long')
    if (position < start || position + length > start + held.length) {
      const { buffer, bytesRead } = await file.read(
        Buffer.allocUnsafe(Math.max(length, windowBytes)),
        0,
        null,
        position,
      )
      start = position
      held = buffer.subarray(0, bytesRead)
    }
    return held.subarray(position - start, position - start + length)
  }
}
