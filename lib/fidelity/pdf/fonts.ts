import type { PdfFile } from './file.ts'
import { type Dict, Name, Operator, PdfParser, type Value } from './objects.ts'
import type { ByteList } from './strings.ts'
import type { GlyphText } from './text.ts'

/** Special values in place of a UTF-16 unit: not looked up yet, unknown, several units. They do not occur in texts. */
const [notLookedUp, unknownGlyph, multipleUnits] = [0, 1, 2]
/**
 * Maximum number of cached codes per font: fonts with more glyphs are rare, and a file may contain thousands of fonts.
 */
const maxUnits = 4096

/** Maps the codes of a font to text. Each glyph of a document is looked up here, so results are cached in a table. */
export class PdfFont {
  readonly codeBytes: 1 | 2
  readonly #lookUp: (code: number) => string | undefined
  #textUnits = new Uint16Array(128)

  constructor(codeBytes: 1 | 2, lookUp: (code: number) => string | undefined) {
    this.codeBytes = codeBytes
    this.#lookUp = lookUp
  }

  /** Adds the text of these codes. @returns the number of unknown glyphs. */
  read(codes: ByteList, text: GlyphText): number {
    const { bytes, length } = codes
    let unknownCount = 0
    if (this.codeBytes === 1) {
      for (let at = 0; at < length; at++) unknownCount += this.addCodeText(bytes[at] ?? 0, text)
    } else {
      for (let at = 1; at < length; at += 2)
        unknownCount += this.addCodeText((bytes[at - 1] ?? 0) * 256 + (bytes[at] ?? 0), text)
    }
    return unknownCount
  }

  /** Adds the text of one code. @returns 1 for an unknown glyph. */
  addCodeText(code: number, text: GlyphText): 0 | 1 {
    const unit = this.#textUnits[code] ?? notLookedUp
    if (unit > multipleUnits) {
      text.push(unit)
      return 0
    }
    if (unit === unknownGlyph) return 1
    const foundText = this.#lookUp(code)
    if (unit === notLookedUp) this.#cache(code, foundText)
    if (foundText === undefined) return 1
    text.add(foundText)
    return 0
  }

  #cache(code: number, read: string | undefined): void {
    if (code >= maxUnits) return
    if (code >= this.#textUnits.length) {
      const largerBuffer = new Uint16Array(Math.min(maxUnits, 2 ** Math.ceil(Math.log2(code + 1))))
      largerBuffer.set(this.#textUnits)
      this.#textUnits = largerBuffer
    }
    const unit = read?.length === 1 ? read.charCodeAt(0) : multipleUnits
    this.#textUnits[code] = read === undefined ? unknownGlyph : Math.max(multipleUnits, unit)
  }
}

/** Estimated memory of one mapped code, in bytes. */
const bytesPerCode = 80

/** Reads how the codes of a font map to text (ISO 32000-1, 9.10.2). */
export async function readFont(dict: Dict, file: PdfFile): Promise<PdfFont> {
  const subtype = dict.get('Subtype')
  const codeBytes = subtype instanceof Name && subtype.name === 'Type0' ? 2 : 1
  const mapStream = await file.stream(dict.get('ToUnicode'))
  const unicodeMap = mapStream ? readUnicodeMap(await mapStream.content()) : undefined
  const decodeCode = codeBytes === 1 ? await readEncoding(dict, file) : () => undefined
  // Counts the memory of the map for each font, because each font parses the map again, even if many fonts share it.
  file.countBytes((unicodeMap?.size ?? 0) * bytesPerCode)
  return new PdfFont(codeBytes, (code) => unicodeMap?.get(code) ?? decodeCode(code))
}

/** Reads a ToUnicode map (9.10.3). */
function readUnicodeMap(bytes: Buffer): ReadonlyMap<number, string> {
  const map = new Map<number, string>()
  const values = new PdfParser(bytes)
  let operands: Value[] = []
  for (let value = values.next(); value !== undefined; value = values.next()) {
    if (!(value instanceof Operator)) {
      operands.push(value)
      continue
    }
    if (value.word === 'endbfchar') addCharacters(operands, map)
    if (value.word === 'endbfrange') addRanges(operands, map)
    operands = []
  }
  return map
}

const readCode = (bytes: Buffer) => (bytes.length === 0 ? 0 : bytes.readUIntBE(0, Math.min(4, bytes.length)))

function readUtf16(bytes: Buffer): string {
  let text = ''
  for (let at = 0; at + 1 < bytes.length; at += 2) text += String.fromCharCode(bytes.readUInt16BE(at))
  return text
}

function addCharacters(operands: readonly Value[], map: Map<number, string>): void {
  for (let at = 0; at + 1 < operands.length; at += 2) {
    const [code, text] = [operands[at], operands[at + 1]]
    if (Buffer.isBuffer(code) && Buffer.isBuffer(text)) map.set(readCode(code), readUtf16(text))
  }
}

/** Number of two-byte codes; also limits ranges that repeat codes. */
const maxCodes = 65_536

