import { open } from 'node:fs/promises'
import type { MagickSourceId } from './sources.ts'

/** Reads the sides of an image from the first bytes of its file; missing bytes are 0. */
type SideReader = (head: Buffer) => readonly number[]

const headBytes = 1024

const readPngSides: SideReader = (head) =>
  head.toString('latin1', 12, 16) === 'IHDR' ? [head.readUInt32BE(16), head.readUInt32BE(20)] : []

const readNetpbmSides: SideReader = (head) => {
  const match = /^P[1-7Ff]\s+(?:#[^\n]*\n\s*)*(\d+)\s+(?:#[^\n]*\n\s*)*(\d+)\s/.exec(head.toString('latin1'))
  return match ? [Number(match[1]), Number(match[2])] : []
}

const readBmpSides: SideReader = (head) =>
  head.toString('latin1', 0, 2) === 'BM' ? [head.readInt32LE(18), head.readInt32LE(22)].map(Math.abs) : []

const readPhotoshopSides: SideReader = (head) =>
  head.toString('latin1', 0, 4) === '8BPS' ? [head.readUInt32BE(14), head.readUInt32BE(18)] : []

/** The header contains the first and last column and row. */
const readPcxSides: SideReader = (head) =>
  head[0] === 10
    ? [head.readUInt16LE(8) - head.readUInt16LE(4) + 1, head.readUInt16LE(10) - head.readUInt16LE(6) + 1]
    : []

/** The entry count is at offset 4, followed by entries of 16 bytes; PNG entries state their own sides. */
const readIconSides: SideReader = (head) =>
  Array.from({ length: Math.min(head.readUInt16LE(4), 20) }, (_, index) => {
    const offset = head.readUInt32LE(6 + 16 * index + 12)
    return offset + 24 <= head.length ? readPngSides(head.subarray(offset)) : []
  }).flat()

const sideReaderByFormat: Readonly<Partial<Record<MagickSourceId, SideReader>>> = {
  png: readPngSides,
  pbm: readNetpbmSides,
  pgm: readNetpbmSides,
  ppm: readNetpbmSides,
  pnm: readNetpbmSides,
  pfm: readNetpbmSides,
  bmp: readBmpSides,
  bmp2: readBmpSides,
  bmp3: readBmpSides,
  psd: readPhotoshopSides,
  psb: readPhotoshopSides,
  ico: readIconSides,
  cur: readIconSides,
  pcx: readPcxSides,
}

/**
 * Returns the longest side in the header, or 0 if it is unknown. ImageMagick may report an image that is too large as
 * damaged.
 */
export async function readLargestSide(path: string, from: MagickSourceId): Promise<number> {
  await using file = await open(path)
  const head = Buffer.alloc(headBytes)
  await file.read(head, 0, headBytes, 0)
  return Math.max(0, ...(sideReaderByFormat[from]?.(head) ?? []))
}
