/** Values of a PDF (ISO 32000-1, 7.3), read by a parser of our own: the libraries take longer than most conversions. */
import { hexInto, stringInto } from './pdf-strings.ts'

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

/** A table, as each byte of a document is looked up in it. */
const [regular, space, delimiter, numeric] = [0, 1, 2, 3]
const kinds = new Uint8Array(256).map((_, byte) => {
  const sign = String.fromCharCode(byte)
  if ('\0\t\n\f\r '.includes(sign)) return space
  if ('()<>[]{}/%'.includes(sign)) return delimiter
  return '0123456789+-.'.includes(sign) ? numeric : regular
})
const isSpace = (byte: number) => kinds[byte] === space
const isRegular = (byte: number) => kinds[byte] === regular || kinds[byte] === numeric
const isNumeric = (byte: number) => kinds[byte] === numeric
/** Operators of up to two letters, by their bytes: a page has thousands of a few. */
const operators = new Map<number, Operator>()

const deepest = 100

/** Reads values one by one, of a file or of the content of a page. */
export class Values {
  readonly #bytes: Buffer
  readonly #joined: number | undefined
  #at: number

  /**
   * @param joined of the content of pages: strings of one list are read as one where no number below this stands in
   * between. Most programs kern each letter, and a value for each of them takes longer than all else.
   */
  constructor(bytes: Buffer, at = 0, joined?: number) {
    this.#bytes = bytes
    this.#at = at
    this.#joined = joined
  }

  get position(): number {
    return this.#at
  }

  /** Undefined at the end. @throws RangeError for what is nested too deep. */
  next(depth = 0): Value | undefined {
    if (depth > deepest) throw new RangeError('values are nested too deep')
    this.#skipSpace()
    const byte = this.#bytes[this.#at]
    if (byte === undefined) return undefined
    if (isNumeric(byte)) return this.#number()
    switch (byte) {
      case 47:
        this.#at++
        return this.#name()
      case 40:
        return this.#string()
      case 60:
        return this.#bytes[this.#at + 1] === 60 ? this.#dict(depth) : this.#hex()
      case 91:
        this.#at++
        return this.#joined === undefined ? this.#array(depth) : this.#shown(this.#joined, depth)
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
        return this.#word()
    }
  }

  /** Behind a word: the rest of a line, as that before a stream. */
  skipLineEnd(): number {
    if (this.#bytes[this.#at] === 13) this.#at++
    if (this.#bytes[this.#at] === 10) this.#at++
    return this.#at
  }

  /** 8.9.7: pixels among operators, up to their end. */
  skipInlineImage(): void {
    for (let at = this.#at; ; at++) {
      at = this.#bytes.indexOf('EI', at, 'latin1')
      if (at < 0) {
        this.#at = this.#bytes.length
        return
      }
      const [before, after] = [this.#bytes[at - 1] ?? 32, this.#bytes[at + 2] ?? 32]
      if (isSpace(before) && isSpace(after)) {
        this.#at = at + 2
        return
      }
    }
  }

  #skipSpace(): void {
    for (;;) {
      const byte = this.#bytes[this.#at]
      if (byte === undefined) return
      if (byte === 37) {
        while (this.#at < this.#bytes.length && this.#bytes[this.#at] !== 10 && this.#bytes[this.#at] !== 13)
          this.#at++
      } else if (isSpace(byte)) this.#at++
      else return
    }
  }

  #regular(): string {
    const start = this.#at
    while (this.#at < this.#bytes.length && isRegular(this.#bytes[this.#at] ?? 0)) this.#at++
    return this.#bytes.toString('latin1', start, this.#at)
  }

  #number(): Value {
    const known = this.#shortNumber()
    if (known !== undefined) return known
    const text = this.#regular()
    const number = Number(text)
    return Number.isNaN(number) ? Number.parseFloat(text) || 0 : number
  }

  /** Most are a few digits with a point, which need not become a text first. */
  #shortNumber(): number | undefined {
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
        value = value * 10 + byte - 48
        digits++
        scale *= 10
      } else if (byte === 46 && scale === 0) scale = 1
      else if (isRegular(byte)) return undefined
      else break
    }
    if (digits === 0 || digits > 15) return undefined
    this.#at = at
    const size = scale > 1 ? value / scale : value
    return isNegative ? -size : size
  }

  #name(): Name {
    const text = this.#regular()
    if (!text.includes('#')) return new Name(text)
    return new Name(
      text.replaceAll(/#([\da-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    )
  }

  #word(): Value {
    return this.#shortWord() ?? this.#longWord()
  }

  #shortWord(): Operator | undefined {
    const bytes = this.#bytes
    const first = bytes[this.#at] ?? 32
    const second = bytes[this.#at + 1] ?? 32
    const third = bytes[this.#at + 2] ?? 32
    const isOne = !isRegular(second)
    if (!isRegular(first) || (!isOne && isRegular(third))) return undefined
    const key = isOne ? first : first * 256 + second
    let operator = operators.get(key)
    if (!operator) {
      operator = new Operator(isOne ? String.fromCharCode(first) : String.fromCharCode(first, second))
      operators.set(key, operator)
    }
    this.#at += isOne ? 1 : 2
    return operator
  }

  #longWord(): Value {
    const word = this.#regular()
    if (word === 'true') return true
    if (word === 'false') return false
    if (word === 'null') return null
    if (word === '') this.#at++
    return new Operator(word)
  }

  #array(depth: number): Value[] {
    const items: Value[] = []
    for (;;) {
      const value = this.next(depth + 1)
      if (value === undefined || (value instanceof Operator && value.word === ']')) return items
      if (value instanceof Operator && value.word === 'R') items.splice(-2, 2, refOf(items))
      else items.push(value)
    }
  }

  #shown(joined: number, depth: number): Value[] {
    const items: Value[] = []
    let run: number[] = []
    const end = () => {
      if (run.length > 0) items.push(Buffer.from(run))
      run = []
    }
    for (;;) {
      this.#skipSpace()
      const byte = this.#bytes[this.#at] ?? 93
      if (byte === 60) this.#at = hexInto(run, this.#bytes, this.#at)
      else if (byte === 40) this.#at = stringInto(run, this.#bytes, this.#at)
      else {
        const value = this.next(depth + 1)
        if (value === undefined || (value instanceof Operator && value.word === ']')) break
        if (typeof value === 'number' && value >= joined) continue
        end()
        items.push(value)
      }
    }
    end()
    return items
  }

  #dict(depth: number): Dict {
    this.#at += 2
    const items: Value[] = []
    for (;;) {
      const value = this.next(depth + 1)
      if (value === undefined || (value instanceof Operator && value.word === '>>')) break
      if (value instanceof Operator && value.word === 'R') items.splice(-2, 2, refOf(items))
      else items.push(value)
    }
    const dict = new Map<string, Value>()
    for (let at = 0; at + 1 < items.length; at += 2) {
      const [key, value] = [items[at], items[at + 1]]
      if (key instanceof Name && value !== undefined) dict.set(key.name, value)
    }
    return dict
  }

  #hex(): Buffer {
    const out: number[] = []
    this.#at = hexInto(out, this.#bytes, this.#at)
    return Buffer.from(out)
  }

  #string(): Buffer {
    const out: number[] = []
    this.#at = stringInto(out, this.#bytes, this.#at)
    return Buffer.from(out)
  }
}

function refOf(items: readonly Value[]): Ref {
  const id = items.at(-2)
  return new Ref(typeof id === 'number' ? id : 0)
}
