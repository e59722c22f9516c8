// Decodes PDF strings (ISO 32000-1, 7.3.4) into a byte list that can be reused.

/** A list of bytes that grows. */
export class ByteList {
  bytes = new Uint8Array(64)
  length = 0

  push(byte: number): void {
    if (this.length === this.bytes.length) {
      const largerBuffer = new Uint8Array(this.length * 4)
      largerBuffer.set(this.bytes)
      this.bytes = largerBuffer
    }
    this.bytes[this.length++] = byte
  }

  /** Returns a copy of the bytes. */
  toBuffer(): Buffer {
    return Buffer.from(this.bytes.subarray(0, this.length))
  }
}

const noDigitValue = 16
/** Values of hexadecimal digits by character code. */
const hexDigitByByte = new Uint8Array(256).map((_, byte) => {
  const digit = Number.parseInt(String.fromCharCode(byte), 16)
  return Number.isNaN(digit) ? noDigitValue : digit
})

/** Parses two hex digits; if one is invalid, the result is so negative that a code built from it is negative, too. */
export function readHexPair(bytes: Uint8Array, at: number): number {
  const upper = hexDigitByByte[bytes[at] ?? 0] ?? noDigitValue
  const lower = hexDigitByByte[bytes[at + 1] ?? 0] ?? noDigitValue
  return (upper | lower) < noDigitValue ? upper * 16 + lower : -65_536
}

/** Decodes a hexadecimal string. @param at position of the opening bracket. @returns the end of the string. */
export function readHex(output: ByteList, bytes: Uint8Array, at: number): number {
  let upper = noDigitValue
  let next = at + 1
  for (; next < bytes.length && bytes[next] !== 62; next++) {
    const digit = hexDigitByByte[bytes[next] ?? 0] ?? noDigitValue
    if (digit === noDigitValue) continue
    if (upper === noDigitValue) upper = digit
    else {
      output.push(upper * 16 + digit)
      upper = noDigitValue
    }
  }
  // A single last digit is the upper half of a byte.
  if (upper !== noDigitValue) output.push(upper * 16)
  return next + 1
}

/** Like `readHex`, for strings in parentheses. */
export function readString(output: ByteList, bytes: Uint8Array, at: number): number {
  let openParentheses = 0
  let nextOffset = at
  for (;;) {
    const byte = bytes[nextOffset++]
    if (byte === undefined) return bytes.length
    if (byte === 92) nextOffset = readEscape(output, bytes, nextOffset)
    else if (byte === 41 && --openParentheses === 0) return nextOffset
    else if (byte !== 40 || openParentheses++ > 0) output.push(byte)
  }
}

/** Reads an escape sequence (7.3.4.2, table 3). */
function readEscape(output: ByteList, bytes: Uint8Array, at: number): number {
  const byte = bytes[at] ?? 0
  const knownEscape = escapes[String.fromCharCode(byte)]
  let next = at + 1
  if (knownEscape !== undefined) output.push(knownEscape)
  else if (byte >= 48 && byte <= 55) {
    let value = byte - 48
    for (let digits = 1; digits < 3; digits++) {
      const digit = bytes[next] ?? 0
      if (digit < 48 || digit > 55) break
      value = value * 8 + digit - 48
      next++
    }
    output.push(value & 255)
  } else if (byte === 13) {
    if (bytes[next] === 10) next++
  } else if (byte !== 10) output.push(byte)
  return next
}

const escapes: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, b: 8, f: 12 }
