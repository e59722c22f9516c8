import { CompoundFile } from '../../binary/cfb.ts'
import type { Feature } from '../../model/stored-summary.ts'
import { type FileBytes, maxReadBytes } from '../bytes.ts'
import type { ContentSummary } from '../content-summary.ts'
import { CellCounter } from './cells.ts'
import { HiddenCells } from './xls-hidden.ts'

/** Types of the records that are read ([MS-XLS] 2.3). */
const types = {
  begin: 0x0809,
  end: 0x000a,
  encryption: 0x002f,
  sheet: 0x0085,
  sharedTexts: 0x00fc,
  continuation: 0x003c,
  sharedText: 0x00fd,
  text: 0x0204,
  richText: 0x00d6,
  number: 0x0203,
  shortNumber: 0x027e,
  shortNumbers: 0x00bd,
  state: 0x0205,
  formula: 0x0006,
  formulaText: 0x0207,
  note: 0x001c,
  object: 0x005d,
  objectText: 0x01b6,
} as const
/** Cell records start with a row and a column. */
const { sharedText, text, richText, number, shortNumber, shortNumbers, state, formula } = types
const cellTypes: ReadonlySet<number> = new Set([
  ...[sharedText, text, richText, number, shortNumber, shortNumbers, state, formula],
])
const biff8Version = 0x0600
/** Size of the header of a record, which contains its type and length. */
const headerBytes = 4

interface BiffRecord {
  readonly type: number
  readonly data: Buffer
}

function* readRecords(stream: Buffer, from: number): Generator<BiffRecord> {
  for (let at = from; at + 4 <= stream.length; ) {
    const end = at + 4 + stream.readUInt16LE(at + 2)
    yield { type: stream.readUInt16LE(at), data: stream.subarray(at + 4, end) }
    at = end
  }
}

/** Summarizes Excel 97 to 2003 workbooks, including hidden sheets, which other workbook formats retain. */
export async function readXls(file: FileBytes): Promise<ContentSummary | undefined> {
  const container = await CompoundFile.open(file, maxReadBytes)
  // Some programs use the stream name of Excel 5.0 for these workbooks, too.
  const stream = (await container.read('Workbook')) ?? (await container.read('Book'))
  return stream && readXlsStream(stream)
}

/**
 * Summarizes the stream of a workbook; undefined for another kind of workbook, or if sheets overlap, as they do only in
 * hostile files.
 */
export function readXlsStream(stream: Buffer): ContentSummary | undefined {
  if (stream.length < 8 || stream.readUInt16LE(0) !== types.begin || stream.readUInt16LE(4) !== biff8Version)
    return undefined
  const { sheets, texts, isLocked: isEncrypted } = readGlobals(stream)
  if (isEncrypted) return undefined
  const cells = new CellCounter(texts)
  const visibleCells = new CellCounter(texts)
  const features = new Set<Feature>()
  let hasHidden = false
  let bytesLeft = stream.length
  for (const { start, isHidden } of sheets) {
    const shapeReader = new ShapeReader(cells)
    const hiddenCells = new HiddenCells(isHidden)
    let isVisible = true
    for (const record of readRecords(stream, start)) {
      if (record.type === types.end) break
      bytesLeft -= record.data.length + headerBytes
      if (bytesLeft < 0) return undefined
      countRecord(record, cells, features)
      shapeReader.addRecord(record)
      hiddenCells.addRecord(record)
      // The result of a formula belongs to the preceding cell record.
      if (cellTypes.has(record.type)) isVisible = !hiddenCells.hides(record.data)
      if (isVisible) countRecord(record, visibleCells, features)
    }
    hasHidden ||= hiddenCells.hasHidden
  }
  const summary = cells.summary(sheets.length, [...features])
  const { words: visibleWords } = visibleCells.summary(0, [])
  return hasHidden && visibleWords ? { ...summary, visibleWords } : summary
}

/** Reads the offsets of the sheets and the shared texts. */
function readGlobals(stream: Buffer) {
  const sheets: { readonly start: number; readonly isHidden: boolean }[] = []
  const textParts: Buffer[] = []
  let isEncrypted = false
  let lastRow = 0
  for (const { type, data } of readRecords(stream, 0)) {
    if (type === types.end) break
    if (type === types.encryption) isEncrypted = true
    // The sheet is neither a chart nor a macro sheet (2.4.28).
    const isSheet = type === types.sheet && data[5] === 0
    if (isSheet) sheets.push({ start: data.readUInt32LE(0), isHidden: ((data[4] ?? 0) & 3) !== 0 })
    if (type === types.sharedTexts || (type === types.continuation && lastRow === types.sharedTexts))
      textParts.push(data)
    if (type !== types.continuation) lastRow = type
  }
  return { sheets, isLocked: isEncrypted, texts: textParts.length === 0 ? [] : readSharedTexts(textParts) }
}

