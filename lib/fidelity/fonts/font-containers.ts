import type { FileBytes } from '../bytes.ts'
import type { ContentSummary } from '../content-summary.ts'
import { openZip } from '../zip.ts'
import { readOpenTypeAt } from './fonts.ts'

const createSummary = (glyphs: number | undefined): ContentSummary | undefined =>
  glyphs ? { counts: { glyphs }, features: [] } : undefined

const maxFaces = 200

/** Counts the glyphs of all faces (OpenType 1.9, "Font Collections"). */
export async function readFontCollection(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const head = await bytes.at(0, 12)
  const count = head.readUInt32BE(8)
  if (head.toString('latin1', 0, 4) !== 'ttcf' || count > maxFaces) return undefined
  const starts = await bytes.at(12, 4 * count)
  let glyphs = 0
  for (let at = 0; at < count; at++) {
    const face = await readOpenTypeAt(bytes, starts.readUInt32BE(4 * at))
    if (!face) return undefined
    glyphs += face.counts.glyphs ?? 0
  }
  return createSummary(glyphs)
}

/** Reads a font in a classic Mac OS resource fork (Inside Macintosh: More Macintosh Toolbox, 1-121). */
export async function readMacFont(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const head = await bytes.at(0, 16)
  const resourceMap = await bytes.at(head.readUInt32BE(4), head.readUInt32BE(12))
  const typesOffset = resourceMap.readUInt16BE(24)
  for (let at = typesOffset + 2; at <= typesOffset + 2 + 8 * resourceMap.readUInt16BE(typesOffset); at += 8) {
    if (resourceMap.toString('latin1', at, at + 4) !== 'sfnt') continue
    const firstTypeOffset = typesOffset + resourceMap.readUInt16BE(at + 6)
    const start = head.readUInt32BE(0) + resourceMap.readUIntBE(firstTypeOffset + 5, 3) + 4
    // If there are several fonts, only the first is counted.
    return readOpenTypeAt(bytes, start, start)
  }
  return undefined
}

/**
 * Reads Type 1 fonts, whose glyphs are encrypted with published keys, after four random bytes (Adobe Type 1 Font
 * Format, 7.3).
 */
export async function readType1(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const file = removeSegmentHeaders(await bytes.readWhole())
  const start = file.indexOf('eexec', 0, 'latin1')
  if (start < 0) return undefined
  let from = start + 5
  while (from < file.length && /\s/.test(String.fromCharCode(file[from] ?? 0))) from++
  const isHex = /^[\da-f\s]{8}/i.test(file.toString('latin1', from, from + 8))
  const encryptedBytes = isHex
    ? Buffer.from(file.toString('latin1', from).replaceAll(/\s/g, ''), 'hex')
    : file.subarray(from)
  return countCharStrings(decryptEexec(encryptedBytes))
}

/** Removes the six-byte header of each PFB segment. */
function removeSegmentHeaders(file: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; file[at] === 0x80 && (file[at + 1] === 1 || file[at + 1] === 2); ) {
    const size = file.readUInt32LE(at + 2)
    parts.push(file.subarray(at + 6, at + 6 + size))
    at += 6 + size
  }
  return parts.length === 0 ? file : Buffer.concat(parts)
}

function decryptEexec(encryptedBytes: Buffer): Buffer {
  const decryptedBytes = Buffer.alloc(encryptedBytes.length)
  let key = 55_665
  for (const [at, byte] of encryptedBytes.entries()) {
    decryptedBytes[at] = byte ^ (key >> 8)
    key = ((byte + key) * 52_845 + 22_719) & 0xffff
  }
  return decryptedBytes
}

/** Reads the number of glyphs, which Type 1 and Type 42 fonts contain before the glyphs. */
const countCharStrings = (text: Buffer): ContentSummary | undefined =>
  createSummary(Number(/\/CharStrings\s{1,20}(\d{1,6})\s/.exec(text.toString('latin1'))?.[1] ?? 0))

