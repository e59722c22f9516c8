import { gifBlockKinds, readGifBlocks } from '../../binary/gif.ts'

/**
 * Whether every frame of a GIF has all its pixels: libvips silently fills in missing ones. Follows only the lengths of
 * the LZW codes (GIF89a, appendix F), which takes a fraction of the time of decoding.
 */
export function hasAllPixels(data: Buffer): boolean {
  for (const { kind, start, data: codes } of readGifBlocks(data)) {
    if (kind === gifBlockKinds.trailer) return true
    if (kind !== gifBlockKinds.image) continue
    if (codes >= data.length) return false
    const pixels = data.readUInt16LE(start + 5) * data.readUInt16LE(start + 7)
    if (!hasAllFramePixels(data, codes, data[codes - 1] ?? 0, pixels)) return false
  }
  return false
}

function hasAllFramePixels(data: Buffer, start: number, minCodeLength: number, pixels: number): boolean {
  if (minCodeLength < 1 || minCodeLength > 11) return false
  const reader = new CodeLengths(minCodeLength)
  let [bits, bitCount] = [0, 0]
  for (let block = start; (data[block] ?? 0) > 0; block += (data[block] ?? 0) + 1) {
    const end = Math.min(data.length, block + 1 + (data[block] ?? 0))
    for (let at = block + 1; at < end; at++) {
      bits |= (data[at] ?? 0) << bitCount
      bitCount += 8
      while (bitCount >= reader.width) {
        const { width } = reader
        const canContinue = reader.take(bits & ((1 << width) - 1))
        if (!canContinue || reader.pixels >= pixels) return reader.pixels >= pixels
        bits >>>= width
        bitCount -= width
      }
    }
  }
  return reader.pixels >= pixels
}

const maxCodes = 4096

class CodeLengths {
  /** Number of bits in the next code. */
  width: number
  pixels = 0
  readonly #clearCode: number
  readonly #minCodeLength: number
  /** Number of pixels that each code represents. */
  readonly #lengths = new Uint16Array(maxCodes)
  #next: number
  #lastCode = 0

  constructor(minCodeLength: number) {
    this.#minCodeLength = minCodeLength
    this.#clearCode = 1 << minCodeLength
    this.#lengths.fill(1, 0, this.#clearCode)
    this.#next = this.#clearCode + 2
    this.width = minCodeLength + 1
  }

  /**
   * Counts the pixels of a code. Returns false at the end of the frame, or for a code that is not defined yet, which no
   * encoder writes.
   */
  take(code: number): boolean {
    if (code === this.#clearCode) {
      this.#next = this.#clearCode + 2
      this.#lastCode = 0
      this.width = this.#minCodeLength + 1
      return true
    }
    const isNew = code === this.#next && this.#lastCode > 0
    const length = isNew ? this.#lastCode + 1 : code < this.#next ? (this.#lengths[code] ?? 0) : 0
    if (length === 0) return false
    this.pixels += length
    if (this.#lastCode > 0 && this.#next < maxCodes) {
      this.#lengths[this.#next++] = this.#lastCode + 1
      if (this.#next === 1 << this.width && this.width < 12) this.width++
    }
    this.#lastCode = length
    return true
  }
}
