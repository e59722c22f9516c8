import { type FileHandle, open } from 'node:fs/promises'
import type { FormatId } from '../../formats/index.ts'
import { demuxersFor } from './demuxers.ts'
import type { MediaHeader, ReadAt } from './header.ts'
import { readMatroskaHeader } from './matroska-header.ts'
import { readMp4Header } from './mp4-header.ts'

type HeaderReader = (readAt: ReadAt, size: number) => Promise<MediaHeader | undefined>

/** Header readers by ffmpeg's demuxer names. */
const readers: Readonly<Record<string, HeaderReader>> = {
  'matroska,webm': readMatroskaHeader,
  'mov,mp4,m4a,3gp,3g2,mj2': readMp4Header,
}

/**
 * Reads a header in about a millisecond; ffprobe would take much longer just to start. Returns undefined for other
 * formats and for damaged or unusual files, which are left to ffprobe.
 */
export async function readHeader(path: string, format: FormatId): Promise<MediaHeader | undefined> {
  const read = readers[demuxersFor(format)]
  if (!read) return undefined
  await using file = await open(path)
  try {
    return await read(createReader(file), (await file.stat()).size)
  } catch (error) {
    // A field or element extends beyond its parent.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const windowBytes = 64 * 1024

/** Buffers reads, as headers are read in small steps and most fit into one window. */
function createReader(file: FileHandle): ReadAt {
  let start = 0
  let buffered: Buffer = Buffer.alloc(0)
  return async (position, length) => {
    if (!Number.isSafeInteger(position + length)) throw new RangeError('position beyond the end of any file')
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