function countRecord({ type, data }: BiffRecord, cells: CellCounter, features: Set<Feature>): void {
  if (type === types.sharedText) cells.addSharedText(data.readUInt32LE(6))
  else if (type === types.text || type === types.richText) cells.addText(new TextReader([data], 6).text())
  else if (type === types.number || type === types.shortNumber) cells.addNumbers()
  else if (type === types.shortNumbers) cells.addNumbers(Math.floor((data.length - 6) / 6))
  else if (type === types.state) cells.addState()
  // The record contains the text result of a formula.
  else if (type === types.formulaText) cells.addText(new TextReader([data], 0).text())
  else if (type === types.note) features.add('comments')
  else if (type === types.formula) {
    features.add('formulas')
    countFormula(data, cells)
  }
}

/** Object type of a comment (2.5.143). */
const noteObjectType = 0x19

/** Reads the text of shapes: records for the object, its text and the characters (2.4.181, 2.4.329). */
class ShapeReader {
  readonly #cells: CellCounter
  #isNote = false
  #charactersLeft = 0

  constructor(cells: CellCounter) {
    this.#cells = cells
  }

  addRecord({ type, data }: BiffRecord): void {
    if (type === types.object) this.#isNote = data.readUInt16LE(4) === noteObjectType
    else if (type === types.objectText) this.#charactersLeft = this.#isNote ? 0 : data.readUInt16LE(10)
    else if (type === types.continuation && this.#charactersLeft > 0) this.#addCharacters(data)
  }

  #addCharacters(data: Buffer): void {
    const isWide = ((data[0] ?? 0) & 1) === 1
    const text = data.toString(isWide ? 'utf16le' : 'latin1', 1).slice(0, this.#charactersLeft)
    this.#charactersLeft -= text.length
    this.#cells.addTextOutsideCells(text)
  }
}

/** Counts the result of a formula, except a text, which follows in its own record (2.5.133). */
function countFormula(data: Buffer, cells: CellCounter): void {
  if (data.readUInt16LE(12) !== 0xffff) cells.addNumbers()
  else if (data[6] === 1 || data[6] === 2) cells.addState()
}

function readSharedTexts(parts: readonly Buffer[]): string[] {
  const count = parts[0]?.readUInt32LE(4) ?? 0
  const reader = new TextReader(parts, 8)
  const texts: string[] = []
  while (texts.length < count && !reader.isAtEnd) texts.push(reader.text())
  return texts
}

/** Reads texts (2.5.293 and 2.5.294). A text that continues in the next record repeats its character width (2.4.58). */
class TextReader {
  readonly #parts: readonly Buffer[]
  #part = 0
  #at: number

  constructor(parts: readonly Buffer[], at: number) {
    this.#parts = parts
    this.#at = at
  }

  get isAtEnd(): boolean {
    return this.#bytesLeft === 0 && this.#part >= this.#parts.length - 1
  }

  get #bytesLeft(): number {
    return (this.#parts[this.#part]?.length ?? 0) - this.#at
  }

  text(): string {
    if (this.#bytesLeft === 0) this.#nextPart()
    const length = this.#take(2).readUInt16LE(0)
    let flags = this.#take(1).readUInt8(0)
    const formatRuns = (flags & 8) === 0 ? 0 : this.#take(2).readUInt16LE(0)
    const phoneticBytes = (flags & 4) === 0 ? 0 : this.#take(4).readUInt32LE(0)
    const fragments: string[] = []
    for (let missingBytes = length; missingBytes > 0; ) {
      if (this.#bytesLeft === 0) {
        this.#nextPart()
        flags = this.#take(1).readUInt8(0)
      }
      const bytesPerCharacter = (flags & 1) + 1
      const count = Math.min(missingBytes, Math.floor(this.#bytesLeft / bytesPerCharacter))
      if (count === 0) throw new RangeError('a character is split between records')
      fragments.push(
        this.#take(count * bytesPerCharacter).toString(bytesPerCharacter === 2 ? 'utf16le' : 'latin1'),
      )
      missingBytes -= count
    }
    this.#skip(4 * formatRuns + phoneticBytes)
    return fragments.join('')
  }

  #nextPart(): void {
    if (++this.#part >= this.#parts.length) throw new RangeError('the shared texts are truncated')
    this.#at = 0
  }

  #take(count: number): Buffer {
    const takenBytes = this.#parts[this.#part]?.subarray(this.#at, this.#at + count)
    if (takenBytes?.length !== count) throw new RangeError('a text is truncated')
    this.#at += count
    return takenBytes
  }

  #skip(count: number): void {
    let missingBytes = count
    while (missingBytes > this.#bytesLeft) {
      missingBytes -= this.#bytesLeft
      this.#nextPart()
    }
    this.#at += missingBytes
  }
}
