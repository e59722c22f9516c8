/** Parser for PDF values (ISO 32000-1, 7.3). Written here, because PDF libraries take longer than most conversions. */
import { findCommentEnd, findRegularEnd, isNumeric, isRegular, isSpace, readPdfName } from './characters.ts'
import { ByteList, readHex, readString } from './strings.ts'

export class Ref {
  readonly id: number
  constructor(id: number) {
    this.id = id
  }
}
export class Name {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}
export class Operator {
  readonly word: string
  constructor(word: string) {
    this.word = word
  }
}
export type Dict = ReadonlyMap<string, Value>
export type Value = number | boolean | null | Buffer | Ref | Name | Operator | Dict | readonly Value[]

export const isDict = (value: Value | undefined): value is Dict => value instanceof Map

const maxDepth = 100
/** Numbers with more digits may exceed V8's small integers, which would deoptimize the code. */
const maxDigits = 9

/** Reads PDF values one at a time. */
export class PdfParser {
  readonly #bytes: Buffer
  #at: number

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes
    this.#at = at
  }

  /** Reads the next value; undefined at the end. @throws RangeError if values are nested too deep */
  next(depth = 0): Value | undefined {
    if (depth > maxDepth) throw new RangeError('values are nested too deep')
    this.#skipSpace()
    const byte = this.#bytes[this.#at]
    if (byte === undefined) return undefined
    if (isNumeric(byte)) return this.#readNumber()
    switch (byte) {
      case 47:
        this.#at++
        return this.#readName()
      case 40:
        return this.#readString()
      case 60:
        return this.#bytes[this.#at + 1] === 60 ? this.#readDict(depth) : this.#readHex()
      case 91:
        this.#at++
        return this.#readArray(depth)
      case 62:
        this.#at += this.#bytes[this.#at + 1] === 62 ? 2 : 1
        return new Operator('>>')
      case 93:
      case 41:
      case 123:
      case 125:
        this.#at++
        return new Operator(String.fromCharCode(byte))
      default:
        return this.#readWord()
    }
  }

  /** Skips the line end after a keyword, as before a stream. */
  skipLineEnd(): number {
    if (this.#bytes[this.#at] === 13) this.#at++
    if (this.#bytes[this.#at] === 10) this.#at++
    return this.#at
  }

  #skipSpace(): void {
    for (;;) {
      const byte = this.#bytes[this.#at]
      if (byte === undefined) return
      if (byte === 37) this.#at = findCommentEnd(this.#bytes, this.#at)
      else if (isSpace(byte)) this.#at++
      else return
    }
  }

  #readRegular(): string {
    const start = this.#at
    this.#at = findRegularEnd(this.#bytes, start)
    return this.#bytes.toString('latin1', start, this.#at)
  }

  #readNumber(): Value {
    const shortNumber = this.#readShortNumber()
    if (shortNumber !== undefined) return shortNumber
    const text = this.#readRegular()
    const number = Number(text)
    return Number.isNaN(number) ? Number.parseFloat(text) || 0 : number
  }

  /** Fast path that reads a few digits with a decimal point, without creating a string. */
  #readShortNumber(): number | undefined {
    const bytes = this.#bytes
    let at = this.#at
    const isNegative = bytes[at] === 45
    if (isNegative) at++
    let value = 0
    let digits = 0
    let scale = 0
    for (; ; at++) {
      const byte = bytes[at] ?? 32
      if (byte >= 48 && byte <= 57) {
        if (++digits > maxDigits) return undefined
        value = value * 10 + byte - 48
        scale *= 10
      } else if (byte === 46 && scale === 0) scale = 1
      else if (isRegular(byte)) return undefined
      else break
    }
    if (digits === 0) return undefined
    this.#at = at
    const magnitude = scale > 1 ? value / scale : value
    return isNegative ? -magnitude : magnitude
  }

  #readName(): Name {
    const start = this.#at
    this.#at = findRegularEnd(this.#bytes, start)
    return new Name(readPdfName(this.#bytes, start, this.#at))
  }

  #readWord(): Value {
    const word = this.#readRegular()
    if (word === 'true') return true
    if (word === 'false') return false
    if (word === 'null') return null
    if (word === '') this.#at++
    return new Operator(word)
  }

  #readArray(depth: number): Value[] {
    const items: Value[] = []
    for (;;) {
      const value = this.next(depth + 1)
      if (value === undefined || (value instanceof Operator && value.word === ']')) return items
      if (value instanceof Operator && value.word === 'R') items.splice(-2, 2, createRef(items))
      else items.push(value)
    }
  }

  #readDict(depth: number): Dict {
    this.#at += 2
    const items: Value[] = []
    for (;;) {
      const value = this.next(depth + 1)
      if (value === undefined || (value instanceof Operator && value.word === '>>')) break
      if (value instanceof Operator && value.word === 'R') items.splice(-2, 2, createRef(items))
      else items.push(value)
    }
    const dict = new Map<string, Value>()
    for (let at = 0; at + 1 < items.length; at += 2) {
      const [key, value] = [items[at], items[at + 1]]
      if (key instanceof Name && value !== undefined) dict.set(key.name, value)
    }
    return dict
  }

  #readHex(): Buffer {
    const output = new ByteList()
    this.#at = readHex(output, this.#bytes, this.#at)
    return output.toBuffer()
  }

  #readString(): Buffer {
    const output = new ByteList()
    this.#at = readString(output, this.#bytes, this.#at)
    return output.toBuffer()
  }
}

function createRef(items: readonly Value[]): Ref {
  const id = items.at(-2)
  return new Ref(typeof id === 'number' ? id : 0)
}
