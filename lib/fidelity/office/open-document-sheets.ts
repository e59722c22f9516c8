import type { Feature } from '../../model/stored-summary.ts'
import { decodeMarkupEntities, readAttribute, Tag } from '../text/markup.ts'
import type { WordCounts } from '../text/word-counts.ts'

/** Higher repeat counts are only formatting, such as whole colored columns. */
const maxRepeats = 10_000
const ignoredElements = new Set([
  ...['office:annotation', 'office:automatic-styles', 'office:styles', 'office:master-styles', 'office:meta'],
  ...['office:settings', 'office:scripts', 'office:font-face-decls', 'office:forms'],
  ...['table:tracked-changes', 'table:content-validations', 'office:binary-data', 'draw:object'],
])

/** Shapes on a sheet, each with its own text (OpenDocument 1.3, part 3, 10.3). */
const shapes = new Set(
  [
    ...['custom-shape', 'text-box', 'rect', 'ellipse', 'circle', 'line', 'polyline', 'polygon', 'path'],
    ...['connector', 'measure', 'caption', 'regular-polygon'],
  ].map((name) => `draw:${name}`),
)

const features: ReadonlyMap<string, Feature> = new Map([
  ['office:annotation', 'comments'],
  ['draw:image', 'pictures'],
])

const [lessThan, greaterThan, slash, colon, exclamation, question] = [60, 62, 47, 58, 33, 63]
const [space, ampersand] = [32, 38]
/** The first code above ASCII. */
const firstNonAsciiCode = 128
const [lowerF, lowerN, lowerS, lowerV] = [102, 110, 115, 118]
const cell = Buffer.from('table:table-cell')
const row = Buffer.from('table:table-row')
const paragraph = Buffer.from('text:p')
const columnRepeatAttribute = Buffer.from('number-columns-repeated=')
const rowRepeatAttribute = Buffer.from('number-rows-repeated=')
const formulaAttribute = Buffer.from('formula=')
const visibilityAttribute = Buffer.from('visibility=')
const valueTypeAttribute = Buffer.from('value-type="')
/** The tags around the text of most cells. */
const [paragraphStart, paragraphAndCellEnd] = [
  Buffer.from('<text:p>'),
  Buffer.from('</text:p></table:table-cell>'),
]

/**
 * Reads OpenDocument sheets from bytes, like Excel sheets, because a sheet may have a million cells. Identical rows and
 * cells are written once with a repeat count (OpenDocument 1.3, part 3, 19.675 and 19.678).
 */
export class OpenSheetReader {
  sheets = 0
  cells = 0
  /** Whether some rows or columns may be hidden. */
  hasHiddenCandidates = false
  readonly features = new Set<Feature>()
  readonly #xml: Buffer
  readonly #words: WordCounts
  readonly #unclosedNames = new Set<string>()
  #rowRepeats = 1
  #columnRepeats = 1
  /** The fields below contain attributes of the most recent tag. */
  #isRepeated = false
  #hasFormula = false
  #hasVisibility = false
  /**
   * Whether the cell is a number, date or boolean, whose text depends on format and language and does not count as
   * words.
   */
  #isValue = false
  /** Start and end of each part of a text; both are 0 for a gap. */
  #bounds: number[] = []
  /** Bounds of the texts around the open shapes. */
  readonly #outerBounds: number[][] = []

  constructor(xml: Buffer, words: WordCounts) {
    this.#xml = xml
    this.#words = words
  }

  read(): void {
    const xml = this.#xml
    for (let at = 0; at < xml.length; ) {
      const start = this.#indexOfByte(at, lessThan)
      if (start > at) this.#bounds.push(at, start)
      const firstByte = xml[start + 1]
      at =
        firstByte === exclamation || firstByte === question
          ? this.#skipNonTag(start)
          : this.#readTag(start + 1)
    }
  }

