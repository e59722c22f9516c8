import { findCommentEnd, findRegularEnd, isNumeric, isSpace, readPdfName } from './characters.ts'
import type { PdfFont } from './fonts.ts'
import { ByteList, readHex, readHexPair, readString } from './strings.ts'
import type { GlyphText } from './text.ts'

/** A resource that the reader needs to continue: a font, or a form or image to draw. */
interface PageContentRequest {
  readonly what: 'font' | 'drawing'
  readonly name: string
}

/** Minimum movement that separates words, in thousandths of the font size. A space has about 250, kerning up to 100. */
const minWordGap = 170
const spaceCode = 32

/** Characters of a matrix of six numbers, with its operator. */
const maxMatrixLength = 120

/** Returns by how much a matrix enlarges areas: its determinant (8.3.4). */
export const measureScale = ([a = 1, b = 0, c = 0, d = 1]: readonly number[]): number =>
  Math.abs(a * d - b * c) || 0

/** Turns an operator (annex A) of one or two bytes into a number. */
const toOperatorCode = (word: string) =>
  word.length === 1 ? word.charCodeAt(0) : word.charCodeAt(0) * 256 + word.charCodeAt(1)
const [Tj, TJ, nextLineOperator, spacedLineOperator] = [
  toOperatorCode('Tj'),
  toOperatorCode('TJ'),
  toOperatorCode("'"),
  toOperatorCode('"'),
]
const [Td, TD, Tm, TStar, BT] = [
  toOperatorCode('Td'),
  toOperatorCode('TD'),
  toOperatorCode('Tm'),
  toOperatorCode('T*'),
  toOperatorCode('BT'),
]
const [q, Q, cm, ID, Tf, Do] = [
  toOperatorCode('q'),
  toOperatorCode('Q'),
  toOperatorCode('cm'),
  toOperatorCode('ID'),
  toOperatorCode('Tf'),
  toOperatorCode('Do'),
]

/**
 * Reads the text that a page or form shows (ISO 32000-1, 7.8.2). Skips coordinates, which are most of a page: parsing
 * each operand would take several times as long as everything else.
 */
export class PdfContentReader {
  font: PdfFont | undefined
  glyphs = 0
  /** Number of glyphs that cannot be mapped to text. */
  unknownGlyphCount = 0
  inlineImageCount = 0
  inlineImageArea = 0
  readonly #bytes: Buffer
  readonly #text: GlyphText
  readonly #codes = new ByteList()
  /** Area that the unit square covers, in square points. */
  area: number
  readonly #savedStates: { readonly font: PdfFont | undefined; readonly area: number }[] = []
  #at = 0
  /** Bounds of the first name before an operator. */
  #name: readonly [start: number, end: number] | undefined
  /** Text position where strings before an operator start; they are kept only if the operator shows them. */
  #stringsStart: number | undefined
  /** Whether Skia wrote the page; undefined before the first text matrix. */
  #isSkia: boolean | undefined

  constructor(bytes: Buffer, text: GlyphText, area: number) {
    this.#bytes = bytes
    this.#text = text
    this.area = area
  }

  /** Reads up to the next resource that is needed; returns undefined at the end. */
  next(): PageContentRequest | undefined {
    const bytes = this.#bytes
    while (this.#at < bytes.length) {
      const byte = bytes[this.#at] ?? spaceCode
      if (isSpace(byte)) this.#at++
      else if (isNumeric(byte)) this.#at = findRegularEnd(bytes, this.#at)
      else if (byte === 40 || byte === 60) this.#readStringOrDict(byte)
      else if (byte === 91) this.#readArray()
      else if (byte === 47) this.#readName()
      else if (byte === 37) this.#at = findCommentEnd(bytes, this.#at)
      else {
        const request = this.#readOperator()
        if (request) return request
      }
    }
    return undefined
  }

  #readName(): void {
    const start = this.#at + 1
    this.#at = findRegularEnd(this.#bytes, start)
    this.#name ??= [start, this.#at]
  }

  #readStringOrDict(byte: number): void {
    if (byte === 60 && this.#bytes[this.#at + 1] === 60) this.#skipDict()
    else {
      this.#stringsStart = this.#text.length
      this.#readString(byte)
    }
  }

  #readString(byte: number): void {
    const codes = this.#codes
    codes.length = 0
    if (byte === 60 && this.font) this.#readPlainHex(this.font)
    this.#at = (byte === 40 ? readString : readHex)(codes, this.#bytes, this.#at)
    if (!this.font) return
    this.glyphs += Math.floor(codes.length / this.font.codeBytes)
    this.unknownGlyphCount += this.font.read(codes, this.#text)
  }