export const readType42 = async (bytes: FileBytes): Promise<ContentSummary | undefined> =>
  countCharStrings(await bytes.readWhole())

/** Reads Embedded OpenType, in which an uncompressed font follows the header (W3C submission of 2008). */
export async function readEmbeddedOpenType(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const head = await bytes.at(0, 36)
  const [fileSize, fontSize] = [head.readUInt32LE(0), head.readUInt32LE(4)]
  const isCompressedOrEncrypted = (head.readUInt32LE(12) & 0x1000_0004) !== 0
  if (head.readUInt16LE(34) !== 0x504c || isCompressedOrEncrypted) return undefined
  return readOpenTypeAt(bytes, fileSize - fontSize, fileSize - fontSize)
}

/** The operator whose operand is the offset of the glyphs (Technical Note 5176, table 9). */
const charStringsOperator = 17
/** Keyword before the data in a font for printers. */
const dataMarker = 'StartData'

/** Reads the bare Compact Font Format, whose first dictionary contains the offset of the glyphs. */
export async function readCompactFont(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const file = await bytes.readWhole()
  const markerOffset = file.toString('latin1', 0, 2) === '%!' ? file.indexOf(dataMarker, 0, 'latin1') : -1
  const data = markerOffset < 0 ? file : file.subarray(markerOffset + dataMarker.length + 1)
  const names = readIndex(data, data.readUInt8(2))
  const dictionaries = readIndex(data, names.end)
  const at = findOperand(data.subarray(dictionaries.first, dictionaries.firstEnd), charStringsOperator)
  return at === undefined ? undefined : createSummary(data.readUInt16BE(at))
}

/** Returns the offsets of an index's first object and of its end (section 5). */
function readIndex(data: Buffer, at: number) {
  const count = data.readUInt16BE(at)
  if (count === 0) return { first: at + 2, firstEnd: at + 2, end: at + 2 }
  const size = data.readUInt8(at + 2)
  const base = at + 2 + (count + 1) * size
  const offset = (index: number) => base + data.readUIntBE(at + 3 + index * size, size)
  return { first: offset(0), firstEnd: offset(1), end: offset(count) }
}

/**
 * Finds the operand of an operator in a dictionary. An operand precedes its operator, which is a number below 22
 * (section 4).
 */
function findOperand(dictionary: Buffer, operator: number): number | undefined {
  let lastOffset = 0
  for (let at = 0; at < dictionary.length; ) {
    const code = dictionary.readUInt8(at)
    if (code === operator) return lastOffset
    if (code >= 28 && code !== realNumberPrefix) lastOffset = readInteger(dictionary, at)
    at += code === realNumberPrefix ? skipReal(dictionary, at) : getTokenLength(code)
  }
  return undefined
}

const realNumberPrefix = 30

function getTokenLength(code: number): number {
  if (code === 29) return 5
  if (code === 28) return 3
  // The escape operator and numbers above 107 take two bytes.
  return code === 12 || code > 246 ? 2 : 1
}

function readInteger(dictionary: Buffer, at: number): number {
  const code = dictionary.readUInt8(at)
  if (code === 28) return dictionary.readInt16BE(at + 1)
  if (code === 29) return dictionary.readInt32BE(at + 1)
  if (code <= 246) return code - 139
  const low = dictionary.readUInt8(at + 1) + 108
  return code <= 250 ? (code - 247) * 256 + low : -(code - 251) * 256 - low
}

/** Skips a real number: four-bit digits, terminated by 15. */
function skipReal(dictionary: Buffer, at: number): number {
  let length = 1
  while ((dictionary.readUInt8(at + length) & 15) !== 15) length++
  return length + 1
}

/** Reads a Unified Font Object 3, which has one file per glyph. */
export async function readUnifiedFontObject(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const zip = await openZip(bytes)
  return createSummary(zip?.names.filter((name) => name.endsWith('.glif')).length)
}
