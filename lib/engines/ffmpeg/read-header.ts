import { open } from 'node:fs/promises'
import { openRandomAccess, type RandomAccess } from '../../binary/random-access.ts'
import type { FormatId } from '../../formats/index.ts'
import { listDemuxers } from './demuxers.ts'
import type { MediaHeader } from './header.ts'
import { readMatroskaHeader } from './matroska-header.ts'
import { readMp4Header } from './mp4-header.ts'

type HeaderReader = (file: RandomAccess) => Promise<MediaHeader | undefined>

/** Header readers by ffmpeg's demuxer names. */
const readers: Readonly<Record<string, HeaderReader>> = {
  'matroska,webm': readMatroskaHeader,
  'mov,mp4,m4a,3gp,3g2,mj2': readMp4Header,
}

/**
 * Reads a header in about a millisecond; ffprobe would take far longer just to start. Returns undefined for formats
 * without a header reader, and for damaged or unusual files, which ffprobe reads.
 */
export async function readHeader(path: string, format: FormatId): Promise<MediaHeader | undefined> {
  if (!readers[listDemuxers(format)]) return undefined
  await using file = await open(path)
  // Awaits the result here, because `file` is closed when this function returns.
  return await parseHeader(await openRandomAccess(file), format)
}

export async function parseHeader(file: RandomAccess, format: FormatId): Promise<MediaHeader | undefined> {
  try {
    return await readers[listDemuxers(format)]?.(file)
  } catch (error) {
    // A field or element extends beyond its parent: ffprobe decides whether the file is readable.
    if (error instanceof RangeError) return undefined
    throw error
  }
}