function addRanges(operands: readonly Value[], map: Map<number, string>): void {
  let codesLeft = maxCodes
  for (let at = 0; at + 2 < operands.length && codesLeft > 0; at += 3) {
    const [firstOperand, lastOperand, texts] = [operands[at], operands[at + 1], operands[at + 2]]
    if (!Buffer.isBuffer(firstOperand) || !Buffer.isBuffer(lastOperand)) continue
    const start = readCode(firstOperand)
    const count = Math.min(readCode(lastOperand) - start + 1, codesLeft)
    codesLeft -= Math.max(0, count)
    for (let index = 0; index < count; index++) {
      const text = Array.isArray(texts) ? texts[index] : texts
      if (!Buffer.isBuffer(text)) continue
      const firstText = readUtf16(text)
      map.set(start + index, Array.isArray(texts) ? firstText : offsetLastCharacter(firstText, index))
    }
  }
}

const offsetLastCharacter = (text: string, index: number) =>
  text.slice(0, -1) + String.fromCharCode(text.charCodeAt(text.length - 1) + index)

const codePages: Readonly<Record<string, string>> = {
  WinAnsiEncoding: 'windows-1252',
  MacRomanEncoding: 'macintosh',
}

/** Returns the named encoding with its differences (9.6.6). Without a named encoding, only ASCII codes are certain. */
async function readEncoding(dict: Dict, file: PdfFile): Promise<(code: number) => string | undefined> {
  const encoding = await file.get(dict.get('Encoding'))
  const details = await file.dict(dict.get('Encoding'))
  const base = encoding instanceof Name ? encoding : details.get('BaseEncoding')
  const codePage = base instanceof Name ? codePages[base.name] : undefined
  const differences = readDifferences(await file.array(details.get('Differences')))
  const decoder = codePage === undefined ? undefined : new TextDecoder(codePage)
  // A symbolic font has its own encoding.
  const descriptor = await file.dict(dict.get('FontDescriptor'))
  const isSymbolic = (Number(descriptor.get('Flags') ?? 0) & 4) !== 0
  const hasCustomOrder = codePage === undefined && isSymbolic
  return (code) => {
    const name = differences.get(code)
    if (name !== undefined) return toGlyphText(name)
    if (decoder) return decoder.decode(Uint8Array.of(code))
    return hasCustomOrder || code > 126 ? undefined : String.fromCharCode(code)
  }
}

function readDifferences(differences: readonly Value[]): ReadonlyMap<number, string> {
  const names = new Map<number, string>()
  let code = 0
  for (const value of differences) {
    if (typeof value === 'number') code = value
    else if (value instanceof Name) names.set(code++, value.name)
  }
  return names
}

const accentByName: Readonly<Record<string, string>> = {
  acute: '\u0301',
  grave: '\u0300',
  dieresis: '\u0308',
  circumflex: '\u0302',
  tilde: '\u0303',
  ring: '\u030a',
  cedilla: '\u0327',
  caron: '\u030c',
  macron: '\u0304',
  breve: '\u0306',
  ogonek: '\u0328',
}
const textByGlyphName: Readonly<Record<string, string>> = {
  germandbls: 'ß',
  ae: 'æ',
  AE: 'Æ',
  oe: 'œ',
  OE: 'Œ',
  oslash: 'ø',
  Oslash: 'Ø',
  lslash: 'ł',
  Lslash: 'Ł',
  eth: 'ð',
  thorn: 'þ',
  dotlessi: 'ı',
  ff: 'ff',
  fi: 'fi',
  fl: 'fl',
  ffi: 'ffi',
  ffl: 'ffl',
  mu: 'µ',
  f_i: 'fi',
  f_l: 'fl',
  f_f: 'ff',
  hyphen: '-',
  quoteright: '’',
  quotesingle: "'",
  zero: '0',
  one: '1',
  two: '2',
  three: '3',
  four: '4',
  five: '5',
  six: '6',
  seven: '7',
  eight: '8',
  nine: '9',
}
/** Glyph names of symbols, which are not part of words. */
const symbolNames =
  /^(?:space|nbspace|period|comma|colon|semicolon|exclam|question|quote\w*|paren\w*|bracket\w*|brace\w*|slash|backslash|at|ampersand|percent|dollar|numbersign|asterisk|plus|minus|equal|less|greater|underscore|bar|endash|emdash|bullet|ellipsis|degree|section|paragraph|copyright|registered|trademark|guil\w+|exclamdown|questiondown|asciitilde|asciicircum|grave|acute|dieresis|Euro|sterling|cent|yen|multiply|divide|onehalf|onequarter|dagger\w*|periodcentered|sfthyphen|softhyphen)$/

/** Maps a glyph name to text, with the part of the Adobe Glyph List that matters for words. */
function toGlyphText(name: string): string | undefined {
  const [base = ''] = name.split('.')
  if (/^[A-Za-z]$/.test(base)) return base
  if (textByGlyphName[base] !== undefined) return textByGlyphName[base]
  const accentMatch = /^([A-Za-z])([a-z]+)$/.exec(base)
  const accent = accentByName[accentMatch?.[2] ?? '']
  if (accentMatch?.[1] && accent) return `${accentMatch[1]}${accent}`.normalize('NFC')
  const hex = /^(?:uni|u)([\dA-F]{4,6})$/.exec(base)?.[1]
  if (hex !== undefined) return String.fromCodePoint(Math.min(0x10ffff, Number.parseInt(hex, 16)))
  return symbolNames.test(base) ? ' ' : undefined
}
