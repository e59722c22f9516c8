import { decodeMarkupEntities } from '../text/markup.ts'
import type { CellCounter } from './cells.ts'

/**
 * Reads the cells of a sheet (ECMA-376, 18.3.1.4) from its bytes: parsing strings and tags takes ten times as long, and
 * a sheet may have a million cells.
 */
export function readCells(xml: Buffer, cells: CellCounter): SheetProperties {
  const reader = new SheetReader(xml, cells)
  reader.read()
  return reader
}

interface SheetProperties {
  /** Whether some cells contain formulas. */
  readonly hasFormulas: boolean
  /** Whether some rows or columns are hidden. */
  readonly hasHidden: boolean
}

/** Matches attributes that hide rows, columns, or rows by default. LibreOffice also writes them as false. */
const hidingPattern = /\s(?:hidden|zeroHeight)\s*=\s*["'](?:1|true)["']/

const [lessThan, greaterThan, slash, colon, exclamation, question] = [60, 62, 47, 58, 33, 63]
const [lowerC, lowerF, lowerT, lowerV, equals] = [99, 102, 116, 118, 61]
/** First characters of cell types; types with longer names are text (18.18.11). */
const [shared, number, boolean, error, text] = [115, 110, 98, 101, 0]

class SheetReader implements SheetProperties {
  hasFormulas = false
  hasHidden = false
  readonly #xml: Buffer
  readonly #cells: CellCounter
  #type: number = number
  /** Start and end of each part of the value. One list for all cells, because there may be a million. */
  readonly #bounds: number[] = []
  #boundCount = 0

  constructor(xml: Buffer, cells: CellCounter) {
    this.#xml = xml
    this.#cells = cells
  }

  read(): void {
    const xml = this.#xml
    for (let at = this.#indexOfByte(0, lessThan); at < xml.length; at = this.#indexOfByte(at, lessThan)) {
      const firstByte = xml[at + 1]
      const isNonTag = firstByte === exclamation || firstByte === question
      at = isNonTag ? this.#indexOfByte(at, greaterThan) : this.#readTag(at + 1)
    }
  }

  /** Returns the position of the next byte with this value, or the end. */
  #indexOfByte(from: number, byte: number): number {
    const xml = this.#xml
    let at = from
    while (at < xml.length && xml[at] !== byte) at++
    return at
  }

  /** @returns the end of the tag, or of its text if the text is needed. */
  #readTag(start: number): number {
    const xml = this.#xml
    const isEnd = xml[start] === slash
    let nameStart = isEnd ? start + 1 : start
    let end = nameStart
    // The name ends at whitespace, a slash or the end of the tag; a prefix before a colon is ignored.
    for (
      let byte = xml[end] ?? 0;
      byte > 32 && byte !== slash && byte !== greaterThan;
      byte = xml[++end] ?? 0
    )
      if (byte === colon) nameStart = end + 1
    const nameCode = end - nameStart === 1 ? xml[nameStart] : 0
    if (nameCode === lowerC) {
      if (!isEnd) return this.#startCell(end)
      this.#endCell()
    }
    const close = this.#indexOfByte(end, greaterThan)
    if (nameCode === 0 && !isEnd && close > end)
      this.hasHidden ||= hidingPattern.test(xml.toString('latin1', end, close))
    if (nameCode === lowerF) this.hasFormulas = true
    const isOpen = !isEnd && xml[close - 1] !== slash
    if (nameCode === lowerF && isOpen) return this.#indexOfByte(close, lessThan)
    return isOpen && (nameCode === lowerV || nameCode === lowerT) ? this.#readText(close + 1) : close
  }

  /** @returns the end of the cell's tag, or of the whole cell. */
  #startCell(from: number): number {
    const xml = this.#xml
    this.#type = number
    this.#boundCount = 0
    let at = from
    for (let byte = xml[at]; at < xml.length && byte !== greaterThan; byte = xml[++at]) {
      if (byte !== lowerT || xml[at + 1] !== equals || (xml[at - 1] ?? 0) > 32) continue
      const isShort = xml[at + 4] === xml[at + 2]
      this.#type = (isShort ? xml[at + 3] : undefined) ?? text
    }
    return this.#readPlainCell(at)
  }

  /**
   * Reads a cell with a number or the index of a shared text, as most are, without examining each tag.
   * @param close end of the cell's tag.
   * @returns the end of the cell, or `close` if it is another kind of cell.
   */
  #readPlainCell(close: number): number {
    const xml = this.#xml
    const type = this.#type
    if (type !== shared && type !== number) return close
    if (xml[close + 2] !== lowerV || xml[close + 1] !== lessThan || xml[close + 3] !== greaterThan)
      return close
    const start = close + 4
    const end = this.#indexOfByte(start, lessThan)
    const isEnd = xml[end + 1] === slash && xml[end + 2] === lowerV && xml[end + 6] === lowerC
    if (end === start || !isEnd || xml[end + 5] !== slash || xml[end + 7] !== greaterThan) return close
    if (type === shared) this.#cells.addSharedText(this.#readNumber(start))
    else this.#cells.addNumbers()
    return end + 7
  }

  #readText(from: number): number {
    const end = this.#indexOfByte(from, lessThan)
    if (end === from) return end
    this.#bounds[this.#boundCount++] = from
    this.#bounds[this.#boundCount++] = end
    return end
  }

  #endCell(): void {
    if (this.#boundCount === 0) return
    const type = this.#type
    if (type === shared) this.#cells.addSharedText(this.#readNumber(this.#bounds[0] ?? 0))
    else if (type === number) this.#cells.addNumbers()
    else if (type === boolean || type === error) this.#cells.addState()
    else this.#cells.addText(decodeMarkupEntities(this.#joinTexts()))
    this.#boundCount = 0
  }

  #readNumber(firstByte: number): number {
    const xml = this.#xml
    let value = 0
    for (let at = firstByte, byte = xml[at] ?? 0; byte >= 48 && byte <= 57; byte = xml[++at] ?? 0)
      value = value * 10 + byte - 48
    return value
  }

  #joinTexts(): string {
    let allText = ''
    for (let at = 0; at < this.#boundCount; at += 2)
      allText += this.#xml.toString('utf8', this.#bounds[at], this.#bounds[at + 1])
    return allText
  }
}
