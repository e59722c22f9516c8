import { inflateSync } from 'node:zlib'
import { maxReadBytes } from './bytes.ts'
import type { Dict } from './pdf-objects.ts'

/** A damaged file, or one of a kind that is left to others: encrypted, or compressed in a rare way. */
export class UnreadablePdf extends Error {}

/** By their names, and by the short ones that belong into pages, and stand elsewhere too. */
const filters: Readonly<Record<string, (data: Buffer) => Buffer>> = {
  FlateDecode: inflate,
  Fl: inflate,
  ASCII85Decode: decodeAscii85,
  A85: decodeAscii85,
  ASCIIHexDecode: decodeAsciiHex,
  AHx: decodeAsciiHex,
}

/** @param filter as a stream names it. @throws UnreadPdf. */
export function decodeStream(data: Buffer, filter: string): Buffer {
  const decode = Object.hasOwn(filters, filter) ? filters[filter] : undefined
  if (!decode) throw new UnreadablePdf(`a stream is packed by ${filter}`)
  return decode(data)
}

function inflate(data: Buffer): Buffer {
  // What is cut off is read as far as it goes, as readers do.
  const chunkSize = Math.min(Math.max(data.length * expectedRatio, minChunkBytes), maxChunkBytes)
  return inflateSync(data, { maxOutputLength: maxReadBytes, finishFlush: 2, chunkSize })
}

/** Unpacked text is longer by as much as this, and is better put into one piece of memory than together from several. */
const expectedRatio = 8
const [minChunkBytes, maxChunkBytes] = [1024, 256 * 1024]

/** 7.4.4.4, for the tables of a file: they use no other than up. */
export function undoPngPredictor(data: Buffer, parameters: Dict): Buffer {
  const predictor = Number(parameters.get('Predictor') ?? 1)
  if (predictor < 10) return data
  const columns = Number(parameters.get('Columns') ?? 1)
  const rows = Math.floor(data.length / (columns + 1))
  const out = Buffer.alloc(rows * columns)
  for (let row = 0; row < rows; row++) {
    const type = data[row * (columns + 1)]
    if (type !== 0 && type !== 2) throw new UnreadablePdf('a table is packed in a rare way')
    for (let column = 0; column < columns; column++) {
      const above = type === 2 && row > 0 ? (out[(row - 1) * columns + column] ?? 0) : 0
      out[row * columns + column] = (data[row * (columns + 1) + 1 + column] ?? 0) + above
    }
  }
  return out
}

function decodeAsciiHex(data: Buffer): Buffer {
  const digits = data.toString('latin1').replaceAll(/[^0-9a-f]/gi, '')
  // The last one stands for itself and a 0.
  return Buffer.from(digits.length % 2 === 0 ? digits : `${digits}0`, 'hex')
}

const [blank, first, zeros, end] = [0x20, 0x21, 0x7a, 0x7e]

/** 7.4.3: four bytes are five digits of base 85, or a z where all are 0; what is left at the end has one digit more. */
function decodeAscii85(data: Buffer): Buffer {
  const whole = data.filter((byte) => byte === zeros).length
  const out = Buffer.alloc(4 * (whole + Math.ceil((data.length - whole) / 5)))
  let at = 0
  let digits = 0
  let value = 0
  const put = () => {
    if (value > 0xffffffff) throw new UnreadablePdf('digits of a stream are too large')
    at = out.writeUInt32BE(value, at)
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
    if (byte > first + 84) throw new UnreadablePdf('a stream has no digits')
    value = value * 85 + byte - first
    if (++digits === 5) put()
  }
  if (digits < 2) return out.subarray(0, at)
  const missing = 5 - digits
  for (let count = 0; count < missing; count++) value = value * 85 + 84
  put()
  return out.subarray(0, at - missing)
}