  /** Fast path that reads a hex string up to the first non-digit, which ends it in most files. */
  #readPlainHex(font: PdfFont): void {
    const [bytes, text, { codeBytes }] = [this.#bytes, this.#text, font]
    const lastStart = bytes.length - codeBytes * 2
    let [at, glyphs, unknownGlyphCount] = [this.#at + 1, 0, 0]
    for (; at <= lastStart; at += codeBytes * 2) {
      const upper = readHexPair(bytes, at)
      const code = codeBytes === 1 ? upper : upper * 256 + readHexPair(bytes, at + 2)
      if (code < 0) break
      glyphs++
      unknownGlyphCount += font.addCodeText(code, text)
    }
    this.glyphs += glyphs
    this.unknownGlyphCount += unknownGlyphCount
    this.#at = at - 1
  }

  /** Reads an array of strings and movements between them (9.4.3). Kerning does not separate words. */
  #readArray(): void {
    const bytes = this.#bytes
    this.#stringsStart = this.#text.length
    this.#at++
    while (this.#at < bytes.length) {
      const byte = bytes[this.#at] ?? spaceCode
      if (byte === 40 || byte === 60) this.#readString(byte)
      else if (isNumeric(byte)) {
        if (this.#isGap()) this.#text.push(spaceCode)
        this.#at = findRegularEnd(bytes, this.#at)
      } else {
        this.#at++
        if (byte === 93) return
      }
    }
  }

  /** Whether the number at this position is a movement that separates words. */
  #isGap(): boolean {
    const bytes = this.#bytes
    if (bytes[this.#at] !== 45) return false
    let magnitude = 0
    for (let at = this.#at + 1; magnitude <= minWordGap; at++) {
      const digit = (bytes[at] ?? spaceCode) - 48
      if (digit < 0 || digit > 9) return false
      magnitude = magnitude * 10 + digit
    }
    return true
  }

  #skipDict(): void {
    const bytes = this.#bytes
    let openDicts = 0
    while (this.#at < bytes.length) {
      const byte = bytes[this.#at]
      const isDoubled = bytes[this.#at + 1] === byte
      if (byte === 40 || (byte === 60 && !isDoubled)) {
        this.#codes.length = 0
        this.#at = (byte === 40 ? readString : readHex)(this.#codes, bytes, this.#at)
      } else if ((byte === 60 || byte === 62) && isDoubled) {
        openDicts += byte === 60 ? 1 : -1
        this.#at += 2
        if (openDicts <= 0) return
      } else this.#at++
    }
  }

  #readOperator(): PageContentRequest | undefined {
    const code = this.#readOperatorCode()
    const [name, stringsStart] = [this.#name, this.#stringsStart]
    this.#name = undefined
    this.#stringsStart = undefined
    if (code === Tj || code === TJ) return undefined
    if (code === nextLineOperator || code === spacedLineOperator) {
      if (stringsStart !== undefined) this.#text.insertBlankAt(stringsStart)
      return undefined
    }
    if (stringsStart !== undefined) this.#text.length = stringsStart
    switch (code) {
      case Td:
        if (!this.#isKerning()) this.#text.push(spaceCode)
        return undefined
      case Tm:
        this.#isSkia ??= this.#hasSkiaMatrix()
        this.#text.push(spaceCode)
        return undefined
      case TD:
      case TStar:
      case BT:
        this.#text.push(spaceCode)
        return undefined
      case q:
        this.#savedStates.push({ font: this.font, area: this.area })
        return undefined
      case Q: {
        const { font, area = this.area } = this.#savedStates.pop() ?? {}
        this.font = font
        this.area = area
        return undefined
      }
      case cm:
        this.area *= this.#readScale()
        return undefined
      case ID:
        this.inlineImageCount++
        this.inlineImageArea += this.area
        this.#skipInlineImage()
        return undefined
      case Tf:
      case Do:
        return { what: code === Tf ? 'font' : 'drawing', name: name ? readPdfName(this.#bytes, ...name) : '' }
      default:
        return undefined
    }
  }

  /**
   * Whether a movement is kerning by Skia, the PDF library of Chromium, which writes a glyph for each space. In files
   * of other programs, such movements separate words.
   */
  #isKerning(): boolean {
    return this.#isSkia === true && this.#bytes.toString('latin1', this.#at - 5, this.#at) === ' 0 Td'
  }

  /** Whether the text matrix that ends here is flipped without scaling, as Skia writes it. */
  #hasSkiaMatrix(): boolean {
    return this.#bytes.toString('latin1', Math.max(0, this.#at - 60), this.#at).includes('\n1 0 0 -1 ')
  }

  /** Returns by how much the matrix that ends here enlarges areas (8.3.4). */
  #readScale(): number {
    const operands = this.#bytes.toString('latin1', Math.max(0, this.#at - maxMatrixLength), this.#at)
    return measureScale(operands.trim().split(/\s+/).slice(-7, -1).map(Number))
  }

  /** Reads an operator of one or two bytes; returns 0 for longer operators, which this reader does not need. */
  #readOperatorCode(): number {
    const start = this.#at
    // Skips a stray closing delimiter.
    this.#at = Math.max(start + 1, findRegularEnd(this.#bytes, start))
    const length = this.#at - start
    const firstByte = this.#bytes[start] ?? spaceCode
    if (length > 2) return 0
    return length === 1 ? firstByte : firstByte * 256 + (this.#bytes[start + 1] ?? spaceCode)
  }

  /** Skips the pixels of an inline image (8.9.7). */
  #skipInlineImage(): void {
    const bytes = this.#bytes
    for (let at = this.#at; ; at++) {
      at = bytes.indexOf('EI', at, 'latin1')
      if (at < 0) {
        this.#at = bytes.length
        return
      }
      if (isSpace(bytes[at - 1] ?? spaceCode) && isSpace(bytes[at + 2] ?? spaceCode)) {
        this.#at = at + 2
        return
      }
    }
  }
}
