/** Values of a PDF (ISO 32000-1, 7.3), read by a parser of our own: the libraries take longer than most conversions. */

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

const isSpace = (byte: number) =>
  byte === 32 || byte === 10 || byte === 13 || byte === 9 || byte === 0 || byte === 12
// ( ) < > [ ] { } / %
const delimiters = new Set([40, 41, 60, 62, 91, 93, 123, 125, 47, 37])
const isRegular = (byte: number) => !isSpace(byte) && !delimiters.has(byte)
const isNumeric = (byte: number) => (byte >= 48 && byte <= 57) || byte === 43 || byte === 45 || byte === 46

const deepest = 100

/** Reads values one by one, of a file or of the content of a page. */
export class Values {
  readonly #bytes: Buffer
  #at: number

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes
    this.#at = at
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
        return this.#array(depth)
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
    const text = this.#regular()
    const number = Number(text)
    return Number.isNaN(number) ? Number.parseFloat(text) || 0 : number
  }

  #name(): Name {
    const text = this.#regular()
    if (!text.includes('#')) return new Name(text)
    return new Name(
      text.replaceAll(/#([\da-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    )
  }

  #word(): Value {
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
    const end = this.#bytes.indexOf(62, this.#at)
    const digits = this.#bytes
      .toString('latin1', this.#at + 1, end < 0 ? this.#bytes.length : end)
      .replaceAll(/[^\da-fA-F]/g, '')
    this.#at = end < 0 ? this.#bytes.length : end + 1
    return Buffer.from(digits.length % 2 === 1 ? `${digits}0` : digits, 'hex')
  }

  /** 7.3.4.2. */
  #string(): Buffer {
    const out: number[] = []
    let open = 0
    for (;;) {
      const byte = this.#bytes[this.#at++]
      if (byte === undefined) break
      if (byte === 92) this.#escape(out)
      else if (byte === 41 && --open === 0) break
      else if (byte !== 40 || open++ > 0) out.push(byte)
    }
    return Buffer.from(out)
  }

  #escape(out: number[]): void {
    const byte = this.#bytes[this.#at++] ?? 0
    const known = escapes[String.fromCharCode(byte)]
    if (known !== undefined) out.push(known)
    else if (byte >= 48 && byte <= 55) {
      let value = byte - 48
      for (let digits = 1; digits < 3; digits++) {
        const digit = this.#bytes[this.#at] ?? 0
        if (digit < 48 || digit > 55) break
        value = value * 8 + digit - 48
        this.#at++
      }
      out.push(value & 255)
    } else if (byte === 13) {
      if (this.#bytes[this.#at] === 10) this.#at++
    } else if (byte !== 10) out.push(byte)
  }
}

const escapes: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, b: 8, f: 12 }

function refOf(items: readonly Value[]): Ref {
  const id = items.at(-2)
  return new Ref(typeof id === 'number' ? id : 0)
}
