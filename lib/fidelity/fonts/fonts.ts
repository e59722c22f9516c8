import { brotliDecompressSync, inflateSync } from 'node:zlib'
import { type FileBytes, maxReadBytes } from '../bytes.ts'
import type { ContentSummary } from '../content-summary.ts'

const createSummary = (glyphs: number): ContentSummary => ({ counts: { glyphs }, features: [] })

/** Reads the number of glyphs from the table `maxp` (OpenType 1.9). */
const readGlyphCount = (maxp: Buffer) => (maxp.length < 6 ? undefined : maxp.readUInt16BE(4))

const signatures = ['\0\x01\0\0', 'OTTO', 'true']

/** Reads TrueType and OpenType, which begin with a directory of tables and their offsets. */
export const readOpenType = (bytes: FileBytes): Promise<ContentSummary | undefined> =>
  readOpenTypeAt(bytes, 0)

/**
 * Reads the font that starts at an offset.
 * @param base offset that table offsets are relative to: the start of the file, even for fonts of a collection.
 */
export async function readOpenTypeAt(
  bytes: FileBytes,
  start: number,
  base = 0,
): Promise<ContentSummary | undefined> {
  const head = await bytes.at(start, 12)
  if (head.length < 12 || !signatures.includes(head.toString('latin1', 0, 4))) return undefined
  const directory = await bytes.at(start + 12, head.readUInt16BE(4) * 16)
  for (let at = 0; at + 16 <= directory.length; at += 16) {
    if (directory.toString('latin1', at, at + 4) !== 'maxp') continue
    const glyphs = readGlyphCount(await bytes.at(base + directory.readUInt32BE(at + 8), 6))
    return glyphs === undefined ? undefined : createSummary(glyphs)
  }
  return undefined
}

/** Reads WOFF 1.0, which compresses each table separately (section 4). */
export async function readWoff(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const head = await bytes.at(0, 44)
  if (head.toString('latin1', 0, 4) !== 'wOFF') return undefined
  const directory = await bytes.at(44, head.readUInt16BE(12) * 20)
  for (let at = 0; at + 20 <= directory.length; at += 20) {
    if (directory.toString('latin1', at, at + 4) !== 'maxp') continue
    const [compressedSize, originalSize] = [directory.readUInt32BE(at + 8), directory.readUInt32BE(at + 12)]
    const data = await bytes.at(directory.readUInt32BE(at + 4), compressedSize)
    const isCompressed = compressedSize < originalSize
    const glyphs = readGlyphCount(isCompressed ? inflateSync(data, { maxOutputLength: maxReadBytes }) : data)
    return glyphs === undefined ? undefined : createSummary(glyphs)
  }
  return undefined
}

/** Numbers of known tables in WOFF 2.0 (section 4.1). */
const [glyf, loca, maxp] = [10, 11, 4]

/** Reads WOFF 2.0, in which one stream contains all tables in the order of the directory (section 4). */
export async function readWoff2(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const head = await bytes.at(0, 48)
  if (head.toString('latin1', 0, 4) !== 'wOF2' || head.toString('latin1', 4, 8) === 'ttcf') return undefined
  const directory = await bytes.at(48, head.readUInt16BE(12) * 20)
  let at = 0
  // Reads a number with seven bits per byte (section 4.1).
  const readNumber = () => {
    let value = 0
    for (;;) {
      const byte = directory.readUInt8(at++)
      value = value * 128 + (byte & 127)
      if (byte < 128) return value
    }
  }
  let start = 0
  let foundOffset: number | undefined
  for (let count = head.readUInt16BE(12); count > 0; count--) {
    const flags = directory.readUInt8(at++)
    const knownTag = flags & 63
    if (knownTag === 63) at += 4
    const originalBytes = readNumber()
    const isGlyphs = knownTag === glyf || knownTag === loca
    const isTransformed = isGlyphs ? flags >> 6 !== 3 : flags >> 6 !== 0
    const size = isTransformed ? readNumber() : originalBytes
    if (knownTag === maxp) foundOffset = start
    start += size
  }
  if (foundOffset === undefined) return undefined
  const data = brotliDecompressSync(await bytes.at(48 + at, head.readUInt32BE(20)), {
    maxOutputLength: maxReadBytes,
  })
  const glyphs = readGlyphCount(data.subarray(foundOffset, foundOffset + 6))
  return glyphs === undefined ? undefined : createSummary(glyphs)
}

/** Counts the glyphs of a textual font format by a pattern that matches each of them. */
export function createGlyphCounter(pattern: RegExp) {
  return async (bytes: FileBytes): Promise<ContentSummary | undefined> => {
    const count = (await bytes.readWhole()).toString('latin1').match(pattern)?.length ?? 0
    return count === 0 ? undefined : createSummary(count)
  }
}
