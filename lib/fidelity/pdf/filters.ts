import { inflateSync } from 'node:zlib'
import { maxReadBytes } from '../bytes.ts'
import type { Dict } from './objects.ts'

/** The PDF is damaged or of an unsupported kind: encrypted, or with a rare compression. */
export class UnreadablePdfError extends Error {}

/** Filters by name and by the abbreviations for inline images, which also occur elsewhere. */
const filters: Readonly<Record<string, (data: Buffer) => Buffer>> = {
  FlateDecode: inflate,
  Fl: inflate,
  ASCII85Decode: decodeAscii85,
  A85: decodeAscii85,
  ASCIIHexDecode: decodeAsciiHex,
  AHx: decodeAsciiHex,
}

/** Decodes the data of a stream. @param filter name of the filter in the stream. @throws UnreadablePdfError */
export function decodeStream(data: Buffer, filter: string): Buffer {
  const decode = Object.hasOwn(filters, filter) ? filters[filter] : undefined
  if (!decode) throw new UnreadablePdfError(`the filter ${filter} is not supported`)
  return decode(data)
}

function inflate(data: Buffer): Buffer {
  // Truncated data is decompressed as far as possible, as PDF readers do.
  const chunkSize = Math.min(Math.max(data.length * expectedRatio, minChunkBytes), maxChunkBytes)
  return inflateSync(data, { maxOutputLength: maxReadBytes, finishFlush: 2, chunkSize })
}

/** Typical compression ratio, so that the output fits into one buffer and need not be concatenated. */
const expectedRatio = 8
const [minChunkBytes, maxChunkBytes] = [1024, 256 * 1024]

/** Decodes PNG predictors of cross-reference streams, which use only the predictor Up (7.4.4.4). */
export function undoPngPredictor(data: Buffer, parameters: Dict): Buffer {
  const predictor = Number(parameters.get('Predictor') ?? 1)
  if (predictor < 10) return data
  const columns = Number(parameters.get('Columns') ?? 1)
  const rows = Math.floor(data.length / (columns + 1))
  const decoded = Buffer.alloc(rows * columns)
  for (let row = 0; row < rows; row++) {
    const type = data[row * (columns + 1)]
    if (type !== 0 && type !== 2) throw new UnreadablePdfError('a table uses an unsupported predictor')
    for (let column = 0; column < columns; column++) {
      const byteAbove = type === 2 && row > 0 ? (decoded[(row - 1) * columns + column] ?? 0) : 0
      decoded[row * columns + column] = (data[row * (columns + 1) + 1 + column] ?? 0) + byteAbove
    }
  }
  return decoded
}

function decodeAsciiHex(data: Buffer): Buffer {
  const digits = data.toString('latin1').replaceAll(/[^0-9a-f]/gi, '')
  // A single last digit has an implied 0 after it.
  return Buffer.from(digits.length % 2 === 0 ? digits : `${digits}0`, 'hex')
}

const [blank, firstDigit, zeros, end] = [0x20, 0x21, 0x7a, 0x7e]

/**
 * Decodes Ascii85 (7.4.3): four bytes are five base-85 digits, or `z` for zeros; n bytes at the end are n + 1 digits.
 */
function decodeAscii85(data: Buffer): Buffer {
  const zeroGroupCount = data.filter((byte) => byte === zeros).length
  const decoded = Buffer.alloc(4 * (zeroGroupCount + Math.ceil((data.length - zeroGroupCount) / 5)))
  let at = 0
  let digits = 0
  let value = 0
  const put = () => {
    if (value > 0xffffffff) throw new UnreadablePdfError('a base-85 group is too large')
    at = decoded.writeUInt32BE(value, at)
    digits = 0
    value = 0
  }
  for (const byte of data) {
    if (byte === end) break
    if (byte <= blank) continue
    if (byte === zeros && digits === 0) {
      put()
      continue
    }
    if (byte > firstDigit + 84) throw new UnreadablePdfError('a base-85 stream contains invalid characters')
    value = value * 85 + byte - firstDigit
    if (++digits === 5) put()
  }
  if (digits < 2) return decoded.subarray(0, at)
  const missingDigits = 5 - digits
  for (let count = 0; count < missingDigits; count++) value = value * 85 + 84
  put()
  return decoded.subarray(0, at - missingDigits)
}