  /** Returns the position of the next byte with this value, or the end. */
  #indexOfByte(from: number, byte: number): number {
    const xml = this.#xml
    let at = from
    while (at < xml.length && xml[at] !== byte) at++
    return at
  }

  /** Skips a comment or another construct that is not a tag. @returns its end. */
  #skipNonTag(start: number): number {
    const isText = this.#isAt(start, cdata)
    const close = isText ? ']]>' : this.#isAt(start, comment) ? '-->' : '>'
    const end = this.#xml.indexOf(close, start)
    if (end < 0) return this.#xml.length
    if (isText) this.#bounds.push(start + cdata.length, end)
    return end + close.length
  }

  #isAt(start: number, bytes: Buffer): boolean {
    for (let at = 0; at < bytes.length; at++) if (this.#xml[start + at] !== bytes[at]) return false
    return true
  }

  /** @returns the end of the tag, or of the element if its content is skipped. */
  #readTag(start: number): number {
    const xml = this.#xml
    const cellEnd = start + cell.length
    if (this.#isAt(start, cell) && xml[cellEnd] === space) return this.#readCell(start, cellEnd)
    const isEnd = xml[start] === slash
    const nameStart = isEnd ? start + 1 : start
    let at = nameStart
    for (let byte = xml[at] ?? 0; byte > 32 && byte !== slash && byte !== greaterThan; ) byte = xml[++at] ?? 0
    const length = at - nameStart
    if (length === paragraph.length && this.#isAt(nameStart, paragraph)) {
      this.#addGap()
      return this.#indexOfByte(at, greaterThan) + 1
    }
    if (length === cell.length && this.#isAt(nameStart, cell))
      return isEnd ? this.#endCell(at) : this.#readCell(start, at)
    if (length === row.length && this.#isAt(nameStart, row) && !isEnd) return this.#readRow(start, at)
    return this.#readOtherTag(start, this.#indexOfByte(at, greaterThan))
  }

  /** @returns the end of the row's tag. */
  #readRow(start: number, from: number): number {
    const end = this.#readAttributes(from)
    this.hasHiddenCandidates ||= this.#hasVisibility
    this.#rowRepeats = this.#isRepeated
      ? readRepeats(this.#createTag(start, end), 'table:number-rows-repeated')
      : 1
    return end + 1
  }

  /** @returns the end of the cell's tag, or of the whole cell. */
  #readCell(start: number, from: number): number {
    const end = this.#readAttributes(from)
    if (this.#hasFormula) this.features.add('formulas')
    this.#bounds = []
    if (this.#xml[end - 1] === slash) return end + 1
    this.#columnRepeats = this.#isRepeated
      ? readRepeats(this.#createTag(start, end), 'table:number-columns-repeated')
      : 1
    return this.#readPlainCell(end + 1)
  }

  /** Records the attributes of a tag. @returns the end of the tag. */
  #readAttributes(from: number): number {
    const xml = this.#xml
    const { length } = xml
    this.#isRepeated = false
    this.#hasFormula = false
    this.#hasVisibility = false
    this.#isValue = false
    let at = from
    for (; at < length; at++) {
      const byte = xml[at] ?? 0
      // Skips quickly, because most bytes are text.
      if (byte > greaterThan || byte < colon) continue
      if (byte === greaterThan) break
      const firstByte = xml[at + 1]
      if (firstByte === lowerN)
        this.#isRepeated ||=
          this.#isAt(at + 1, columnRepeatAttribute) || this.#isAt(at + 1, rowRepeatAttribute)
      else if (firstByte === lowerF) this.#hasFormula ||= this.#isAt(at + 1, formulaAttribute)
      else if (firstByte === lowerV && this.#isAt(at + 1, valueTypeAttribute))
        this.#isValue ||= xml[at + 1 + valueTypeAttribute.length] !== lowerS
      else if (firstByte === lowerV) this.#hasVisibility ||= this.#isAt(at + 1, visibilityAttribute)
    }
    return at
  }

  /**
   * Reads a cell with a single text and no inner tags, as most cells are, without examining each tag.
   * @param start start of the cell's content.
   * @returns the end of the cell, or `start` if it is another kind of cell.
   */
  #readPlainCell(start: number): number {
    if (!this.#isAt(start, paragraphStart)) return start
    const from = start + paragraphStart.length
    const xml = this.#xml
    let [to, bits] = [from, 0]
    for (let byte = xml[to] ?? lessThan; byte !== lessThan; byte = xml[++to] ?? lessThan)
      bits |= byte === ampersand ? firstNonAsciiCode : byte
    if (!this.#isAt(to, paragraphAndCellEnd)) return start
    if (bits < firstNonAsciiCode) this.#countPlainCell(from, to)
    else {
      this.#bounds = [from, to]
      this.#countCell()
      this.#bounds = []
    }
    return to + paragraphAndCellEnd.length
  }

  #createTag(start: number, end: number): Tag {
    return new Tag(this.#xml.toString('latin1', start, end), 0, end - start, false)
  }

  /** Handles rare tags. @returns the position after them. */
  #readOtherTag(start: number, end: number): number {
    if (end === this.#xml.length) return end
    const tag = this.#createTag(start, end)
    const { name, isEnd, isEmpty } = tag
    if (name === 'table:table' && !isEnd) this.sheets++
    else if (name === 'table:table-column')
      this.hasHiddenCandidates ||= tag.source.includes(' table:visibility=')
    else if (shapes.has(name) && !isEmpty) this.#readShape(isEnd)
    else if (name === 'text:s' || name === 'text:line-break') this.#addGap()
    const feature = features.get(name)
    if (feature) this.features.add(feature)
    const isSkipped = !isEnd && !isEmpty && ignoredElements.has(name) && !this.#unclosedNames.has(name)
    if (!isSkipped) return end + 1
    const close = this.#xml.indexOf(`</${name}`, end)
    if (close < 0) this.#unclosedNames.add(name)
    return close < 0 ? end + 1 : close
  }

  #addGap(): void {
    if (this.#bounds.length > 0 && this.#bounds.at(-1) !== 0) this.#bounds.push(0, 0)
  }

  #readShape(isEnd: boolean): void {
    if (isEnd) this.#words.add(this.#joinText())
    else this.#outerBounds.push(this.#bounds)
    this.#bounds = isEnd ? (this.#outerBounds.pop() ?? []) : []
  }

  #endCell(from: number): number {
    this.#countCell()
    this.#bounds = []
    return this.#indexOfByte(from, greaterThan) + 1
  }

  #countCell(): void {
    const text = this.#joinText()
    if (text.trim() === '') return
    const times = this.#rowRepeats * this.#columnRepeats
    this.cells += times
    if (this.#isValue) this.#words.addNumber()
    else this.#words.add(text, times)
  }

  /** Like `#countCell`, for an ASCII text without character references. */
  #countPlainCell(from: number, to: number): void {
    let start = from
    while (start < to && (this.#xml[start] ?? 0) <= 32) start++
    if (start === to) return
    const times = this.#rowRepeats * this.#columnRepeats
    this.cells += times
    if (this.#isValue) this.#words.addNumber()
    else this.#words.addAscii(this.#xml, start, to, times)
  }

  #joinText(): string {
    let allText = ''
    for (let at = 0; at < this.#bounds.length; at += 2) {
      const [start, end] = [this.#bounds[at] ?? 0, this.#bounds[at + 1] ?? 0]
      allText += end === 0 ? ' ' : this.#xml.toString('utf8', start, end)
    }
    return decodeMarkupEntities(allText)
  }
}

const cdata = Buffer.from('<![CDATA[')
const comment = Buffer.from('<!--')

function readRepeats(tag: Tag, name: string): number {
  const times = Number(readAttribute(tag, name) ?? 1)
  return times > 0 && times <= maxRepeats ? times : 1
}
