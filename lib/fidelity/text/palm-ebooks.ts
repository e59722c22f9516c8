import { readPalmRecords } from '../../binary/palm-database.ts'
import type { Feature } from '../../model/stored-summary.ts'
import type { FileBytes } from '../bytes.ts'
import type { ContentSummary } from '../content-summary.ts'
import { extractHtmlText } from './markup.ts'
import { WordCounts } from './word-counts.ts'

/** Offsets in the first record of a Palm book, and in the Mobipocket header that follows. */
const headerOffsets = {
  compression: 0,
  textRecords: 8,
  encryption: 12,
  mobi: 16,
  length: 20,
  encoding: 28,
  version: 36,
} as const
const firstImageOffset = 108
const mobiOffsets = { table: 192, trailing: 242 } as const
const palmDocCompression = 2
const utf8CodePage = 65_001
/** From this version on, the text consists of parts: first the book, then the styles. */
const minVersionWithParts = 8

/** Summarizes books in a Palm database: PalmDOC, Mobipocket, and the Kindle formats based on it. */
export async function readPalmEbook(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const file = await bytes.readWhole()
  const records = (await readPalmRecords(bytes)).map(({ start, end }) => file.subarray(start, end))
  const head = records[0]
  if (!head || head.length < 16) return undefined
  const compression = head.readUInt16BE(headerOffsets.compression)
  const isMobi = head.toString('latin1', headerOffsets.mobi, headerOffsets.mobi + 4) === 'MOBI'
  const isEncrypted = isMobi && head.readUInt16BE(headerOffsets.encryption) !== 0
  // Compression 17480 is Huffman coding, which is not supported.
  if (isEncrypted || (compression !== 1 && compression !== palmDocCompression)) return undefined
  const getTrailingSize = isMobi ? createTrailingSizeReader(head) : () => 0
  const textBytes = Buffer.concat(
    records.slice(1, 1 + head.readUInt16BE(headerOffsets.textRecords)).map((record) => {
      const data = record.subarray(0, record.length - getTrailingSize(record))
      return compression === palmDocCompression ? decompressPalmDoc(data) : data
    }),
  )
  const isUtf8 = isMobi && head.readUInt32BE(headerOffsets.encoding) === utf8CodePage
  const page = textBytes.subarray(0, isMobi ? findTextEnd(head, records, textBytes.length) : textBytes.length)
  const decodedText = isUtf8 ? page.toString('utf8') : new TextDecoder('windows-1252').decode(page)
  const words = new WordCounts()
  words.add(isMobi ? extractHtmlText(decodedText) : decodedText)
  const image = isMobi ? records[head.readUInt32BE(firstImageOffset)] : undefined
  const isImage = image !== undefined && /^(?:\xff\xd8|GIF8|\x89PNG|BM)/.test(image.toString('latin1', 0, 4))
  return { words, counts: {}, features: isImage ? (['pictures'] satisfies Feature[]) : [] }
}

/** Creates a function that returns how many bytes at the end of a record are not text. */
function createTrailingSizeReader(head: Buffer): (record: Buffer) => number {
  const hasFlags = head.readUInt32BE(headerOffsets.length) >= 228 && head.length >= mobiOffsets.trailing + 2
  const flags = hasFlags ? head.readUInt16BE(mobiOffsets.trailing) : 0
  return (record) => {
    let size = 0
    for (let flag = flags >> 1; flag > 0; flag >>= 1)
      if ((flag & 1) === 1) size += readBackwardSize(record, size)
    // Multi-byte characters may start in one record and end in the next.
    if ((flags & 1) === 1) size += ((record[record.length - size - 1] ?? 0) & 3) + 1
    return Math.min(size, record.length)
  }
}

/** Reads a number with seven bits per byte, backwards up to the byte with the high bit. */
function readBackwardSize(record: Buffer, bytesAfter: number): number {
  let size = 0
  for (let at = record.length - bytesAfter - 1, shift = 0; at >= 0 && shift < 28; at--, shift += 7) {
    const byte = record[at] ?? 0
    size |= (byte & 127) << shift
    if (byte > 127) break
  }
  return size
}

function findTextEnd(head: Buffer, records: readonly Buffer[], length: number): number {
  if (head.readUInt32BE(headerOffsets.version) < minVersionWithParts) return length
  const table = records[head.readUInt32BE(mobiOffsets.table)]
  const isTable = table?.toString('latin1', 0, 4) === 'FDST'
  return isTable ? Math.min(length, table.readUInt32BE(16)) : length
}

/** Decompresses PalmDOC: literals, runs of literals, back-references, and pairs of a space and a character. */
function decompressPalmDoc(data: Buffer): Buffer {
  const output: number[] = []
  for (let at = 0; at < data.length; ) {
    const code = data[at++] ?? 0
    if (code >= 1 && code <= 8) {
      output.push(...data.subarray(at, at + code))
      at += code
    } else if (code < 0x80) output.push(code)
    else if (code >= 0xc0) output.push(0x20, code ^ 0x80)
    else {
      const pairCode = ((code << 8) | (data[at++] ?? 0)) & 0x3fff
      const distance = pairCode >> 3
      if (distance === 0 || distance > output.length)
        throw new RangeError('a back-reference points before the start of the text')
      for (let bytesLeft = (pairCode & 7) + 3; bytesLeft > 0; bytesLeft--)
        output.push(output[output.length - distance] ?? 0)
    }
  }
  return Buffer.from(output)
}
